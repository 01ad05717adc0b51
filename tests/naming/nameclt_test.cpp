// omniORB's naming client with our service: over its URL with the key NameService, and corbaname.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "naming_process.h"

namespace naming_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Nameclt : ::testing::Test {
  Ended nameclt(const Words& arguments, const std::string& version = {}) {
    Words all{"-ORBInitRef", "NameService=" + service.url(version)};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run(ORBWEAVER_NAMECLT, all);
  }
  std::string output(const Words& arguments, const std::string& version = {}) {
    const Ended ended = nameclt(arguments, version);
    EXPECT_EQ(ended.status, 0) << ended.output;
    return ended.output;
  }
  Folder folder;
  Service service{folder / "state"};
};

TEST_F(Nameclt, BindsListsAndResolves) {
  output({"bind_new_context", "radios"});
  output({"bind", "radios/left.tuner", service.url()});
  output({"-advanced", "rebind", "radios/left.tuner", service.url()});
  EXPECT_THAT(output({"list"}), HasSubstr("radios/"));
  EXPECT_THAT(output({"list", "radios"}), HasSubstr("left.tuner"));
  EXPECT_THAT(output({"resolve", "radios/left.tuner"}), StartsWith("IOR:"));
  output({"unbind", "radios/left.tuner"});
  EXPECT_NE(nameclt({"resolve", "radios/left.tuner"}).status, 0);
  output({"remove_context", "radios"});
  EXPECT_EQ(service.command({"list"}).output, "");
}

TEST_F(Nameclt, CallsEachVersionOfGiop) {
  for (const char* version : {"1.0", "1.1", "1.2"}) {
    output({"bind", std::string("v") + version[2], service.url()}, version);
    EXPECT_THAT(output({"list"}, version), HasSubstr(std::string("v") + version[2]));
  }
}

TEST_F(Nameclt, ListsMoreThanOneReplyHas) {
  ASSERT_EQ(service.command({"new", "many"}).status, 0);
  for (int i = 100; i < 112; ++i)
    ASSERT_EQ(service.command({"bind", "many/n" + std::to_string(i), service.url()}).status, 0);
  const std::string list = output({"list", "many"});
  for (int i = 100; i < 112; ++i) EXPECT_THAT(list, HasSubstr("n" + std::to_string(i)));
}

}  // namespace
}  // namespace naming_test
