// Transport plug-ins: loading, registration, and rejection with a message.
#include <gmock/gmock.h>
#include <orbweaver/orb.h>

#include <vector>

#include "orb/options.h"
#include "transport/plugins.h"

namespace orbweaver::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string library(const char* name) {
  return std::string(ORBWEAVER_TEST_PLUGINS "/libplugin-") + name + ".so";
}

std::string load_error(const std::string& path) {
  const auto loaded = load_plugin(path);
  if (loaded) return "";
  EXPECT_EQ(loaded.error().kind, ErrorKind::invalid);
  return loaded.error().message;
}

/// The text of the BAD_PARAM that ORB_init raises for these options; empty: accepted.
std::string init_error(std::vector<std::string> options) {
  std::vector<char*> argv{const_cast<char*>("program")};
  for (std::string& option : options) argv.push_back(option.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  try {
    CORBA::ORB_init(argc, argv.data(), "plugins-" + options.back())->destroy();
  } catch (const CORBA::BAD_PARAM& e) {
    return e.what();
  }
  return "";
}

TEST(Plugins, RegisterTransportsByName) {
  ASSERT_EQ(load_error(library("valid")), "");
  ASSERT_NE(find("borrowed"), nullptr);
  EXPECT_STREQ(find("borrowed")->name(), "borrowed");
  EXPECT_THAT(known_names(), HasSubstr("borrowed"));
}

TEST(Plugins, MayBeLoadedTwice) {
  EXPECT_EQ(load_error(library("valid")), "");
  EXPECT_EQ(load_error(library("valid")), "");
}

TEST(Plugins, MayBeLoadedByTwoThreadsAtTheSameTime) {
  EXPECT_EQ(load_error(library("loaded_meanwhile")), "");
  EXPECT_NE(find("late"), nullptr);
}

/// In the ORB that loads the plug-in, too.
TEST(Plugins, ListenByDefaultIfTheirTransportSaysSo) {
  std::string option = "-ORBTransportPlugin", path = library("listening_by_default"), program = "program";
  char* argv[] = {program.data(), option.data(), path.data(), nullptr};
  int argc = 3;
  const auto options = orb::parse_options(argc, argv);
  ASSERT_TRUE(options) << options.error().message;
  std::vector<std::string> transports;
  for (const auto& endpoint : options->listen) transports.push_back(endpoint.transport);
  EXPECT_THAT(transports, ElementsAre("inproc", "shm", "unix", "listening"));
}

TEST(Plugins, AreRejectedWithAnotherContractNumber) {
  EXPECT_THAT(load_error(library("wrong_contract")),
              HasSubstr("built for version 0 of the transport contract"));
}

TEST(Plugins, AreRejectedWithoutThePluginSymbol) {
  EXPECT_THAT(load_error("libm.so.6"), HasSubstr("not an Orbweaver transport plug-in"));
}

TEST(Plugins, ReportAMissingFile) {
  EXPECT_THAT(load_error("/nowhere/libnothing.so"), HasSubstr("transport plug-in /nowhere/libnothing.so: "));
}

TEST(Plugins, RegisterNothingWhenANameIsTaken) {
  EXPECT_THAT(load_error(library("duplicate_name")), HasSubstr("there is a transport 'tcp' already"));
  EXPECT_EQ(find("novel"), nullptr);
}

TEST(Plugins, AreLoadedBeforeOtherOptionsAreRead) {
  EXPECT_EQ(init_error({"-ORBTransportPreference", "borrowed,tcp", "-ORBTransportPlugin", library("valid")}),
            "");
}

TEST(Plugins, RejectUnknownTransportOptions) {
  EXPECT_THAT(init_error({"-ORBTransportOption", "tcp.colour=red"}), HasSubstr("tcp has no option 'colour'"));
  EXPECT_THAT(init_error({"-ORBTransportOption", "tcp"}), HasSubstr("takes transport.key=value"));
}

}  // namespace
}  // namespace orbweaver::transport
