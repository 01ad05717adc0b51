#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "platform/process.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/marked_processes.h"
#include "sca/node/testing/fake_domain.h"

namespace orbweaver::sca::testing {

/// An `orbweaver node`. A mark in the environment identifies its processes.
class NodeProcess {
 public:
  explicit NodeProcess(FakeDomain& domain, std::vector<std::string> arguments = {"--name", "left"}) {
    static int count = 0;
    mark_ = "ORBWEAVER_NODE_TEST=" + std::to_string(getpid()) + "." + std::to_string(++count);
    arguments.insert(arguments.begin(), "node");
    arguments.insert(arguments.end(), {"--naming", domain.naming()});
    EXPECT_EQ(
        child_.spawn({ORBWEAVER_COMMAND, arguments, {mark_, "XDG_CACHE_HOME=" + cache_.path().string()}}), 0);
  }
  ~NodeProcess() {
    child_.kill();
    child_.reap();
    EXPECT_TRUE(nothing_runs());
  }

  /// Waits until the node has printed `text`, or has ended.
  void until(const std::string& text) {
    read_while([&] { return output.find(text) == std::string::npos; });
    EXPECT_THAT(output, ::testing::HasSubstr(text));
  }
  void until_its_end() {
    read_while([] { return true; });
  }
  void signal(int number) { child_.signal(number); }
  std::string end() { return platform::describe(child_.reap()); }
  /// Waits until this number of its processes runs. A process has no environment while it is being started.
  bool runs(std::size_t count) const {
    return platform::testing::becomes_true([&] { return processes() == count; });
  }
  bool nothing_runs() const { return runs(0); }
  std::size_t processes() const { return platform::testing::marked_processes(mark_).size(); }

  std::string output;

 private:
  /// Reads while the condition holds, at most to the end of the output.
  void read_while(const std::function<bool()>& condition) {
    for (bool at_end = false; !at_end && condition();) {
      platform::Poller poller;
      poller.add(child_.output());
      ASSERT_TRUE(poller.wait(120'000)) << output;
      output += platform::read_available(child_.output(), at_end);
    }
  }

  std::string mark_;
  TemporaryFolder cache_;
  platform::ChildProcess child_;
};

/// Waits until a node with one device has registered.
inline bool joins(FakeDomain& domain) {
  return platform::testing::becomes_true([&] { return domain.manager->devices().size() == 1; });
}

/// The installed profiles, which a test may change.
struct NodeProfiles {
  NodeProfiles() {
    for (const auto& file : std::filesystem::directory_iterator(ORBWEAVER_NODE_PROFILES))
      std::filesystem::copy(file.path(), folder.path(file.path().filename()));
  }
  void replace(const std::string& file, const std::string& before, const std::string& after) {
    std::string text = folder.content(file);
    const auto at = text.find(before);
    ASSERT_NE(at, std::string::npos) << before;
    folder.write(file, text.replace(at, before.size(), after));
  }
  TemporaryFolder folder;
};

}  // namespace orbweaver::sca::testing
