#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "orbweaver_process.h"
#include "platform/testing/reserved_port.h"

namespace orbweaver {

/// Tests whose processes of `orbweaver` belong to a domain of their own: its naming service has a port that
/// no other test uses, and all of them a folder for their caches and states. Derived classes own the
/// processes that run meanwhile.
class DomainCommands : public ::testing::Test {
 protected:
  /// Starts `orbweaver` with these arguments, and waits until it has printed `until`.
  std::unique_ptr<Command> start(const std::vector<std::string>& arguments, const std::string& until) const {
    auto command = std::make_unique<Command>(arguments, environment_);
    command->until(until);
    return command;
  }
  /// The output of a command that calls the domain, and how it has ended.
  std::pair<std::string, std::string> attempt(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--naming", naming_});
    Command command(arguments, environment_);
    const std::string end = command.end();
    return {command.output, end};
  }
  /// The output of such a command, which succeeds.
  std::string call(std::vector<std::string> arguments) const {
    const auto [text, end] = attempt(std::move(arguments));
    EXPECT_EQ(end, "exited with status 0") << text;
    return text;
  }
  nlohmann::json tree() const { return nlohmann::json::parse(call({"domain", "tree", "--json"})); }

  const std::string port_ = platform::testing::reserve_port();
  const std::string naming_ = "corbaloc::127.0.0.1:" + port_ + "/NameService";

 private:
  const TemporaryFolder temporary_{"orbweaver-domain"};

 protected:
  const std::filesystem::path& folder_ = temporary_.path();
  /// In the environment of all processes, so that a test finds them (platform/testing/marked_processes.h).
  const std::string mark_ = "ORBWEAVER_DOMAIN_TEST=" + folder_.string();
  std::vector<std::string> environment_{mark_, "XDG_CACHE_HOME=" + folder_.string(),
                                        "XDG_STATE_HOME=" + folder_.string()};
};

}  // namespace orbweaver
