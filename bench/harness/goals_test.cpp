#include "goals.h"

#include <gmock/gmock.h>

#include <sstream>

namespace orbweaver::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Summary took(double p50_us, double p999_us = 0) {
  Summary s;
  s.p50_us = s.mean_us = p50_us;
  s.p999_us = p999_us;
  return s;
}

Outcome outcome(const Case& c, const char* subject, std::vector<Summary> rounds) {
  return {c, subject, combine(rounds), rounds};
}

Case over(const char* transport) {
  Case c;
  c.transport = transport;
  return c;
}

Verdict verdict_on(const Goal& goal, const std::vector<Outcome>& outcomes) {
  return evaluate({goal}, outcomes).at(0);
}

TEST(Goals, ComparesWithinEachRoundOfOneCase) {
  const Goal goal{"", over("shm"), "floor", over("shm"), Metric::p50, 1.5};
  // The speed of the cores changed between the rounds: the ratio of the medians would be 6 / 4.
  const Verdict v = verdict_on(goal, {outcome(over("shm"), "floor", {took(1), took(4), took(5)}),
                                      outcome(over("shm"), "orbweaver", {took(2), took(6), took(7)})});
  EXPECT_DOUBLE_EQ(v.measured.value(), 1.5);
  EXPECT_TRUE(v.met());
}

TEST(Goals, ComparesMediansOfDifferentCases) {
  const Goal goal{"", over("shm"), "omniorb", over("unix"), Metric::p50, 0.1};
  const Verdict v = verdict_on(goal, {outcome(over("shm"), "orbweaver", {took(1), took(2), took(9)}),
                                      outcome(over("unix"), "omniorb", {took(4), took(8), took(9)})});
  EXPECT_DOUBLE_EQ(v.measured.value(), 0.25);
  EXPECT_FALSE(v.met());
}

TEST(Goals, JudgesTheTailRelativeToItsMedian) {
  const Goal goal{"", over("shm"), "floor", over("shm"), Metric::tail, 1};
  EXPECT_DOUBLE_EQ(verdict_on(goal, {outcome(over("shm"), "floor", {took(1, 4)}),
                                     outcome(over("shm"), "orbweaver", {took(2, 4)})})
                       .measured.value(),
                   0.5);
}

TEST(Goals, AreNotMetWithoutAMeasurement) {
  const Goal goal{"a call", over("shm"), "iceoryx2", over("shm"), Metric::p50, 0.45};
  const Verdict v = verdict_on(goal, {outcome(over("shm"), "orbweaver", {took(1)})});
  EXPECT_FALSE(v.met());
  std::ostringstream table, json;
  print_verdicts(table, {v});
  write_verdicts(json, {v});
  EXPECT_THAT(table.str(), HasSubstr("not measured"));
  EXPECT_THAT(table.str(), HasSubstr("0 of 1 goals met"));
  EXPECT_THAT(json.str(), HasSubstr("\"verdict\": \"not measured\""));
}

TEST(Goals, AreMetByZeroCopiedBytes) {
  const Goal goal{"", over("shm"), "", over("shm"), Metric::copied, 0};
  Summary copied = took(1);
  EXPECT_TRUE(verdict_on(goal, {outcome(over("shm"), "orbweaver", {copied})}).met());
  copied.copied_bytes = 8;
  EXPECT_FALSE(verdict_on(goal, {outcome(over("shm"), "orbweaver", {copied})}).met());
}

TEST(Goals, RunASharedCaseOnce) {
  const auto cases = cases_of(goals(1000));
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(cases[i] == cases[j]);
  EXPECT_LT(cases.size(), goals(1000).size());
}

/// Their payloads have 4 KiB, and both ends block on one core.
TEST(Goals, IncludeStringsAnysAndStructs) {
  const auto limits = [](PayloadType type, const char* transport) {
    std::vector<std::pair<std::string, double>> found;
    for (const Goal& goal : goals(1000)) {
      if (goal.ours.type != type || goal.ours.transport != transport) continue;
      EXPECT_TRUE(goal.within_rounds() && goal.ours.wait == Wait::block && goal.ours.pin == Pin::one);
      EXPECT_EQ(goal.ours.bytes, 4096u);
      found.emplace_back(goal.beside, goal.at_most);
    }
    return found;
  };
  for (const char* transport : {"unix", "tcp"}) {
    EXPECT_THAT(limits(PayloadType::string, transport), ElementsAre(Pair("omniorb", 0.55)));
    EXPECT_THAT(limits(PayloadType::any, transport), ElementsAre(Pair("omniorb", 0.88)));
    EXPECT_THAT(limits(PayloadType::structs, transport), ElementsAre(Pair("omniorb", 0.76)));
  }
  EXPECT_THAT(limits(PayloadType::any, "shm"), ElementsAre(Pair("floor", 1.3)));
  EXPECT_THAT(limits(PayloadType::string, "shm"), ElementsAre(Pair("floor", 1.45)));
}

}  // namespace
}  // namespace orbweaver::bench
