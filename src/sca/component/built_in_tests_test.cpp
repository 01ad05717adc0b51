#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/sca/component.h>

#include <atomic>
#include <thread>

#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using platform::testing::WaitingThread;
using ::testing::HasSubstr;

/// A source that sends nothing, with two tests.
class Tested : public Component {
 public:
  using Component::Component;
  ~Tested() override { shut_down(); }

  std::atomic<int> produced{0};
  std::thread::id test_thread, own_thread;

 protected:
  bool produce() override {
    own_thread = std::this_thread::get_id();
    ++produced;
    return sleep_until_ns(now_ns() + 100'000) || true;
  }

 private:
  BuiltInTest sum_{*this, 1, {"first", "second", "sum"}, [this](TestValues& values) {
                     test_thread = std::this_thread::get_id();
                     values.set("sum",
                                values.get<std::int32_t>("first", 1) + values.get<std::int32_t>("second", 2));
                   }};
  BuiltInTest broken_{*this, 2, {}, [](TestValues&) { throw std::runtime_error("no hardware"); }};
};

TestValues inputs(std::vector<TestValues::Value> values) { return TestValues(std::move(values)); }

struct BuiltInTests : ::testing::Test {
  Context context = Context::with({});
  Tested component{context};
};

TEST_F(BuiltInTests, ReturnTheirResults) {
  TestValues values = inputs({{"first", "", "40"}});
  ASSERT_TRUE(component.run_test(1, values));
  ASSERT_EQ(values.results().size(), 1u);
  EXPECT_EQ(values.results()[0].id + " " + values.results()[0].type, "sum long");
  EXPECT_EQ(values.results()[0].text, "42");
  EXPECT_EQ(component.test_thread, std::this_thread::get_id()) << "the component does not run";
}

TEST_F(BuiltInTests, RunOnTheThreadOfARunningComponent) {
  component.start();
  ASSERT_TRUE(becomes_true([&] { return component.produced > 0; }));
  TestValues values = inputs({});
  ASSERT_TRUE(component.run_test(1, values));
  component.stop();
  EXPECT_EQ(values.results().at(0).text, "3");
  EXPECT_EQ(component.test_thread, component.own_thread);
  ASSERT_TRUE(component.run_test(1, values)) << "also when it has been stopped";
  EXPECT_EQ(component.test_thread, std::this_thread::get_id());
}

TEST_F(BuiltInTests, RunWhileTheComponentIsStartedAndStopped) {
  std::atomic<bool> done{false};
  std::thread caller([&] {
    for (int i = 0; i < 200; ++i) {
      TestValues values = inputs({});
      EXPECT_TRUE(component.run_test(1, values));
      EXPECT_EQ(values.results().size(), 1u);
    }
    done = true;
  });
  while (!done) {
    component.start();
    component.stop();
  }
  caller.join();
}

TEST_F(BuiltInTests, RejectWhatTheyDoNotKnow) {
  TestValues none = inputs({});
  EXPECT_FALSE(component.run_test(3, none));
  TestValues unknown = inputs({{"third", "", "1"}});
  EXPECT_THROW(component.run_test(1, unknown), InvalidTestValue);
  TestValues invalid = inputs({{"second", "", "many"}});
  try {
    component.run_test(1, invalid);
    ADD_FAILURE() << "it has run";
  } catch (const InvalidTestValue& e) {
    EXPECT_EQ(e.id(), "second");
    EXPECT_THAT(e.what(), HasSubstr("the value of 'second' cannot be 'many'"));
  }
}

TEST_F(BuiltInTests, RaiseTheirExceptionsInTheCaller) {
  TestValues values = inputs({});
  EXPECT_THROW(component.run_test(2, values), std::runtime_error);
  component.start();
  EXPECT_THROW(component.run_test(2, values), std::runtime_error);
  EXPECT_TRUE(component.run_test(1, values)) << "the component goes on";
}

/// A component whose test 1 ends when the flag `ends` is set. Test 2 configures the component.
class Held : public Component {
 public:
  using Component::Component;
  ~Held() override { shut_down(); }

  std::atomic<bool> begun{false}, ends{false};
  std::atomic<int> configured{0};

 protected:
  bool produce() override { return sleep_until_ns(now_ns() + 100'000) || true; }
  void on_configure() override { ++configured; }

 private:
  Property<std::int32_t> level_{*this, "level", 1};
  BuiltInTest held_{*this, 1, {}, [this](TestValues&) {
                      begun = true;
                      EXPECT_TRUE(becomes_true([&] { return ends.load(); }));
                    }};
  BuiltInTest configuring_{*this, 2, {}, [this](TestValues&) { configure({{"level", "7"}}); }};
};

/// Runs test 1 of a stopped component on another thread, until end() or the destructor.
class HeldTest {
 public:
  explicit HeldTest(Held& component)
      : component_(component), thread_([&component] {
          TestValues values({});
          EXPECT_TRUE(component.run_test(1, values));
        }) {
    EXPECT_TRUE(becomes_true([&] { return component.begun.load(); }));
  }
  ~HeldTest() { end(); }
  void end() {
    component_.ends = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  Held& component_;
  std::thread thread_;
};

struct HeldBuiltInTests : ::testing::Test {
  Context context = Context::with({});
  Held component{context};
};

TEST_F(HeldBuiltInTests, MakeConfigureOfAStoppedComponentWait) {
  HeldTest test(component);
  WaitingThread configuring([&] { component.configure({{"level", "5"}}); });
  EXPECT_TRUE(configuring.waits()) << "the test would read the property while it is written";
  EXPECT_EQ(component.configured, 0);
  EXPECT_EQ(component.query("level"), "1");
  test.end();
  configuring.join();
  EXPECT_EQ(component.configured, 1);
  EXPECT_EQ(component.query("level"), "5");
}

TEST_F(HeldBuiltInTests, MayConfigureTheirComponent) {
  TestValues values({});
  EXPECT_TRUE(component.run_test(2, values));
  EXPECT_EQ(component.query("level"), "7");
  component.start();
  EXPECT_TRUE(component.run_test(2, values));
  EXPECT_TRUE(becomes_true([&] { return component.configured == 2; }));
}

TEST_F(HeldBuiltInTests, MakeOthersWaitForALimitedTimeOnly) {
  HeldTest test(component);
  std::atomic<bool> failed{false};
  WaitingThread other([&] {
    TestValues values({});
    try {
      component.run_test(2, values, std::chrono::milliseconds(1));
    } catch (const std::runtime_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("test 2 has not begun within 1 ms: another test"));
      failed = true;
    }
  });
  EXPECT_TRUE(becomes_true([&] { return failed.load(); }));
  test.end();
  other.join();
  TestValues values({});
  EXPECT_TRUE(component.run_test(1, values)) << "the end of a test admits the next one";
}

TEST(BuiltInTestsWhileConfigured, WaitForAConfigureThatDoesNotReturnForALimitedTimeOnly) {
  class Configured : public Component {
   public:
    using Component::Component;
    ~Configured() override { shut_down(); }
    std::atomic<bool> begun{false}, ends{false};

   protected:
    void on_configure() override {
      begun = true;
      EXPECT_TRUE(becomes_true([&] { return ends.load(); }));
    }

   private:
    Property<std::int32_t> level_{*this, "level", 1};
    BuiltInTest test_{*this, 1, {}, [](TestValues&) {}};
  };
  Context context = Context::with({});
  Configured component(context);
  std::thread configuring([&] { component.configure({{"level", "5"}}); });
  EXPECT_TRUE(becomes_true([&] { return component.begun.load(); }));
  std::atomic<bool> failed{false};
  WaitingThread testing([&] {
    TestValues values({});
    try {
      component.run_test(1, values, std::chrono::milliseconds(1));
    } catch (const std::runtime_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("test 1 has not begun within 1 ms: start(), stop() or configure()"));
      failed = true;
    }
  });
  EXPECT_TRUE(becomes_true([&] { return failed.load(); }));
  component.ends = true;
  configuring.join();
  testing.join();
}

TEST_F(HeldBuiltInTests, DoNotRunAfterShutDown) {
  component.shut_down();
  component.ends = true;
  TestValues values({});
  EXPECT_THROW(component.run_test(1, values), std::runtime_error);
  EXPECT_FALSE(component.begun);
  EXPECT_THROW(component.configure({{"level", "5"}}), std::runtime_error);
  EXPECT_EQ(component.configured, 0);
}

TEST(BuiltInTest, HasAnIdOfItsOwn) {
  class Twice : public Component {
   public:
    using Component::Component;

   private:
    BuiltInTest one_{*this, 7, {}, [](TestValues&) {}}, two_{*this, 7, {}, [](TestValues&) {}};
  };
  Context context = Context::with({});
  EXPECT_THROW(Twice twice(context), std::invalid_argument);
}

}  // namespace
}  // namespace orbweaver::sca
