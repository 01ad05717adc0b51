// Our naming commands with omniNames, omniORB's naming service, and names through both services.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "naming_process.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/reserved_port.h"

namespace naming_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct OmniNames : ::testing::Test {
  OmniNames() : port(orbweaver::platform::testing::reserve_port()) {
    std::filesystem::create_directory(folder / "omni");
    if (server.spawn(
            {ORBWEAVER_OMNINAMES,
             {"-start", port, "-datadir", folder / "omni", "-ORBendPoint", "giop:tcp:127.0.0.1:" + port},
             {}}) != 0)
      throw std::runtime_error("omniNames cannot be started");
    EXPECT_TRUE(orbweaver::platform::testing::becomes_true([&] {
      return naming({"list", "--service", url()}).status == 0;
    }));
  }
  std::string url() const { return "corbaloc::127.0.0.1:" + port + "/NameService"; }
  std::string output(Words arguments) {
    arguments.insert(arguments.end(), {"--service", url()});
    const Ended ended = naming(std::move(arguments));
    EXPECT_EQ(ended.status, 0) << ended.output;
    return ended.output;
  }

  Folder folder;
  const std::string port;
  orbweaver::platform::ChildProcess server;
};

TEST_F(OmniNames, ServesOurCommands) {
  output({"bind", "--parents", "radios/left.tuner", "corbaloc::127.0.0.1:1/Tuner"});
  EXPECT_THAT(output({"resolve", "radios/left.tuner"}), StartsWith("IOR:"));
  EXPECT_EQ(output({"list", "-r"}), "radios/\nradios/left.tuner\n");
  output({"unbind", "radios/left.tuner"});
  output({"destroy", "radios"});
  EXPECT_EQ(output({"list"}), "");
}

TEST_F(OmniNames, IsAContextOfOurs) {
  Service ours(folder / "state");
  ASSERT_EQ(ours.command({"bind", "--context", "omni", url()}).status, 0);
  ASSERT_EQ(ours.command({"bind", "-p", "omni/a/b", ours.url()}).status, 0);
  EXPECT_EQ(output({"list", "-r"}), "a/\na/b\n");
  EXPECT_THAT(ours.command({"resolve", "omni/a/b"}).output, StartsWith("IOR:"));
  EXPECT_THAT(ours.command({"resolve", "omni/x/y"}).output, HasSubstr("'x' is not bound"));
  output({"bind", "--context", "ours", ours.url()});
  EXPECT_THAT(output({"resolve", "ours/omni/a/b"}), StartsWith("IOR:"));
}

}  // namespace
}  // namespace naming_test
