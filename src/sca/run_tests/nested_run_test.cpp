// Assemblies within assemblies (SCA 4.1), with and without a domain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/run_tests/run_process.h"

namespace {

using namespace orbweaver::sca::testing;
using ::testing::HasSubstr;

const std::string kNested = std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_nested.sad.xml";

/// The left instance sends `left` packets, and the right one 300, as its instantiation says.
void expect_whole_of_nested(const nlohmann::json& result, int left) {
  EXPECT_EQ(result["outcome"], "completed") << result["message"];
  EXPECT_EQ(result["components"].size(), 6u);
  ASSERT_EQ(result["hops"].size(), 4u);
  for (const auto& hop : result["hops"]) {
    const bool is_left = hop["from"].get<std::string>().starts_with("left:");
    EXPECT_EQ(hop["packets"], is_left ? left : 300) << hop["from"];
    EXPECT_EQ(hop["lost"], 0);
  }
  const auto process_of = [&](const char* id) { return find(result["components"], "id", id)["pid"]; };
  EXPECT_NE(process_of("left:source_1"), process_of("left:filter_1"));
  EXPECT_EQ(process_of("right:source_1"), process_of("right:filter_1"));
}

TEST(NestedRun, RunsEveryInstanceOfAnInnerAssembly) {
  RunProcess run({kNested});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole_of_nested(run.result(), 100);
  EXPECT_THAT(run.output, HasSubstr("right:filter_1.out"));
  run.expect_nothing_left();
}

TEST(NestedRun, RunsInADomain) {
  RunProcess run({kNested, "--domain", "--set", "left:source_1.packets=500"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole_of_nested(run.result(), 500);
  run.expect_nothing_left();
}

TEST(NestedRun, NamesTheComponentThatFails) {
  RunProcess run({kNested, "--set", "right:filter_1.trouble=throw"});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.result()["message"].get<std::string>(),
              HasSubstr("component right:filter_1 failed: the paper is torn"));
  run.expect_nothing_left();
}

}  // namespace
