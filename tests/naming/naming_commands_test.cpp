// The commands of `orbweaver naming` for people.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "naming_process.h"

namespace naming_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kReference = "corbaloc::127.0.0.1:1/Tuner";

struct NamingCommands : ::testing::Test {
  std::string output(const Words& arguments, int status = 0) {
    const Ended ended = service.command(arguments);
    EXPECT_EQ(ended.status, status) << ended.output;
    return ended.output;
  }
  Folder folder;
  Service service{folder / "state"};
};

TEST_F(NamingCommands, BindResolveListAndUnbind) {
  EXPECT_EQ(output({"list"}), "");
  EXPECT_EQ(output({"bind", "--parents", "radios/left.tuner", kReference}), "");
  EXPECT_EQ(output({"new", "radios/empty"}), "");
  EXPECT_THAT(output({"resolve", "radios/left.tuner"}), StartsWith("IOR:"));
  EXPECT_EQ(output({"list"}), "radios/\n");
  EXPECT_EQ(output({"list", "radios"}), "radios/empty/\nradios/left.tuner\n");
  EXPECT_EQ(output({"list", "--recursive"}), "radios/\nradios/empty/\nradios/left.tuner\n");
  EXPECT_EQ(output({"unbind", "radios/left.tuner"}), "");
  EXPECT_EQ(output({"destroy", "radios/empty"}), "");
  EXPECT_EQ(output({"list", "-r"}), "radios/\n");
}

TEST_F(NamingCommands, PrintJson) {
  EXPECT_THAT(output({"bind", "--json", "a", kReference}), HasSubstr("\"result\": \"bound\""));
  EXPECT_EQ(output({"list", "--json"}), "[\n  {\n    \"name\": \"a\",\n    \"type\": \"object\"\n  }\n]\n");
  EXPECT_THAT(output({"resolve", "--json", "a"}), HasSubstr("\"reference\": \"IOR:"));
  EXPECT_THAT(output({"bind", "--json", "x\u202e", kReference}), HasSubstr("\"name\": \"x\\u202e\""));
  EXPECT_THAT(output({"list", "--json"}), HasSubstr("\"name\": \"x\\u202e\"")) << "no control of a terminal";
}

TEST_F(NamingCommands, BindContextsAndListCyclesOnce) {
  output({"new", "a"});
  output({"bind", "--context", "a/up", service.url()});
  EXPECT_THAT(output({"list", "-r"}), StartsWith("a/\na/up/\n"));
  output({"bind", "--context", "--replace", "a/up", service.url()});
  EXPECT_THAT(output({"bind", "--replace", "a/up", kReference}, 1), HasSubstr("is bound to a context"));
}

TEST_F(NamingCommands, SayWhatIsWrong) {
  output({"bind", "a", kReference});
  EXPECT_THAT(output({"resolve", "x/y"}, 1), HasSubstr("'x/y': 'x' is not bound"));
  EXPECT_THAT(output({"resolve", "a/y"}, 1), HasSubstr("'a/y': 'a' is not a context"));
  EXPECT_THAT(output({"bind", "a", kReference}, 1), HasSubstr("'a' is bound already; --replace"));
  EXPECT_THAT(output({"bind", "a..b", kReference}, 2), HasSubstr("'a..b' is not a name"));
  EXPECT_THAT(output({"bind", "b", "IOR:xyz"}, 2), HasSubstr("orbweaver naming: "));
  output({"bind", "-p", "c/d", kReference});
  EXPECT_THAT(output({"destroy", "c"}, 1), HasSubstr("the context 'c' is not empty"));
  service.kill();
  EXPECT_THAT(output({"list"}, 1), HasSubstr(service.url() + ": "));
}

}  // namespace
}  // namespace naming_test
