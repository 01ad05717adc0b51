// Programs that end without shutting their ORBs down: expected exit status and no output.
#include <gmock/gmock.h>
#include <csignal>

#include <filesystem>
#include <tuple>

#include "platform/process.h"

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
  const std::string how = std::get<0>(GetParam()), activity = std::get<1>(GetParam());
  std::vector<std::string> arguments = {how, activity};
  const auto& options = std::get<2>(GetParam()).second;
  arguments.insert(arguments.end(), options.begin(), options.end());
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

std::string name_of(const ::testing::TestParamInfo<ProcessExit::ParamType>& info) {
  return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) + "_" +
         std::get<2>(info.param).first;
}

const auto kThreads = ::testing::Values(kThreadModes[0]);
INSTANTIATE_TEST_SUITE_P(
    Ways, ProcessExit,
    ::testing::Combine(::testing::Values("return", "late", "exit", "servant", "exception", "signal"),
                       ::testing::Values("nothing", "calls", "waiting", "batches", "blocks"), kThreads),
    name_of);
// Without calls: in the mode `single`, no thread would serve them.
INSTANTIATE_TEST_SUITE_P(ThreadModes, ProcessExit,
                         ::testing::Combine(::testing::Values("return", "exit"), ::testing::Values("nothing"),
                                            ::testing::ValuesIn(kThreadModes)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(InAPool, ProcessExit,
                         ::testing::Combine(::testing::Values("return"),
                                            ::testing::Values("calls", "waiting"),
                                            ::testing::Values(kThreadModes[1])),
                         name_of);

}  // namespace
}  // namespace orbtest
