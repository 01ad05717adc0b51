// A component of Orbweaver deployed by a core framework on omniORB (omniorb/core_framework.cpp): its program
// is started by hand with the exec params of the standard.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "platform/process.h"
#include "platform/testing/reserved_port.h"
#include "server.h"

namespace interop {
namespace {

using orbweaver::platform::ChildProcess;
using orbweaver::platform::describe;
using namespace std::chrono_literals;

/// A running program and its output.
class Program {
 public:
  Program(const std::string& program, const std::vector<std::string>& arguments) {
    orbweaver::platform::SpawnRequest request;
    request.program = program;
    request.arguments = arguments;
    if (child_.spawn(request) != 0) throw std::runtime_error("cannot start " + program);
  }
  /// Waits for the first line of the output, and removes it.
  std::string line() {
    while (output_.find('\n') == std::string::npos && read_some()) {
    }
    const std::string line = output_.substr(0, output_.find('\n'));
    output_.erase(0, line.size() + 1);
    return line;
  }
  /// Waits for the end of the program; returns its output.
  std::string rest() {
    while (read_some()) {
    }
    if (std::chrono::steady_clock::now() >= deadline_) child_.kill();
    return output_;
  }
  std::string end() { return describe(child_.reap()); }

 private:
  bool read_some() {
    bool at_end = false;
    orbweaver::platform::Poller poller;
    poller.add(child_.output());
    poller.wait(1000);
    output_ += orbweaver::platform::read_available(child_.output(), at_end);
    return !at_end && std::chrono::steady_clock::now() < deadline_;
  }

  ChildProcess child_;
  std::string output_;
  const std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + 300s;
};

/// Starts the component Scale with a naming context of the framework, or with that of the service.
void expect_deployment(const std::vector<std::string>& service) {
  std::vector<std::string> arguments{"Scale"};
  arguments.insert(arguments.end(), service.begin(), service.end());
  Program framework(sibling_program("interop-omniorb-core-framework"), arguments);
  const std::string naming = framework.line();
  ASSERT_EQ(naming.substr(0, 4), "IOR:");
  Program component(ORBWEAVER_SCALE, {"NAMING_CONTEXT_IOR", naming, "NAME_BINDING", "Scale",
                                      "COMPONENT_IDENTIFIER", "DCE:scale:1", "label", "by hand"});
  EXPECT_EQ(framework.rest(),
            "identifier: DCE:scale:1\n"
            "query: factor, label\n"
            "factor: 3\n"
            "UnknownProperties: volume\n"
            "InvalidConfiguration: volume\n"
            "UnknownTest\n"
            "UnknownPort\n"
            "InvalidPort: a resource\n"
            "InvalidPort: no such connection\n"
            "received: 0: 0 3; 1: 30 33; 2: 60 63; 3: end; \n"
            "released\n");
  EXPECT_EQ(framework.end(), "exited with status 0");
  EXPECT_EQ(component.rest(), "");
  EXPECT_EQ(component.end(), "exited with status 0");
}

TEST(ForeignCoreFramework, DeploysAComponentByTheStandardsInterfaces) { expect_deployment({}); }

TEST(ForeignCoreFramework, DeploysAComponentByOmniNames) {
  if (*ORBWEAVER_OMNINAMES == '\0') GTEST_SKIP() << "omniNames is not installed (omniorb-nameserver)";
  const std::string port = orbweaver::platform::testing::reserve_port();
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("orbweaver-omninames." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  {
    Program service(ORBWEAVER_OMNINAMES, {"-start", port, "-datadir", folder.string(), "-ORBendPoint",
                                          "giop:tcp:127.0.0.1:" + port});
    expect_deployment({"corbaloc::127.0.0.1:" + port + "/NameService"});
  }
  std::filesystem::remove_all(folder);
}

TEST(ForeignCoreFramework, ExchangesPacketsByPortsOfOssie) {
  Program framework(sibling_program("interop-omniorb-core-framework"), {"Iq"});
  const std::string naming = framework.line();
  ASSERT_EQ(naming.substr(0, 4), "IOR:");
  Program component(ORBWEAVER_IQ,
                    {"NAMING_CONTEXT_IOR", naming, "NAME_BINDING", "Iq", "COMPONENT_IDENTIFIER", "DCE:iq:1"});
  EXPECT_EQ(framework.rest(),
            "identifier: DCE:iq:1\n"
            "BAD_PARAM: I and Q\n"
            "received: 0,-10 10,-20 ; 20,-30 30,-40 ; 40,-50 50,-60 ; \n"
            "received: 0,-10 10,-20 ; 20,-30 30,-40 ; 40,-50 50,-60 ; \n"
            "released\n");
  EXPECT_EQ(framework.end(), "exited with status 0");
  EXPECT_EQ(component.rest(), "");
  EXPECT_EQ(component.end(), "exited with status 0");
}

TEST(ForeignCoreFramework, GetsAMessageForAMissingNamingContext) {
  const ProgramResult result = run_program(ORBWEAVER_SCALE, {"NAMING_CONTEXT_IOR", "IOR:00", "NAME_BINDING",
                                                             "Scale", "COMPONENT_IDENTIFIER", "1"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.output.find("NAMING_CONTEXT_IOR"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace interop
