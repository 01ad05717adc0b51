// Members of a component that have names: properties and their configuration, ports, counters.
#include <orbweaver/sca/component.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

#include "sca/component/exception_text.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Property, IsReadFromTheCommandLineOrKeepsItsDefault) {
  class Knobs : public Component {
   public:
    using Component::Component;
    Property<double> gain{*this, "gain", 1.5};
    Property<bool> realtime{*this, "realtime", false};
    Property<std::string> path{*this, "path", "none"};
  };
  auto context = Context::from_arguments({"gain", "-2e3", "realtime", "true", "other", "1"});
  const Knobs knobs(context);
  EXPECT_EQ(knobs.gain, -2000.0);
  EXPECT_TRUE(knobs.realtime);
  EXPECT_EQ(knobs.path.value(), "none");
  EXPECT_THAT(context.unknown(), ElementsAre("other"));
  Context bad = Context::with({{"gain", "loud"}});
  EXPECT_THROW(Knobs{bad}, std::invalid_argument);
  Context worse = Context::with({{"realtime", "yes"}});
  EXPECT_THROW(Knobs{worse}, std::invalid_argument);
}

std::string text_of_thrown(const std::function<void()>& call) {
  try {
    call();
  } catch (...) {
    return current_exception_text();
  }
  return "nothing";
}

TEST(ExceptionText, NamesTheTypeOfOtherThrownValues) {
  EXPECT_EQ(text_of_thrown([] { throw std::runtime_error("no more paper"); }), "no more paper");
  EXPECT_EQ(text_of_thrown([] { throw 42; }), "an exception of type int");
  EXPECT_EQ(text_of_thrown([] { throw SampleType::octet; }),
            "an exception of type orbweaver::sca::SampleType");
  EXPECT_EQ(text_of_thrown([] { throw "a string"; }), "a string");
  EXPECT_EQ(text_of_thrown([] { throw std::runtime_error(""); }), "an exception of type std::runtime_error");
}

TEST(Component, RejectsTwoMembersWithOneName) {
  struct TwoPorts : Component {
    using Component::Component;
    Input<float> in{*this, "data", [](const Packet<float>&) {}};
    Output<float> out{*this, "data"};
  };
  struct TwoProperties : Component {
    using Component::Component;
    Property<bool> a{*this, "gain", false};
    Property<double> b{*this, "gain", 1};
  };
  struct TwoCounters : Component {
    using Component::Component;
    Counter a{*this, "errors"}, b{*this, "errors"};
  };
  Context context;
  EXPECT_THAT(text_of_thrown([&] { TwoPorts c(context); }), HasSubstr("two ports named 'data'"));
  EXPECT_THAT(text_of_thrown([&] { TwoProperties c(context); }),
              HasSubstr("two properties with the id 'gain'"));
  EXPECT_THAT(text_of_thrown([&] { TwoCounters c(context); }), HasSubstr("two counters named 'errors'"));
}

/// Multiplies by a property that can be set while the component runs.
class Scaler : public Component {
 public:
  using Component::Component;
  ~Scaler() override { shut_down(); }
  std::atomic<int> configured{0};
  std::thread::id configured_by;

 protected:
  void on_configure() override {
    if (factor_.value() == 13) throw std::runtime_error("thirteen is no factor");
    configured_by = std::this_thread::get_id();
    ++configured;
  }

 private:
  Property<double> factor_{*this, "factor", 1};
  Property<std::uint32_t> other_{*this, "other", 7};
  Input<float> in_{*this, "in", [](const Packet<float>&) {}};
};

TEST(Component, IsConfiguredBeforeItRuns) {
  Context context;
  Scaler scaler(context);
  scaler.configure({{"factor", "2.5"}, {"other", "8"}});
  EXPECT_EQ(scaler.query("factor"), "2.5");
  EXPECT_EQ(scaler.query("other"), "8");
  EXPECT_EQ(scaler.configured, 1);
  EXPECT_EQ(scaler.configured_by, std::this_thread::get_id());
}

TEST(Component, AppliesConfigurationOnItsOwnThread) {
  Context context;
  Scaler scaler(context);
  scaler.start();
  scaler.configure({{"factor", "3"}});
  while (scaler.configured == 0) std::this_thread::yield();
  EXPECT_EQ(scaler.query("factor"), "3");
  scaler.stop();
  EXPECT_NE(scaler.configured_by, std::this_thread::get_id());
}

TEST(Component, ConfiguresAllOrNothing) {
  Context context;
  Scaler scaler(context);
  EXPECT_THAT(text_of_thrown([&] {
                scaler.configure({{"factor", "2"}, {"other", "-1"}});
              }),
              HasSubstr("property 'other' cannot be '-1'"));
  EXPECT_THAT(text_of_thrown([&] {
                scaler.configure({{"factor", "2"}, {"colour", "1"}});
              }),
              HasSubstr("no property 'colour'"));
  EXPECT_THAT(text_of_thrown([&] { scaler.configure({{"factor", "13"}}); }), "thirteen is no factor");
  EXPECT_THAT(text_of_thrown([&] { (void)scaler.query("colour"); }), HasSubstr("no property 'colour'"));
  EXPECT_EQ(scaler.configured, 0);
}

TEST(Context, RejectsArgumentsThatAreNotPairs) {
  EXPECT_THROW(Context::from_arguments({"gain"}), std::invalid_argument);
  EXPECT_THROW(Context::from_arguments({"a", "1", "a", "2"}), std::invalid_argument);
  EXPECT_THROW(Context().required("NAMING_CONTEXT_IOR"), std::invalid_argument);
}

}  // namespace
}  // namespace orbweaver::sca
