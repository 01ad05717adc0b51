// A node whose processes are stopped (SIGSTOP) while an application is created or released on it, and a
// domain manager that is killed while it waits for a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "running_domain.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;
using platform::testing::becomes_true;
using platform::testing::read_file;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class StoppedNode : public DomainRun {
 protected:
  StoppedNode() {
    environment_.insert(environment_.end(),
                        {"LD_PRELOAD=" ORBWEAVER_FAILING_CALLS, "ASAN_OPTIONS=verify_asan_link_order=0",
                         "ORBWEAVER_FAILING_CALL=" + (folder_ / "failure").string()});
    start_domain();
    start_node();
    call({"app", "install", "/run_test_chain.sad.xml"});
    installed_ = tree()["installed"][0]["id"];
  }

  /// Stops processes, and returns when they stand still.
  void stop(const std::vector<int>& processes) {
    for (const int pid : processes) {
      ASSERT_EQ(kill(pid, SIGSTOP), 0);
      await_stop(pid);
    }
  }
  void await_stop(int pid) {
    stopped_.push_back(pid);
    ASSERT_TRUE(becomes_true([&] { return state_of(pid) == 'T'; }));
  }
  void go_on() {
    for (const int pid : stopped_) kill(pid, SIGCONT);
    stopped_.clear();
  }
  std::vector<int> node_and_device() const {
    std::vector<int> all = pids("orbweaver", "node");
    for (const int pid : pids("orbweaver-device")) all.push_back(pid);
    return all;
  }
  /// Whether the node is registered and nothing uses its device.
  bool is_idle() {
    const auto all = tree();
    return all["nodes"].size() == 1 && all["nodes"][0]["devices"].size() == 1 &&
           all["nodes"][0]["devices"][0]["usage_state"] == "idle" && all["applications"].empty() &&
           processes("run_test_source") + processes("run_test_filter") + processes("run_test_sink") == 0;
  }

  /// Repeats a release, or that of a creation that could not be undone, until there is no application.
  void release_completely() {
    EXPECT_TRUE(becomes_true([&] {
      if (application()["state"] == "") return true;
      attempt({"app", "release", "chain"});
      return false;
    }));
  }

  std::string installed_;

 private:
  /// Of /proc/PID/stat: "123 (name) T …".
  static char state_of(int pid) {
    const std::string text = read_file("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t end = text.rfind(") ");
    return end == std::string::npos ? ' ' : text[end + 2];
  }

  std::vector<int> stopped_;
};

TEST_F(StoppedNode, CannotCreateAnApplicationAndIsUsedAgainWhenItGoesOn) {
  ASSERT_THAT(node_and_device(), SizeIs(2));
  stop(node_and_device());
  const auto [text, end] = attempt({"app", "create", installed_, "--as", "chain"});
  EXPECT_EQ(end, "exited with status 1");
  EXPECT_THAT(text, HasSubstr("can be placed on no device"));
  go_on();
  EXPECT_TRUE(becomes_true([&] { return is_idle(); }));
  call({"app", "create", installed_, "--as", "chain"});
  call({"app", "release", "chain"});
  EXPECT_TRUE(becomes_true([&] { return is_idle(); }));
}

TEST_F(StoppedNode, HasNothingOfAnApplicationThatIsReleasedMeanwhile) {
  call({"app", "create", installed_, "--as", "chain"});
  stop(node_and_device());
  attempt({"app", "release", "chain"});
  go_on();
  release_completely();
  EXPECT_TRUE(becomes_true([&] { return is_idle(); })) << call({"domain", "tree"});
}

/// A device that stops in the middle of a call of the domain manager.
class StoppedDevice : public StoppedNode {
 protected:
  /// Creates an application, until the device has stopped at this point of the operation
  /// (failing/failing_calls.cpp).
  void create_until(const std::string& operation, const std::string& point) {
    const std::vector<int> device = pids("orbweaver-device");
    ASSERT_THAT(device, SizeIs(1));
    std::ofstream(folder_ / "failure.new")
        << "executable_device:left " << operation << ' ' << point << " stop 0\n";
    fs::rename(folder_ / "failure.new", folder_ / "failure");
    creation_ = std::make_unique<Command>(
        std::vector<std::string>{"app", "create", installed_, "--as", "chain", "--naming", naming_},
        environment_);
    await_stop(device.front());
    fs::remove(folder_ / "failure");
  }

  std::unique_ptr<Command> creation_;
};

struct Call {
  const char *operation, *point;
};
void PrintTo(const Call& call, std::ostream* out) { *out << call.operation << '_' << call.point; }

class DeviceStoppedInACall : public StoppedDevice, public ::testing::WithParamInterface<Call> {};

TEST_P(DeviceStoppedInACall, HasNothingOfACreationDuringWhichTheDomainManagerWasKilled) {
  ASSERT_NO_FATAL_FAILURE(create_until(GetParam().operation, GetParam().point));
  domain->signal(SIGKILL);
  domain->end();
  start_domain();
  go_on();
  Command log({"log", "follow", "--lines", "1000", "--naming", naming_}, environment_);
  log.until("had left on a device is undone");
  EXPECT_TRUE(becomes_true([&] { return is_idle(); })) << call({"domain", "tree"});
  call({"app", "create", installed_, "--as", "chain"});
  call({"app", "release", "chain"});
}

INSTANTIATE_TEST_SUITE_P(Calls, DeviceStoppedInACall,
                         ::testing::Values(Call{"load", "request"}, Call{"load", "reply"},
                                           Call{"execute", "request"}, Call{"execute", "reply"}),
                         ::testing::PrintToStringParamName());

TEST_F(StoppedDevice, IsNamedWhenTheDomainManagerEndsBeforeItHasAnswered) {
  // An execution: its time limit is shorter than that of a load.
  ASSERT_NO_FATAL_FAILURE(create_until("execute", "reply"));
  domain->signal(SIGTERM);
  EXPECT_EQ(domain->end(), "exited with status 0");
  EXPECT_THAT(domain->output, HasSubstr("has not answered: what it does from now on is undone by the next"));
  start_domain();
  go_on();
  release_completely();
  EXPECT_TRUE(becomes_true([&] { return is_idle(); })) << call({"domain", "tree"});
}

}  // namespace
}  // namespace orbweaver
