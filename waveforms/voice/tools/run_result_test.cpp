#include "tools/run_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/testing.h"

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

TEST(RunResult, ReadsWhatARunWrote) {
  const RunResult run = parse_run_result(kResult, "result.json");
  EXPECT_EQ(run.assembly, "Voice");
  EXPECT_DOUBLE_EQ(run.seconds, 4.5);
  ASSERT_EQ(run.components.size(), 2U);
  EXPECT_EQ(run.components[1].placement, "process 2");
  ASSERT_EQ(run.hops.size(), 1U);
  EXPECT_EQ(run.hops[0].packets, 10U);
  EXPECT_EQ(run.hops[0].histogram.size(), 2U);
  EXPECT_EQ(run.stat("frames_good"), 100.0);
  EXPECT_EQ(run.stat("nobody counts this"), std::nullopt);
}

TEST(RunResult, IgnoresMembersThatItDoesNotKnow) {
  EXPECT_EQ(refusal(with("\"format\": 1", "\"weather\": {\"wind\": 3}, \"format\": 1")), "accepted");
}

TEST(RunResult, NamesTheMemberThatIsMissingOrWrong) {
  EXPECT_THAT(refusal(with("\"packets\": 10", "\"packed\": 10")), HasSubstr("hops[0].packets: is missing"));
  EXPECT_THAT(refusal(with("\"packets\": 10", "\"packets\": -10")), HasSubstr("hops[0].packets: must be a whole"));
  EXPECT_THAT(refusal(with("\"count\": 7", "\"count\": \"7\"")), HasSubstr("histogram[0].count: must be a whole"));
  EXPECT_THAT(refusal(with("\"name\": \"Source\"", "\"name\": 1")), HasSubstr("components[0].name: must be a string"));
  EXPECT_THAT(refusal(with("\"seconds\": 4.5", "\"seconds\": -1")), HasSubstr("result.json.seconds"));
}

TEST(RunResult, RefusesOtherFormatsAndHistogramsThatFall) {
  EXPECT_THAT(refusal(with("\"format\": 1", "\"format\": 2")), HasSubstr("another format"));
  EXPECT_THAT(refusal(with("\"le_us\": 8.0", "\"le_us\": 1.0")), HasSubstr("do not rise"));
}

TEST(RunResult, AnyOctetsGiveOneMessage) {
  const std::string json = kResult;
  for (std::size_t length = 0; length + 1 < json.find_last_of('}'); length += 7) {
    EXPECT_THAT(refusal(json.substr(0, length)), HasSubstr("not JSON"));
  }
  for (const char* odd : {"[]", "3", "null", "{}", "{\"format\": []}"}) EXPECT_THAT(refusal(odd), HasSubstr("result.json"));
}

TEST(RunResult, AMissingFileIsNamedWithWhatMakesIt) {
  try {
    read_run_result("/no/such.json");
    FAIL() << "accepted";
  } catch (const RunResultError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("/no/such.json"), HasSubstr("orbweaver run")));
  }
}

}  // namespace
}  // namespace orbweaver::voice::testing
