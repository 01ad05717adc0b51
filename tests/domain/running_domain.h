#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "orbweaver_process.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/reserved_port.h"

namespace orbweaver {

/// A domain with a node of this machine, and the application run_test_chain. A mark in the environment
/// identifies all processes.
class DomainRun : public ::testing::Test {
 protected:
  DomainRun() {
    std::string name = std::filesystem::temp_directory_path() / "orbweaver-domain-XXXXXX";
    folder_ = mkdtemp(name.data());
    environment_ = {"ORBWEAVER_DOMAIN_TEST=" + folder_.string(), "XDG_CACHE_HOME=" + folder_.string(),
                    "XDG_STATE_HOME=" + folder_.string(),
                    "ORBWEAVER_RUN_TEST_RUNNING=" + (folder_ / "running").string()};
  }
  ~DomainRun() override {
    node.reset();
    domain.reset();
    EXPECT_TRUE(platform::testing::becomes_true([&] { return processes() == 0; }));
    std::filesystem::remove_all(folder_);
  }

  void start_domain() {
    domain = std::make_unique<Command>(
        std::vector<std::string>{"domain", "--root", ORBWEAVER_RUN_TEST_FOLDER, "--port", port_},
        environment_);
    domain->until("serving domain");
  }
  void start_node(const std::string& domain_manager = "orbweaver/orbweaver") {
    node = std::make_unique<Command>(
        std::vector<std::string>{"node", "--name", "left", "--naming", naming_, "--domain", domain_manager},
        environment_);
    node->until("all its devices and services are registered");
  }
  /// The output of a command of `orbweaver app`, `domain` or `node`, which succeeds.
  std::string call(std::vector<std::string> arguments) {
    const auto [text, end] = attempt(std::move(arguments));
    EXPECT_EQ(end, "exited with status 0") << text;
    return text;
  }
  /// Output of a command, and how it has ended.
  std::pair<std::string, std::string> attempt(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--naming", naming_});
    Command command(arguments, environment_);
    const std::string end = command.end();
    return {command.output, end};
  }
  nlohmann::json tree() { return nlohmann::json::parse(call({"domain", "tree", "--json"})); }
  nlohmann::json application() {
    const auto all = tree()["applications"];
    return all.size() == 1 ? all[0] : nlohmann::json::object({{"state", ""}});
  }
  void create_application(const std::string& name = "chain") {
    call({"app", "install", "/run_test_" + name + ".sad.xml"});
    call({"app", "create", tree()["installed"][0]["id"], "--as", name});
  }
  /// Number of processes of this test, or of those whose program is `program`.
  std::size_t processes(const std::string& program = {}) const { return pids(program).size(); }
  /// The processes of this test; those whose program is `program`, and whose first argument is `argument`.
  std::vector<int> pids(const std::string& program = {}, const std::string& argument = {}) const {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::error_code ignored;
      const std::filesystem::path executable = std::filesystem::read_symlink(entry.path() / "exe", ignored);
      if (!program.empty() && executable.filename() != program) continue;
      if (read(entry.path() / "environ").find(environment_.front()) == std::string::npos) continue;
      const std::string line = read(entry.path() / "cmdline");
      const std::size_t end = line.find('\0');
      if (!argument.empty() && (end == std::string::npos || line.c_str() + end + 1 != argument)) continue;
      found.push_back(std::stoi(name));
    }
    return found;
  }

  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string port_ = platform::testing::reserve_port();
  const std::string naming_ = "corbaloc::127.0.0.1:" + port_ + "/NameService";
  std::filesystem::path folder_;
  std::vector<std::string> environment_;
  std::unique_ptr<Command> domain, node;
};

}  // namespace orbweaver
