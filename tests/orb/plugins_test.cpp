#include <gmock/gmock.h>
#include <orbweaver/orb.h>

#include <vector>

#include "transport/plugins.h"

namespace orbweaver::transport {
namespace {

using ::testing::HasSubstr;

std::string library(const char* name) { return std::string(ORBWEAVER_TEST_PLUGINS "/libplugin-") + name + ".so"; }

std::string complaint(const std::string& path) {
  const auto loaded = load_plugin(path);
  if (loaded) return "";
  EXPECT_EQ(loaded.error().remedy, Remedy::mend);
  return loaded.error().message;
}

/// What ORB_init says to these options; empty: it takes them.
std::string orb_complaint(std::vector<std::string> options) {
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

TEST(Plugins, ATransportOfAPluginIsFoundByItsName) {
  ASSERT_EQ(complaint(library("good")), "");
  ASSERT_NE(find("borrowed"), nullptr);
  EXPECT_STREQ(find("borrowed")->name(), "borrowed");
  EXPECT_THAT(known_names(), HasSubstr("borrowed"));
}

TEST(Plugins, APluginMayBeNamedTwice) {
  EXPECT_EQ(complaint(library("good")), "");
  EXPECT_EQ(complaint(library("good")), "");
}

TEST(Plugins, OneBuiltForAnotherContractIsRefused) {
  EXPECT_THAT(complaint(library("old")), HasSubstr("built for version 0 of the transport contract"));
}

TEST(Plugins, ALibraryThatIsNoPluginIsRefused) {
  EXPECT_THAT(complaint("libm.so.6"), HasSubstr("is it a plug-in of Orbweaver?"));
}

TEST(Plugins, AFileThatIsNotThereIsNamed) {
  EXPECT_THAT(complaint("/nowhere/libnothing.so"), HasSubstr("transport plug-in /nowhere/libnothing.so: "));
}

TEST(Plugins, ATakenNameKeepsNothingOfThePlugin) {
  EXPECT_THAT(complaint(library("taken")), HasSubstr("there is a transport 'tcp' already"));
  EXPECT_EQ(find("novel"), nullptr);
}

TEST(Plugins, TheirNamesAreGoodInOptionsThatStandBeforeThem) {
  EXPECT_EQ(orb_complaint({"-ORBTransportPreference", "borrowed,tcp", "-ORBTransportPlugin", library("good")}), "");
}

TEST(Plugins, ATransportWithoutOptionsRefusesThem) {
  EXPECT_THAT(orb_complaint({"-ORBTransportOption", "tcp.colour=red"}), HasSubstr("tcp has no option 'colour'"));
  EXPECT_THAT(orb_complaint({"-ORBTransportOption", "tcp"}), HasSubstr("takes transport.key=value"));
}

}  // namespace
}  // namespace orbweaver::transport
