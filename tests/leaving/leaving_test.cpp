// However a program ends that has not shut its ORBs down: it ends as it meant to, and says nothing about it.
#include <gmock/gmock.h>
#include <csignal>

#include <filesystem>
#include <tuple>

#include "platform/process.h"

namespace orbtest {
namespace {

namespace platform = orbweaver::platform;

struct Left {
  platform::ProcessEnd end;
  std::string output;
};

Left run(const std::vector<std::string>& arguments) {
  const auto program = std::filesystem::path(platform::own_program()).parent_path() / "leaving-program";
  platform::ChildProcess process;
  Left left;
  if (process.spawn({program.string(), arguments, {}}) != 0) {
    left.output = "cannot be started";
    return left;
  }
  platform::Poller poller;
  for (bool at_end = false; !at_end;) {
    poller.clear();
    poller.add(process.output());
    if (!poller.wait(120'000)) {
      left.output += "(it did not end)";
      process.kill();
    }
    left.output += platform::read_available(process.output(), at_end);
  }
  left.end = process.reap();
  return left;
}

using Named = std::pair<const char*, std::vector<std::string>>;
const Named kWords[] = {
    {"Threads", {}},
    {"Pool", {"-ORBThreads", "pool:2"}},
    {"Single", {"-ORBThreads", "single"}},
    {"PlugIn", {"-ORBTransportPlugin", ORBWEAVER_TEST_PLUGINS "/libplugin-good.so"}},
};

class Leaving : public ::testing::TestWithParam<std::tuple<const char*, const char*, Named>> {};

TEST_P(Leaving, IsClean) {
  const std::string how = std::get<0>(GetParam()), doing = std::get<1>(GetParam());
  std::vector<std::string> arguments = {how, doing};
  const auto& options = std::get<2>(GetParam()).second;
  arguments.insert(arguments.end(), options.begin(), options.end());
  for (int i = 0; i < 5; ++i) {
    const Left left = run(arguments);
    if (how == "exception") {
      EXPECT_EQ(platform::describe(left.end), "killed by SIGABRT");
      EXPECT_EQ(left.output, "terminate called after throwing an instance of 'std::runtime_error'\n  what():  leaving\n");
    } else {
      EXPECT_EQ(platform::describe(left.end), how == "signal" ? "killed by SIGTERM" : "exited with status 0");
      EXPECT_EQ(left.output, "");
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Leaving::ParamType>& info) {
  return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) + "_" + std::get<2>(info.param).first;
}

const auto kThreads = ::testing::Values(kWords[0]);
INSTANTIATE_TEST_SUITE_P(By, Leaving,
                         ::testing::Combine(::testing::Values("return", "late", "exit", "servant", "exception", "signal"),
                                            ::testing::Values("nothing", "calls", "waiting", "batches", "blocks"),
                                            kThreads),
                         name_of);
// A thread of the program's own would have to serve in `single`: there are no calls to wait for.
INSTANTIATE_TEST_SUITE_P(InModes, Leaving,
                         ::testing::Combine(::testing::Values("return", "exit"), ::testing::Values("nothing"),
                                            ::testing::ValuesIn(kWords)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(InAPool, Leaving,
                         ::testing::Combine(::testing::Values("return"), ::testing::Values("calls", "waiting"),
                                            ::testing::Values(kWords[1])),
                         name_of);

}  // namespace
}  // namespace orbtest
