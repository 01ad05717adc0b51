// `orbweaver event follow` and `orbweaver log follow` with a domain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "domain_commands.h"

namespace orbweaver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAssembly = "/run_test_chain.sad.xml";

/// A domain without nodes.
class Follow : public DomainCommands {
 protected:
  Follow() {
    domain = start({"domain", "--root", ORBWEAVER_RUN_TEST_FOLDER, "--port", port_, "--transient"},
                   "serving domain");
  }

  /// A command that calls the domain, and has been started.
  std::unique_ptr<Command> started(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--naming", naming_});
    return std::make_unique<Command>(arguments, environment_);
  }
  void install() const { call({"app", "install", kAssembly}); }
  /// The first line of the output that begins with "{".
  static json first_object(const std::string& output) {
    const std::size_t begin = output.find("\n{") + 1;
    return json::parse(output.substr(begin, output.find('\n', begin) - begin));
  }

  std::unique_ptr<Command> domain;
};

TEST_F(Follow, PrintsEventsUntilItIsEnded) {
  const auto follow = started({"event", "follow"});
  follow->until("waiting for events of the domain 'orbweaver' on IDM_Channel, ODM_Channel\n");
  install();
  follow->until("has been added\n");
  EXPECT_THAT(follow->output, HasSubstr("Z ODM_Channel: installed application '"));
  follow->signal(SIGTERM);
  EXPECT_EQ(follow->end(), "exited with status 0");
}

TEST_F(Follow, PrintsEventsAsJson) {
  const auto follow = started({"event", "follow", "ODM_Channel", "--json"});
  follow->until("on ODM_Channel\n");
  install();
  follow->until("}\n");
  const json event = first_object(follow->output);
  EXPECT_EQ(event["channel"], "ODM_Channel");
  EXPECT_EQ(event["type"], "IDL:StandardEvent/DomainManagementObjectAddedEventType:1.0");
  EXPECT_EQ(event["event"]["source_category"], "APPLICATION_FACTORY");
  EXPECT_EQ(event["event"]["producer_id"], "orbweaver");
}

TEST_F(Follow, EndsWithTheDomain) {
  const auto killed = started({"event", "follow"});
  killed->until("waiting for");
  const auto log = started({"log", "follow"});
  log->until("waiting for");
  domain->signal(SIGKILL);
  domain->end();
  EXPECT_EQ(killed->end(), "exited with status 1");
  EXPECT_THAT(killed->output, HasSubstr("of the domain 'orbweaver' does not answer any more (CORBA::"));
  EXPECT_EQ(log->end(), "exited with status 1");
  EXPECT_THAT(log->output,
              HasSubstr("the log 'Log' of the domain 'orbweaver' does not answer any more (CORBA::"));
}

TEST_F(Follow, PrintsTheLastRecordsOfTheLogAndThoseThatFollow) {
  install();
  const auto follow = started({"log", "follow", "--lines", "1"});
  follow->until("ADMINISTRATIVE_EVENT domain manager: ");
  const std::size_t first = follow->output.size();
  call({"app", "uninstall", "chain"});
  follow->until("uninstalled");
  EXPECT_GT(follow->output.size(), first);
  follow->signal(SIGTERM);
  EXPECT_EQ(follow->end(), "exited with status 0");
}

TEST_F(Follow, RejectsANegativeNumberOfRecords) {
  const auto follow = started({"log", "follow", "--lines", "-5"});
  EXPECT_EQ(follow->end(), "exited with status 2");
  EXPECT_THAT(follow->output, HasSubstr("--lines: Value -5 not in range 0 to"));
}

TEST_F(Follow, PrintsTheLogAsJson) {
  install();
  const auto follow = started({"log", "follow", "--json", "-n", "100"});
  follow->until("}\n");
  const json record = first_object(follow->output);
  EXPECT_EQ(record["id"], 1);
  EXPECT_EQ(record["level_name"], "ADMINISTRATIVE_EVENT");
  EXPECT_EQ(record["producer_id"], "orbweaver");
}

TEST_F(Follow, NamesAnUnknownChannelOrLog) {
  const auto event = started({"event", "follow", "nothing"});
  EXPECT_EQ(event->end(), "exited with status 1");
  EXPECT_THAT(event->output, HasSubstr("the domain 'orbweaver' has no event channel 'nothing'"));
  const auto wrong = started({"event", "follow", "Log"});
  EXPECT_EQ(wrong->end(), "exited with status 1");
  EXPECT_THAT(wrong->output, HasSubstr("has no event channel 'Log'"));
  const auto log = started({"log", "follow", "\x1b[31m"});
  EXPECT_EQ(log->end(), "exited with status 1");
  EXPECT_THAT(log->output, HasSubstr("has no log '\\x1b[31m'"));
  EXPECT_THAT(log->output, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace orbweaver
