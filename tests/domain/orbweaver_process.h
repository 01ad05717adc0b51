// `orbweaver` as a process.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/process.h"

namespace orbweaver {

/// A process of `orbweaver`, killed at the end of the test.
class Command {
 public:
  Command(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
    EXPECT_EQ(child_.spawn({ORBWEAVER_COMMAND, arguments, environment}), 0);
  }
  ~Command() {
    child_.kill();
    child_.reap();
  }

  /// Reads the output until it contains `text`, or to its end.
  void until(const std::string& text) {
    for (bool at_end = false; !at_end && output.find(text) == std::string::npos;) {
      platform::Poller poller;
      poller.add(child_.output());
      ASSERT_TRUE(poller.wait(120'000)) << "no '" << text << "' in:\n" << output;
      output += platform::read_available(child_.output(), at_end);
    }
  }
  /// Reads the output to its end; returns how the process has ended.
  std::string end() {
    until("\x01");
    return platform::describe(child_.reap());
  }
  void signal(int number) { child_.signal(number); }
  int pid() const { return child_.pid(); }

  std::string output;

 private:
  platform::ChildProcess child_;
};

}  // namespace orbweaver
