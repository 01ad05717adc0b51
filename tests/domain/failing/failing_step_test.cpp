// A component, a device, a node or a client that dies, hangs or raises an exception at a step of the
// creation, start, stop or release of an application: one error that names the step and who has failed,
// everything is undone, and another application does not notice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "failing_domain.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::HasSubstr;

enum class Phase { create, start, stop, release };
enum class Who { component, device };
enum class Kind { raises, hangs, dies, node_dies, client_dies };

/// A call that fails, and what tells of it. `point` as in failing_calls.cpp.
struct Step {
  const char* name;
  Phase phase;
  Who who;
  const char *operation, *operation41;  ///< Empty: the edition has none.
  const char* point;
  /// A part of the error, or of the log's record if the step is one of a release; DEVICE stands for the
  /// device.
  const char* message;
};

constexpr const char* kDevice = "executable_device:right";
constexpr const char* kComponent = "filter_1:radio";

// Steps of a release are those of its rollback, too.
constexpr Step kSteps[] = {
    {"Allocate", Phase::create, Who::device, "allocateCapacity", "allocateCapacity", "request",
     "component 'filter_1' can be placed on no device"},
    {"AllocateAfterwards", Phase::create, Who::device, "allocateCapacity", "allocateCapacity", "reply",
     "component 'filter_1' can be placed on no device"},
    {"Load", Phase::create, Who::device, "load", "load", "request",
     "device DEVICE cannot load /run_test_filter of component 'filter_1'"},
    {"LoadAfterwards", Phase::create, Who::device, "load", "load", "reply",
     "device DEVICE cannot load /run_test_filter of component 'filter_1'"},
    {"Execute", Phase::create, Who::device, "execute", "execute", "request",
     "component 'filter_1' on device DEVICE cannot be executed"},
    {"ExecuteAfterwards", Phase::create, Who::device, "execute", "execute", "reply",
     "component 'filter_1' on device DEVICE cannot be executed"},
    {"Register", Phase::create, Who::component, "bind", "registerComponent", "call",
     "component 'filter_1' on device DEVICE has "},
    {"Initialize", Phase::create, Who::component, "initialize_with", "initialize", "request",
     "component 'filter_1' on device DEVICE cannot be initialized"},
    {"Connect", Phase::create, Who::component, "connect_ports", "connectUsesPorts", "request",
     "component 'filter_1' on device DEVICE cannot be connected: connection 'filter_to_sink'"},
    {"ConnectAfterwards", Phase::create, Who::component, "connect_ports", "connectUsesPorts", "reply",
     "component 'filter_1' on device DEVICE cannot be connected: connection 'filter_to_sink'"},
    {"Configure", Phase::create, Who::component, "configure", "configure", "request",
     "component 'filter_1' on device DEVICE cannot be configured"},
    {"Start", Phase::start, Who::component, "start", "start", "request",
     "component 'filter_1' cannot be started"},
    {"StartAfterwards", Phase::start, Who::component, "start", "start", "reply",
     "component 'filter_1' cannot be started"},
    {"Stop", Phase::stop, Who::component, "stop", "stop", "request",
     "component 'filter_1' cannot be stopped"},
    {"StopOfRelease", Phase::release, Who::component, "stop", "stop", "request",
     "component 'filter_1' cannot be stopped"},
    {"Disconnect", Phase::release, Who::component, "disconnectPort", "disconnectPorts", "request",
     "component 'filter_1' cannot be disconnected"},
    {"Release", Phase::release, Who::component, "releaseObject", "releaseObject", "request",
     "component 'filter_1' cannot be released"},
    {"Terminate", Phase::release, Who::device, "terminate", "terminate", "request",
     "of device DEVICE cannot be terminated"},
    {"Unload", Phase::release, Who::device, "unload", "unload", "request",
     "cannot be unloaded from device DEVICE"},
    {"Deallocate", Phase::release, Who::device, "deallocateCapacity", "deallocateCapacity", "request",
     "capacities of device DEVICE cannot be given back"},
};

const char* text_of(Kind kind) {
  switch (kind) {
    case Kind::raises: return "Raises";
    case Kind::hangs: return "Hangs";
    case Kind::dies: return "Dies";
    case Kind::node_dies: return "NodeDies";
    case Kind::client_dies: return "ClientDies";
  }
  return "";
}

struct Failure {
  const Step* step;
  Kind kind;
  bool is_sca41;
};

std::string name_of(const Failure& failure) {
  return std::string(failure.step->name) + text_of(failure.kind) +
         (failure.is_sca41 ? "InSca41" : "InSca222");
}
void PrintTo(const Failure& failure, std::ostream* out) { *out << name_of(failure); }

std::vector<Failure> failures() {
  std::vector<Failure> all;
  for (const Step& step : kSteps)
    for (const bool is_sca41 : {false, true})
      for (const Kind kind : {Kind::raises, Kind::hangs, Kind::dies, Kind::node_dies, Kind::client_dies}) {
        if (std::string(is_sca41 ? step.operation41 : step.operation).empty()) continue;
        // The parent process is the node only for a device.
        if (kind == Kind::node_dies && step.who == Who::component) continue;
        all.push_back({&step, kind, is_sca41});
      }
  return all;
}

class FailingStep : public ::testing::TestWithParam<Failure> {
 protected:
  FailingStep() : domain_(GetParam().is_sca41) {}

  const Step& step() const { return *GetParam().step; }
  Kind kind() const { return GetParam().kind; }

  /// What the error or the log says.
  std::string message() const {
    // A device of SCA 4.1 has no label.
    const std::string device = std::string(GetParam().is_sca41 ? kDevice : "executable_device") +
                               " of node DCE:orbweaver.node:right";
    std::string text = step().message;
    if (const std::size_t at = text.find("DEVICE"); at != std::string::npos) text.replace(at, 6, device);
    return text;
  }

  /// From now on, the call fails. Time limits are short for the call that hangs and those behind it.
  void fail(int client = 0) {
    constexpr std::chrono::milliseconds kShort{3'000};
    const bool is_release = step().phase == Phase::release;
    if (kind() == Kind::hangs) {
      if (!is_release) domain_.limits.call = domain_.limits.load = kShort;
      if (std::string(step().name) == "Register") domain_.limits.registration = kShort;
      domain_.limits.release = kShort;
    }
    const bool kills = kind() == Kind::node_dies || kind() == Kind::client_dies;
    domain_.fail(step().who == Who::device ? kDevice : kComponent,
                 GetParam().is_sca41 ? step().operation41 : step().operation, step().point,
                 kills                    ? "kill"
                 : kind() == Kind::raises ? "throw"
                 : kind() == Kind::hangs  ? "hang"
                                          : "die",
                 client);
  }

  /// The error of a call; empty if it raises none.
  static std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
      return e.msg();
    } catch (const CF::Resource::StartError& e) {
      return e.msg();
    } catch (const CF::Resource::StopError& e) {
      return e.msg();
    } catch (const CF::LifeCycle::ReleaseError& e) {
      std::string text;
      for (const std::string& line : e.errorMessages()) text += (text.empty() ? "" : "\n") + line;
      return text;
    } catch (const CORBA::Exception& e) {
      return std::string(e._name()) + ": " + e.what();
    }
    return {};
  }

  /// Performs the phase, in which a call fails; returns its error.
  std::string perform(Phase phase) {
    if (phase == Phase::create) return error_of([&] { application_ = domain_.create(); });
    if (phase == Phase::start) return error_of([&] { application_->start(); });
    if (phase == Phase::stop) return error_of([&] { application_->stop(); });
    return error_of([&] { application_->releaseObject(); });
  }

  FailingDomain domain_;
  FailingDomain::ApplicationRef application_;
};

TEST_P(FailingStep, IsNamedAndLeavesNothing) {
  if (step().phase != Phase::create) {
    ASSERT_EQ(perform(Phase::create), "");
  }
  if (step().phase == Phase::stop || step().phase == Phase::release) {
    ASSERT_EQ(perform(Phase::start), "");
  }
  if (kind() == Kind::client_dies) {
    // Its operation is completed, and the application is as if the client had got the reply.
    const std::string installed = "DCE:radio";
    const auto client =
        domain_.command(step().phase == Phase::create
                            ? std::vector<std::string>{"app", "create", installed, "--as", "radio",
                                                       "--assign", "filter_1=" + std::string(kDevice),
                                                       "--assign", "source_1=executable_device:left",
                                                       "--assign", "sink_1=executable_device:left"}
                        : step().phase == Phase::start ? std::vector<std::string>{"app", "start", "radio"}
                        : step().phase == Phase::stop  ? std::vector<std::string>{"app", "stop", "radio"}
                                                       : std::vector<std::string>{"app", "release", "radio"});
    fail(client->pid());
    client->end();
    domain_.end_failure();
    if (step().phase != Phase::release) {
      const auto expected = step().phase == Phase::start ? framework::ApplicationState::APPLICATION_STARTED
                                                         : framework::ApplicationState::APPLICATION_STOPPED;
      EXPECT_TRUE(becomes_true([&] {
        application_ = domain_.find("radio");
        return application_ && application_->state() == expected;
      }));
      std::string error;
      EXPECT_TRUE(becomes_true([&] {
        error = perform(Phase::start);
        return error != "another operation of the application is in progress";  // the end of its creation
      }));
      EXPECT_EQ(error, "");
    }
    return domain_.expect_nothing_left();
  }
  fail();
  const std::string error = perform(step().phase);
  if (step().phase != Phase::release) {
    EXPECT_THAT(error, HasSubstr(message()));
  } else if (kind() == Kind::raises || kind() == Kind::hangs) {
    EXPECT_TRUE(domain_.has_logged(message())) << error;
  }
  domain_.end_failure();
  domain_.expect_nothing_left();
  if (kind() == Kind::raises || kind() == Kind::hangs) {
    EXPECT_EQ(perform(Phase::create), "") << "the device has all of its capacities again";
    EXPECT_EQ(perform(Phase::start), "");
    EXPECT_EQ(perform(Phase::release), "");
    domain_.expect_nothing_left();
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, FailingStep, ::testing::ValuesIn(failures()),
                         [](const auto& failure) { return name_of(failure.param); });

}  // namespace
}  // namespace orbweaver::sca
