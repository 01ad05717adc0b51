// Programs that end without shutting their ORBs down: expected exit status and no output.
#include <gmock/gmock.h>
#include <csignal>

#include <filesystem>
#include <fstream>
#include <tuple>

#include "platform/process.h"
#ifdef ORBWEAVER_TEST_TLS
#include "tls/testing/authority.h"
#endif

namespace orbtest {
namespace {

namespace platform = orbweaver::platform;

struct ExitResult {
  platform::ExitStatus end;
  std::string output;
};

ExitResult run(const std::vector<std::string>& arguments) {
  const auto program = std::filesystem::path(platform::executable_path()).parent_path() / "exiting-program";
  platform::ChildProcess process;
  ExitResult result;
  if (process.spawn({program.string(), arguments, {}}) != 0) {
    result.output = "cannot be started";
    return result;
  }
  platform::Poller poller;
  for (bool at_end = false; !at_end;) {
    poller.clear();
    poller.add(process.output());
    if (!poller.wait(120'000)) {
      result.output += "(it did not end)";
      process.kill();
    }
    result.output += platform::read_available(process.output(), at_end);
  }
  result.end = process.reap();
  return result;
}

/// Runs the program five times, with these words after HOW.
void expect_clean_exits(const std::string& how, const std::vector<std::string>& words) {
  std::vector<std::string> arguments = {how};
  arguments.insert(arguments.end(), words.begin(), words.end());
  for (int i = 0; i < 5; ++i) {
    const ExitResult result = run(arguments);
    if (how == "exception") {
      EXPECT_EQ(platform::describe(result.end), "killed by SIGABRT");
      EXPECT_EQ(result.output,
                "terminate called after throwing an instance of 'std::runtime_error'\n  what():  leaving\n");
    } else {
      EXPECT_EQ(platform::describe(result.end),
                how == "signal" ? "killed by SIGTERM" : "exited with status 0");
      EXPECT_EQ(result.output, "");
    }
  }
}

const auto kWays = ::testing::Values("return", "late", "exit", "servant", "exception", "signal");

using Named = std::pair<const char*, std::vector<std::string>>;
const Named kThreadModes[] = {
    {"Threads", {}},
    {"Pool", {"-ORBThreads", "pool:2"}},
    {"Unordered", {"-ORBThreads", "unordered:2"}},
    {"Single", {"-ORBThreads", "single"}},
    {"PlugIn", {"-ORBTransportPlugin", ORBWEAVER_TEST_PLUGINS "/libplugin-valid.so"}},
};

class ProcessExit : public ::testing::TestWithParam<std::tuple<const char*, const char*, Named>> {};

TEST_P(ProcessExit, IsCleanWithoutShutdown) {
  const auto& [how, activity, threads] = GetParam();
  std::vector<std::string> words = {activity, "shm,unix,tcp,inproc"};
  words.insert(words.end(), threads.second.begin(), threads.second.end());
  expect_clean_exits(how, words);
}

std::string name_of(const ::testing::TestParamInfo<ProcessExit::ParamType>& info) {
  return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) + "_" +
         std::get<2>(info.param).first;
}

const auto kThreads = ::testing::Values(kThreadModes[0]);
INSTANTIATE_TEST_SUITE_P(Ways, ProcessExit,
                         ::testing::Combine(kWays,
                                            ::testing::Values("nothing", "calls", "waiting", "batches",
                                                              "blocks", "asynchronous"),
                                            kThreads),
                         name_of);
// Without calls: in the mode `single`, no thread would serve them.
INSTANTIATE_TEST_SUITE_P(ThreadModes, ProcessExit,
                         ::testing::Combine(::testing::Values("return", "exit"), ::testing::Values("nothing"),
                                            ::testing::ValuesIn(kThreadModes)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(InAPool, ProcessExit,
                         ::testing::Combine(::testing::Values("return"),
                                            ::testing::Values("calls", "waiting", "asynchronous"),
                                            ::testing::Values(kThreadModes[1])),
                         name_of);

/// Parameters: HOW and ACTIVITY. All calls are over one transport, which must be asked for.
class ProcessExitOver : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  void expect_clean(const std::string& transport, const std::vector<std::string>& options) {
    const auto& [how, activity] = GetParam();
    std::vector<std::string> words = {activity, transport, "-ORBListen", transport};
    words.insert(words.end(), options.begin(), options.end());
    expect_clean_exits(how, words);
  }
};
const auto kWaysAndCalls =
    ::testing::Combine(kWays, ::testing::Values("calls", "waiting", "batches", "asynchronous"));
const auto name_of_way = [](const ::testing::TestParamInfo<ProcessExitOver::ParamType>& info) {
  return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
};

class ProcessExitOverQueues : public ProcessExitOver {};

TEST_P(ProcessExitOverQueues, IsCleanWithoutShutdown) {
  if (!std::ifstream("/proc/sys/fs/mqueue/msg_max")) {
    GTEST_SKIP() << "this machine has no POSIX message queues";
  }
  expect_clean("mqueue", {});
}
INSTANTIATE_TEST_SUITE_P(Ways, ProcessExitOverQueues, kWaysAndCalls, name_of_way);

#ifdef ORBWEAVER_TEST_TLS
class ProcessExitOverTls : public ProcessExitOver {};

TEST_P(ProcessExitOverTls, IsCleanWithoutShutdown) {
  orbweaver::tls::testing::Authority authority("Our Authority");
  const auto files = authority.issue({"radio-7"});
  expect_clean("tls", {"-ORBTransportPlugin", "liborbweaver-tls.so", "-ORBTransportOption",
                       "tls.certificate=" + files.certificate, "-ORBTransportOption", "tls.key=" + files.key,
                       "-ORBTransportOption", "tls.ca=" + authority.ca()});
}
INSTANTIATE_TEST_SUITE_P(Ways, ProcessExitOverTls, kWaysAndCalls, name_of_way);
#endif

}  // namespace
}  // namespace orbtest
