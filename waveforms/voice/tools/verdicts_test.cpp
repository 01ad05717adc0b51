#include "tools/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/testing.h"

namespace orbweaver::voice::testing {
namespace {

using ::testing::HasSubstr;

const std::vector<std::int16_t> kSpeech{1, 2, 3, 4};

RunResult good_run() { return parse_run_result(kResult, "result.json"); }

std::vector<bool> holds(const RunResult& run,
                        const Audio& audio = {kSpeech, kSpeech, kSpeech, std::nullopt}) {
  std::vector<bool> holds;
  for (const Verdict& verdict : judge(run, audio)) holds.push_back(verdict.holds);
  return holds;
}

TEST(Verdicts, HoldForAGoodRun) {
  EXPECT_THAT(holds(good_run()), ::testing::ElementsAre(true, true, true, true));
}

TEST(Verdicts, FailForAnIncompleteRun) {
  RunResult run = good_run();
  run.outcome = "interrupted";
  EXPECT_FALSE(holds(run)[0]);
  run = good_run();
  run.hops[0].end_of_stream = false;
  EXPECT_FALSE(holds(run)[0]);
}

TEST(Verdicts, FailOnALostOrReorderedPacket) {
  RunResult run = good_run();
  run.hops[0].lost = 1;
  EXPECT_FALSE(holds(run)[1]);
  run = good_run();
  run.hops[0].reordered = 1;
  EXPECT_FALSE(holds(run)[1]);
}

TEST(Verdicts, FailWithoutPackets) {
  RunResult run = good_run();
  run.hops.clear();
  EXPECT_FALSE(holds(run)[0]);
  EXPECT_FALSE(holds(run)[1]);
}

TEST(Verdicts, RequireCorrectedErrors) {
  for (const auto& [name, value] : {std::pair<const char*, double>{"channel_bit_errors", 0},
                                    {"frames_bad", 1},
                                    {"frames_lost", 1},
                                    {"frames_good", 0}}) {
    RunResult run = good_run();
    run.components[1].stats[name] = value;
    EXPECT_FALSE(holds(run)[2]) << name;
  }
  RunResult run = good_run();
  run.components[1].stats.clear();
  EXPECT_FALSE(holds(run)[2]) << "no counters";
}

TEST(Verdicts, NameTheFirstDifferingSample) {
  const std::vector<std::int16_t> wrong{1, 2, 9, 4};
  const Verdict verdict = judge(good_run(), {kSpeech, wrong, kSpeech, std::nullopt})[3];
  EXPECT_FALSE(verdict.holds);
  EXPECT_THAT(verdict.evidence, HasSubstr("1 differ"));
}

TEST(Verdicts, FailForAShorterRecording) {
  const std::vector<std::int16_t> cut{1, 2, 3};
  EXPECT_FALSE(holds(good_run(), {kSpeech, cut, kSpeech, std::nullopt})[3]);
  EXPECT_FALSE(holds(good_run(), {kSpeech, {}, {}, std::nullopt})[3]) << "no output";
}

TEST(Verdicts, CompareAnotherDeployment) {
  const std::vector<std::int16_t> wrong{1, 2, 3, 5};
  EXPECT_TRUE(holds(good_run(), {kSpeech, kSpeech, kSpeech, kSpeech}).at(4));
  EXPECT_FALSE(holds(good_run(), {kSpeech, kSpeech, kSpeech, wrong}).at(4));
}

}  // namespace
}  // namespace orbweaver::voice::testing
