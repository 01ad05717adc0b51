#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/sca/component.h>

#include <atomic>
#include <thread>

#include "platform/testing/becomes_true.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
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
