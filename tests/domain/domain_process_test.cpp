// What `orbweaver domain` says about bad input, and about states that it cannot use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "../naming/naming_process.h"

namespace naming_test {
namespace {

namespace platform = orbweaver::platform;
using ::testing::HasSubstr;

Ended domain(Words arguments) {
  arguments.insert(arguments.begin(), "domain");
  return run(ORBWEAVER_COMMAND, arguments);
}

void expect_rejected(const Words& arguments, int status, const std::string& message) {
  const Ended ended = domain(arguments);
  EXPECT_EQ(ended.status, status) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(message));
}

TEST(DomainProcess, RejectsInvalidOptions) {
  expect_rejected({"--root", "/no/such/folder", "--transient"}, 2, "--root /no/such/folder: is not a folder");
  expect_rejected({"--name", "a/b", "--transient"}, 2, "--name 'a/b' cannot be the name of a domain");
  expect_rejected({"--orb", "x", "--transient"}, 2, "--orb takes OPTION=VALUE");
  expect_rejected({"--profile", "/none.dmd.xml", "--transient"}, 2, "none.dmd.xml");
  expect_rejected({"--naming", "corbaloc::127.0.0.1:1/NameService", "--transient", "--port", "0"}, 1,
                  "cannot be called");
}

TEST(NodeProcess, RejectsAMalformedNamingService) {
  const Ended ended = run(ORBWEAVER_COMMAND, {"node", "--naming", "radio.example:2809"});
  EXPECT_EQ(ended.status, 2) << ended.output;
  EXPECT_THAT(ended.output,
              HasSubstr("orbweaver node: --naming radio.example:2809: 'radio.example:2809' is not an object "
                        "reference"));
}

#if ORBWEAVER_HAS_ETCD
TEST(DomainProcess, RejectsAnEtcdThatItCannotUse) {
  expect_rejected({"--port", "0", "--state", "etcd://a:b"}, 2, "--state 'etcd://a:b': 'a:b' is no server");
  expect_rejected({"--port", "0", "--state", "etcd://127.0.0.1:1"}, 1,
                  "etcd at 127.0.0.1:1: cannot be connected to; start it, or correct the address of --state");
  expect_rejected({"--transient", "--etcd-ca", "x"}, 2, "need --state etcd://");
  expect_rejected({"--state", "etcd://a", "--etcd-ca", "x"}, 2, "need --state etcds://");
  expect_rejected({"--state", "etcds://a", "--etcd-ca", "/no/such"}, 2, "--etcd-ca /no/such: cannot be read");
  expect_rejected({"--state", "etcd://a", "--etcd-user", "u", "--etcd-password-file", "/no/such"}, 2,
                  "--etcd-password-file /no/such: cannot be read");
}
#endif

TEST(DomainProcess, RejectsAFileThatIsNotItsState) {
  const Folder folder;
  std::ofstream(folder / "text") << std::string(5'000, 'x');
  const Ended ended = domain({"--port", "0", "--state", folder / "text"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output, HasSubstr("/text: is not a state file"));
  EXPECT_EQ(std::count(ended.output.begin(), ended.output.end(), '\n'), 1) << ended.output;
}

/// The state of a domain that has ended.
std::string make_state(const Folder& folder) {
  const std::string state = folder / "state.sqlite";
  platform::ChildProcess process;
  EXPECT_EQ(process.spawn({ORBWEAVER_COMMAND, {"domain", "--port", "0", "--state", state}, {}}), 0);
  std::string output;
  for (bool at_end = false; !at_end && output.find("serving domain") == std::string::npos;) {
    platform::Poller poller;
    poller.add(process.output());
    if (!poller.wait(120'000)) break;
    output += platform::read_available(process.output(), at_end);
  }
  EXPECT_THAT(output, HasSubstr("serving domain"));
  process.signal(SIGTERM);
  process.reap();
  return state;
}

void expect_rejected_state(const std::string& state, const std::string& message) {
  const Ended ended = domain({"--port", "0", "--state", state});
  EXPECT_EQ(ended.status, 2) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(message));
  EXPECT_EQ(std::count(ended.output.begin(), ended.output.end(), '\n'), 1) << ended.output;
}

TEST(DomainProcess, RejectsAStateThatIsCutInTheMiddle) {
  const Folder folder;
  const std::string state = make_state(folder);
  std::filesystem::resize_file(state, std::filesystem::file_size(state) / 2);
  expect_rejected_state(state, "state.sqlite: ");
}

TEST(DomainProcess, RejectsAStateOfALaterVersion) {
  const Folder folder;
  const std::string state = make_state(folder);
  constexpr int kUserVersion = 60;  // in the header of a database of SQLite, big-endian
  std::fstream(state, std::ios::binary | std::ios::in | std::ios::out).seekp(kUserVersion)
      << std::string("\0\0\0\x63", 4);
  expect_rejected_state(state, "has version 99 of the state of a domain");
}

}  // namespace
}  // namespace naming_test
