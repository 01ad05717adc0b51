// The command `orbweaver check`: its exit status and what it prints.
#include "run_process.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using testing::fs::path;

/// What `orbweaver check` prints, and how it ended.
struct Checked {
  std::string output;
  std::string end;
};

Checked check(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "check");
  platform::ChildProcess child;
  EXPECT_EQ(child.spawn({ORBWEAVER_COMMAND, arguments, {}}), 0);
  Checked checked;
  for (bool at_end = false; !at_end;) {
    platform::Poller poller;
    poller.add(child.output());
    poller.wait(120'000);
    checked.output += platform::read_available(child.output(), at_end);
  }
  checked.end = platform::describe(child.reap());
  return checked;
}

std::string built(const std::string& file) { return (path(ORBWEAVER_RUN_TEST_FOLDER) / file).string(); }

TEST(CheckCommand, AcceptsWhatRunDeploys) {
  const Checked checked = check({built("run_test_chain.sad.xml"), built("run_test_factory.sad.xml")});
  EXPECT_EQ(checked.end, "exited with status 0");
  EXPECT_EQ(checked.output.find("mistake"), std::string::npos) << checked.output;
}

TEST(CheckCommand, PrintsAllMistakes) {
  const path folder = testing::fs::temp_directory_path() / ("orbweaver-check." + std::to_string(::getpid()));
  testing::fs::create_directories(folder);
  std::ofstream(folder / "a.prf.xml") << "<properties><simple id='a' typ='long'/><smple/></properties>";
  std::ofstream(folder / "b.prf.xml")
      << "<properties><simple id='1a' type='long'><value>x</value></simple></properties>";
  const Checked checked =
      check({(folder / "a.prf.xml").string(), (folder / "b.prf.xml").string(), (folder / "c.xml").string()});
  const Checked quiet = check({"--no-warnings", (folder / "b.prf.xml").string()});
  testing::fs::remove_all(folder);
  EXPECT_EQ(checked.end, "exited with status 1");
  EXPECT_THAT(checked.output, HasSubstr("a.prf.xml:1:13: <simple> has no attribute 'typ'"));
  EXPECT_THAT(checked.output, HasSubstr("a.prf.xml:1:40: <smple> is not allowed in <properties>"));
  EXPECT_THAT(checked.output, HasSubstr("b.prf.xml:1:13: warning: '1a' is not a name in XML"));
  EXPECT_THAT(checked.output, HasSubstr("c.xml: there is no such file"));
  EXPECT_THAT(checked.output, HasSubstr("orbweaver check: 7 mistakes\n"));
  EXPECT_EQ(quiet.output.find("warning"), std::string::npos) << quiet.output;
}

TEST(CheckCommand, RejectsAnInvalidCommandLine) {
  EXPECT_EQ(check({}).end, "exited with status 2");
  EXPECT_EQ(check({"--root", "/nowhere", built("run_test_chain.sad.xml")}).end, "exited with status 2");
}

}  // namespace
}  // namespace orbweaver::sca
