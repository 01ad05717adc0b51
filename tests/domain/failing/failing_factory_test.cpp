// A factory that dies, hangs or raises an exception when it is initialized, creates a component or is
// released, or that loses a component: one error that names the step, everything is undone, and another
// application with a factory does not notice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "failing_domain.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;

/// A call that fails, and a part of the error, or of the log's record if it is one of a release.
struct FactoryStep {
  const char* name;
  bool is_sca41;
  const char* operation;
  const char* point;  ///< As in failing_calls.cpp.
  bool is_release;
  const char* message;
};

constexpr const char* kCreatedBy222 =
    "component 'filter_1' on device executable_device of node "
    "DCE:orbweaver.node:right cannot be created by resource factory "
    "'factory_1'";
constexpr const char* kCreatedBy41 =
    "component 'filter_1' on device executable_device:right of node "
    "DCE:orbweaver.node:right cannot be created by component factory "
    "'factory_1'";
constexpr FactoryStep kFactorySteps[] = {
    {"Register", false, "bind", "call", false, "resource factory 'factory_1' on device executable_device"},
    {"Create", false, "createResource", "request", false, kCreatedBy222},
    {"CreateAfterwards", false, "createResource", "reply", false, kCreatedBy222},
    {"ReleaseComponent", false, "releaseResource", "request", true,
     "component 'factory_1' cannot be asked to release 'filter_1'"},
    {"Shutdown", false, "shutdown", "request", true, "component 'factory_1' cannot be shut down"},
    {"Register", true, "registerComponent", "call", false,
     "component factory 'factory_1' on device executable_device"},
    {"Initialize", true, "initialize", "request", false,
     "component factory 'factory_1' on device executable_device:right of node DCE:orbweaver.node:right "
     "cannot be initialized"},
    {"Create", true, "createComponent", "request", false, kCreatedBy41},
    {"CreateAfterwards", true, "createComponent", "reply", false, kCreatedBy41},
    {"Release", true, "releaseObject", "request", true, "component 'filter_1' cannot be released"},
    {"ReleaseAfterwards", true, "releaseObject", "reply", true, "component 'filter_1' cannot be released"}};

struct FactoryFailureCase {
  const FactoryStep* step;
  const char* action;  ///< As in failing_calls.cpp.
};
std::string name_of(const FactoryFailureCase& failure) {
  std::string action = failure.action;
  action[0] = static_cast<char>(action[0] - 'a' + 'A');
  return std::string(failure.step->name) + action + (failure.step->is_sca41 ? "InSca41" : "InSca222");
}
void PrintTo(const FactoryFailureCase& failure, std::ostream* out) { *out << name_of(failure); }

std::vector<FactoryFailureCase> factory_failures() {
  std::vector<FactoryFailureCase> all;
  for (const FactoryStep& step : kFactorySteps)
    for (const char* const action : {"throw", "hang", "die"}) all.push_back({&step, action});
  return all;
}

class FailingFactory : public ::testing::TestWithParam<FactoryFailureCase> {
 protected:
  FailingFactory()
      : domain_(GetParam().step->is_sca41, {.limit = std::chrono::minutes(2)},
                FailingDomain::Filter::created) {}

  const FactoryStep& step() const { return *GetParam().step; }
  bool dies() const { return GetParam().action == std::string("die"); }

  /// The call fails from now on. Time limits are short for one that hangs and those behind it.
  void fail() {
    constexpr std::chrono::milliseconds kShort{3'000};
    if (GetParam().action == std::string("hang")) {
      if (!step().is_release) domain_.limits.call = kShort;
      if (std::string(step().name) == "Register") domain_.limits.registration = kShort;
      domain_.limits.release = kShort;
    }
    domain_.fail("factory_1:radio", step().operation, step().point, GetParam().action);
  }

  /// The error of create(); empty if it succeeds.
  std::string create() {
    try {
      domain_.create();
    } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
      return e.msg();
    }
    return {};
  }

  FailingDomain domain_;
};

TEST_P(FailingFactory, IsNamedAndLeavesNothing) {
  if (!step().is_release) {
    fail();
    EXPECT_THAT(create(), HasSubstr(step().message));
  } else {
    ASSERT_EQ(create(), "");
    const auto application = domain_.find("radio");
    application->start();
    fail();
    std::string error;
    try {
      application->releaseObject();
    } catch (const CORBA::Exception& e) {
      error = e.what();
    }
    if (!dies()) {
      EXPECT_TRUE(domain_.has_logged(step().message)) << error;
    }
  }
  domain_.end_failure();
  domain_.expect_nothing_left();
  EXPECT_EQ(create(), "") << "the device has all of its capacities again";
  domain_.expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Calls, FailingFactory, ::testing::ValuesIn(factory_failures()),
                         [](const auto& failure) { return name_of(failure.param); });

}  // namespace
}  // namespace orbweaver::sca
