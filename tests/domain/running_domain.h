#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "domain_commands.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/marked_processes.h"
#include "platform/testing/read_file.h"

namespace orbweaver {

/// A domain with a node of this machine, and the application run_test_chain.
class DomainRun : public DomainCommands {
 protected:
  DomainRun() { environment_.push_back("ORBWEAVER_RUN_TEST_RUNNING=" + (folder_ / "running").string()); }
  ~DomainRun() override {
    node.reset();
    domain.reset();
    EXPECT_TRUE(platform::testing::becomes_true([&] { return processes() == 0; }));
  }

  void start_domain(const std::vector<std::string>& options = {}) {
    std::vector<std::string> words{"domain", "--root", ORBWEAVER_RUN_TEST_FOLDER, "--port", port_};
    words.insert(words.end(), options.begin(), options.end());
    domain = start(words, "serving domain");
  }
  void start_node(const std::string& domain_manager = "orbweaver/orbweaver") {
    node = started_node("left", domain_manager);
  }
  /// A node with the device executable_device:NAME, which has registered.
  std::unique_ptr<Command> started_node(const std::string& name,
                                        const std::string& domain_manager = "orbweaver/orbweaver") const {
    return start({"node", "--name", name, "--naming", naming_, "--domain", domain_manager},
                 "all its devices and services are registered");
  }
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
    std::vector<int> found = platform::testing::marked_processes(mark_, program);
    std::erase_if(found, [&](int pid) {
      const std::string line = platform::testing::read_file("/proc/" + std::to_string(pid) + "/cmdline");
      const std::size_t end = line.find('\0');
      return !argument.empty() && (end == std::string::npos || line.c_str() + end + 1 != argument);
    });
    return found;
  }

  std::unique_ptr<Command> domain, node;
};

}  // namespace orbweaver
