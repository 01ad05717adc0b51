// A node whose processes are stopped (SIGSTOP) while an application is created or released on it, and a
// domain manager that is killed while it waits for a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

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
    start_domain();
    start_node();
    call({"app", "install", "/run_test_chain.sad.xml"});
    installed_ = tree()["installed"][0]["id"];
  }

  /// Stops processes, and returns when they stand still.
  void stop(const std::vector<int>& processes) {
    for (const int pid : processes) {
      stopped_.push_back(pid);
      ASSERT_EQ(kill(pid, SIGSTOP), 0);
      ASSERT_TRUE(becomes_true([&] { return state_of(pid) == 'T'; }));
    }
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

/// What a device has been asked for when the domain manager is killed.
class StoppedDevice : public StoppedNode {
 protected:
  /// Whether the domain manager waits for a call of a device.
  bool is_calling() const {
    for (const int manager : pids("orbweaver", "domain")) {
      std::error_code ignored;
      for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(manager) + "/task", ignored))
        if (read_file(task.path() / "comm") == "ow-device-call\n") return true;
    }
    return false;
  }

  /// Creates an application, and stops the device when `condition` holds, if that is in the middle of a call.
  /// False if no call was met.
  template <class Condition>
  bool stop_during_a_call(Condition condition) {
    const std::vector<int> device = pids("orbweaver-device");
    creation_ = std::make_unique<Command>(
        std::vector<std::string>{"app", "create", installed_, "--as", "chain", "--naming", naming_},
        environment_);
    for (int i = 0; i < 2'000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop(device);
    // A call that had been answered before ends now.
    for (int i = 0; i < 100; ++i) {
      if (!is_calling()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }

  /// Repeats that until it has met a call.
  template <class Condition>
  void meet_a_call(Condition condition) {
    for (int attempts = 0; attempts < 30; ++attempts) {
      if (stop_during_a_call(condition)) return;
      go_on();
      creation_->end();
      attempt({"app", "release", "chain"});
    }
    FAIL() << "no call of the device was met";
  }

  std::unique_ptr<Command> creation_;
};

TEST_F(StoppedDevice, HasNothingOfACreationDuringWhichTheDomainManagerWasKilled) {
  ASSERT_NO_FATAL_FAILURE(meet_a_call([&] { return is_calling(); }));
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

TEST_F(StoppedDevice, IsNamedWhenTheDomainManagerEndsBeforeItHasAnswered) {
  // An execution: its time limit is shorter than that of a load.
  ASSERT_NO_FATAL_FAILURE(meet_a_call([&] {
    return processes("run_test_source") + processes("run_test_filter") + processes("run_test_sink") > 0;
  }));
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
