#include "tools/run_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tools/testing.h"
#ifdef ORBWEAVER_HAS_DEPLOY
#include "sca/deploy/run_result.h"
#endif

namespace orbweaver::voice::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const std::string& json) {
  try {
    parse_run_result(json, "result.json");
  } catch (const RunResultError& error) {
    return error.what();
  }
  return "accepted";
}

std::string with(const std::string& what, const std::string& instead) {
  std::string json = kResult;
  json.replace(json.find(what), what.size(), instead);
  return json;
}

TEST(RunResult, ReadsAResult) {
  const RunResult run = parse_run_result(kResult, "result.json");
  EXPECT_EQ(run.assembly, "Voice");
  EXPECT_DOUBLE_EQ(run.seconds, 4.5);
  ASSERT_EQ(run.components.size(), 2U);
  EXPECT_EQ(run.components[1].placement, "process 2");
  ASSERT_EQ(run.hops.size(), 1U);
  EXPECT_EQ(run.hops[0].packets, 10U);
  EXPECT_EQ(run.hops[0].histogram.size(), 2U);
  EXPECT_EQ(run.stat("frames_good"), 100.0);
  EXPECT_EQ(run.stat("no such counter"), std::nullopt);
}

TEST(RunResult, ReadsTheDocumentedExample) {
  std::ifstream file(RUN_RESULT_MD);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto begin = text.find("```json") + 7;
  const RunResult run =
      parse_run_result(text.substr(begin, text.find("```", begin) - begin), "run-result.md");
  EXPECT_EQ(run.hops.at(0).packets, 6000U);
  EXPECT_EQ(run.components.at(0).stats.at("samples"), 960000);
}

#ifdef ORBWEAVER_HAS_DEPLOY
TEST(RunResult, ReadsTheLaunchersOutput) {
  sca::RunResult written;
  written.assembly = "Voice";
  written.outcome = sca::Outcome::failed;
  written.message = "deframer_1 died: killed by SIGSEGV";
  written.components = {
      {"deframer_1", "Deframer", -1, "process 7", 0.5, "killed by SIGSEGV", {{"frames_good", 3}}}};
  sca::HopResult hop;
  hop.from = "a.out";
  hop.to = "b.in";
  hop.packets = 2;
  hop.latency = std::vector<std::uint64_t>(100, 0);
  hop.latency[20] = hop.latency[90] = 1;
  written.hops = {hop};
  const RunResult run = parse_run_result(sca::to_json(written), "result.json");
  EXPECT_EQ(run.outcome, "failed");
  EXPECT_EQ(run.message, written.message);
  EXPECT_EQ(run.components.at(0).pid, -1);
  EXPECT_EQ(run.stat("frames_good"), 3);
  EXPECT_EQ(run.hops.at(0).histogram.size(), 2U);
}
#endif

TEST(RunResult, IgnoresUnknownMembers) {
  EXPECT_EQ(refusal(with("\"format\": 1", "\"weather\": {\"wind\": 3}, \"format\": 1")), "accepted");
}

TEST(RunResult, NamesAMissingOrInvalidMember) {
  EXPECT_THAT(refusal(with("\"packets\": 10", "\"packed\": 10")), HasSubstr("hops[0].packets: is missing"));
  EXPECT_THAT(refusal(with("\"packets\": 10", "\"packets\": -10")),
              HasSubstr("hops[0].packets: must be a whole"));
  EXPECT_THAT(refusal(with("\"count\": 7", "\"count\": \"7\"")),
              HasSubstr("histogram[0].count: must be a whole"));
  EXPECT_THAT(refusal(with("\"name\": \"Source\"", "\"name\": 1")),
              HasSubstr("components[0].name: must be a string"));
  EXPECT_THAT(refusal(with("\"seconds\": 4.5", "\"seconds\": -1")), HasSubstr("result.json.seconds"));
}

TEST(RunResult, RejectsOtherFormatsAndDecreasingHistograms) {
  EXPECT_THAT(refusal(with("\"format\": 1", "\"format\": 2")), HasSubstr("the format is not 1"));
  EXPECT_THAT(refusal(with("\"le_us\": 8.0", "\"le_us\": 1.0")), HasSubstr("not in ascending order"));
}

TEST(RunResult, ReportsOneErrorForAnyInput) {
  const std::string json = kResult;
  for (std::size_t length = 0; length + 1 < json.find_last_of('}'); length += 7) {
    EXPECT_THAT(refusal(json.substr(0, length)), HasSubstr("invalid or truncated JSON"));
  }
  for (const char* odd : {"[]", "3", "null", "{}", "{\"format\": []}"})
    EXPECT_THAT(refusal(odd), HasSubstr("result.json"));
}

TEST(RunResult, NamesAMissingResult) {
  try {
    read_run_result("/no/such.json");
    FAIL() << "accepted";
  } catch (const RunResultError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("/no/such.json"), HasSubstr("orbweaver run")));
  }
}

}  // namespace
}  // namespace orbweaver::voice::testing
