// Applications of lost nodes, which are created again on the remaining ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "running_domain.h"

namespace orbweaver {
namespace {

using platform::testing::becomes_true;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Redeploy : public DomainRun {
 protected:
  ~Redeploy() override { right.reset(); }

  void create_application(const std::vector<std::string>& options) {
    call({"app", "install", "/run_test_chain.sad.xml"});
    std::vector<std::string> words{"app", "create", "chain"};
    words.insert(words.end(), options.begin(), options.end());
    call(words);
  }
  static void kill_node(std::unique_ptr<Command>& lost) {
    lost->signal(SIGKILL);
    lost->end();
    lost.reset();
  }
  /// Waits until the application has this state, and all components are on this device.
  testing::AssertionResult becomes(const std::string& state, const std::string& device) {
    nlohmann::json last;
    const bool is_there = becomes_true([&] {
      last = application();
      if (last["state"] != state || last["components"].size() != 4) return false;
      for (const auto& each : last["components"])
        if (each["device"] != device) return false;
      return true;
    });
    if (is_there) return testing::AssertionSuccess();
    return testing::AssertionFailure() << last.dump(2);
  }
  /// Releases the application. That is rejected until its creation has ended, shortly after its new state is
  /// visible.
  void release_application() {
    std::pair<std::string, std::string> last;
    EXPECT_TRUE(becomes_true([&] {
      last = attempt({"app", "release", "chain"});
      return last.first.find("another operation of the application is in progress") == std::string::npos;
    }));
    EXPECT_EQ(last.second, "exited with status 0") << last.first;
  }
  /// Waits until the application has failed with this text.
  testing::AssertionResult becomes_failed(const std::string& text) {
    nlohmann::json last;
    const bool is_there = becomes_true([&] {
      last = application();
      return last["state"] == "failed" && last["failure"].get<std::string>().find(text) != std::string::npos;
    });
    if (is_there) return testing::AssertionSuccess();
    return testing::AssertionFailure() << last.dump(2);
  }

  std::unique_ptr<Command> right;
};

constexpr const char* kNoDevice =
    "it cannot be created again: component 'source_1' can be placed on no device";

TEST_F(Redeploy, CreatesAnApplicationAgainOnTheRemainingNode) {
  start_domain();
  start_node();
  right = started_node("right");
  create_application({"--redeploy", "--set", "packets:ulong=100000000"});
  EXPECT_TRUE(application()["redeploy"]);
  ASSERT_TRUE(becomes("stopped", "executable_device:left"));
  call({"app", "start", "chain"});
  const std::string first = application()["id"];
  kill_node(node);
  ASSERT_TRUE(becomes("started", "executable_device:right"));
  EXPECT_EQ(application()["failure"], "");
  EXPECT_NE(application()["id"], first) << "another object";
  EXPECT_THAT(call({"app", "query", "chain"}), HasSubstr("packets = 100000000"));
  EXPECT_EQ(processes("run_test_filter"), 1u);
  Command log({"log", "follow", "--lines", "100", "--naming", naming_}, environment_);
  log.until("application 'chain' has failed: node 'left' is lost");
  log.until("application 'chain' is created again: node 'left' is lost");
  log.signal(SIGTERM);
  log.end();
  release_application();
  EXPECT_THAT(tree()["applications"], IsEmpty());
  EXPECT_TRUE(becomes_true([&] { return processes("run_test_filter") == 0; }));
}

TEST_F(Redeploy, WaitsForANodeAndSaysWhy) {
  start_domain();
  start_node();
  create_application({"--redeploy"});
  kill_node(node);
  EXPECT_TRUE(becomes_failed(kNoDevice));
  EXPECT_THAT(application()["failure"].get<std::string>(), HasSubstr("node 'left' is lost"));
  for (const char* const command : {"start", "query"})
    EXPECT_THAT(attempt({"app", command, "chain"}).first, HasSubstr("the application has failed: "));
  EXPECT_THAT(call({"app", "list"}), HasSubstr(": failed, redeploy, node 'left' is lost"));
  EXPECT_THAT(attempt({"app", "redeploy", "chain", "maybe"}).first,
              HasSubstr("'maybe' is neither on nor off"));
  right = started_node("right");
  EXPECT_TRUE(becomes("stopped", "executable_device:right")) << "as it was";
  kill_node(right);
  EXPECT_TRUE(becomes_failed(kNoDevice));
  release_application();
  EXPECT_THAT(tree()["applications"], IsEmpty());
  EXPECT_EQ(processes("run_test_filter"), 0u);
}

TEST_F(Redeploy, GoesOnAfterTheDomainManagerWasKilled) {
  start_domain();
  start_node();
  create_application({"--redeploy"});
  call({"app", "start", "chain"});
  kill_node(node);
  EXPECT_TRUE(becomes_failed(kNoDevice));
  domain->signal(SIGKILL);
  domain->end();
  start_domain();
  EXPECT_TRUE(becomes_failed(kNoDevice));
  start_node();
  EXPECT_TRUE(becomes("started", "executable_device:left"));
  release_application();
}

TEST_F(Redeploy, KeepsTheDeviceThatTheCallerHasAssigned) {
  start_domain({"--redeploy"});
  start_node();
  right = started_node("right");
  create_application({"--assign", "filter_1=executable_device:left"});
  EXPECT_TRUE(application()["redeploy"]) << "of the domain";
  kill_node(node);
  EXPECT_TRUE(becomes_failed("it cannot be created again: "));
  start_node();
  EXPECT_TRUE(becomes_true([&] { return application()["state"] == "stopped"; }));
  release_application();
}

TEST_F(Redeploy, CanBeSwitchedOnAfterTheLoss) {
  start_domain();
  start_node();
  right = started_node("right");
  create_application({});
  EXPECT_FALSE(application()["redeploy"]);
  kill_node(node);
  EXPECT_TRUE(becomes_failed("node 'left' is lost"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"app", "query", "chain"}, {"app", "configure", "chain", "packets=5"}})
    EXPECT_THAT(attempt(words).first,
                HasSubstr("orbweaver app: the application has failed: node 'left' is lost"));
  EXPECT_THAT(application()["failure"].get<std::string>(), ::testing::Not(HasSubstr("again")));
  call({"app", "redeploy", "chain", "on"});
  EXPECT_TRUE(becomes("stopped", "executable_device:right"));
  call({"app", "redeploy", "chain", "off"});
  EXPECT_FALSE(application()["redeploy"]);
  kill_node(right);
  EXPECT_TRUE(becomes_failed("node 'right' is lost"));
  EXPECT_THAT(application()["failure"].get<std::string>(), ::testing::Not(HasSubstr("again")));
  release_application();
}

}  // namespace
}  // namespace orbweaver
