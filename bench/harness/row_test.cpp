#include "row.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "table.h"

namespace orbweaver::bench {
namespace {

using testing::HasSubstr;

/// Results of ten calls of 1 to 10 µs, 4096 bytes each, in one round.
Outcome known(const std::string& subject, double factor = 1) {
  Outcome o;
  o.what.type = PayloadType::doubles;
  o.what.bytes = 4096;
  o.subject = subject;
  std::vector<double> samples;
  for (int i = 1; i <= 10; ++i) samples.push_back(i * factor);
  Summary s = summarise(samples);
  s.calls = 10;
  s.cpu_us_per_call = 11.00004;
  s.client = {5000, 2000};
  o.rounds = {s};
  o.figures = combine(o.rounds);
  return o;
}

TEST(BenchRow, HasTheDocumentedFieldsInOrder) {
  std::ostringstream out;
  Outcome outcome = known("floor");
  outcome.rounds.push_back(known("floor", 2).rounds[0]);
  write_json(out, {outcome});
  auto rows = nlohmann::ordered_json::parse(out.str());
  EXPECT_EQ(rows[0]["histogram"].size(), 21u);
  EXPECT_EQ(rows[0]["histogram"][0].dump(), "[1.0,1]");
  rows[0].erase("histogram");
  EXPECT_EQ(
      rows.dump(),
      R"([{"experiment":"twoway","subject":"floor","transport":"shm","type":"double","bytes":4096,)"
      R"("calls":10,"mean_us":5.5,"p50_us":5.0,"p99_us":10.0,"p999_us":10.0,"min_us":1.0,"max_us":10.0,)"
      R"("sd_us":2.8723,"mb_per_s":744.7,"cpu_us_per_call":11.0,)"
      R"("client_resident_kib":5000.0,"client_private_kib":2000.0,"server_resident_kib":0.0,)"
      R"("server_private_kib":0.0,"wait":"spin","pin":"two",)"
      R"("rounds_p50_us":[5.0,10.0],"rounds_mean_us":[5.5,11.0],"rounds_p99_us":[10.0,20.0],)"
      R"("rounds_sd_us":[2.8723,5.7446],"rounds_cpu_us_per_call":[11.0,11.0]}])");
}

TEST(BenchRow, HasNoRateForAnEmptyPayload) {
  Outcome o = known("floor");
  o.what.bytes = 0;
  EXPECT_EQ(mb_per_s(o), 0);
}

TEST(BenchRow, WritesAnEmptyArrayWithoutMeasurements) {
  std::ostringstream out;
  write_json(out, {});
  EXPECT_EQ(out.str(), "[]\n");
}

TEST(BenchTable, ShowsEachSubjectWithItsFloor) {
  Report report;
  report.outcomes = {known("floor"), known("orbweaver", 1.5)};
  report.skipped = {"omniorb over shm: it has no such transport"};
  std::ostringstream out;
  print_table(out, report, {"a machine", "abc1234", 1, 10});
  EXPECT_THAT(out.str(), HasSubstr("a machine; commit abc1234"));
  EXPECT_THAT(out.str(), testing::ContainsRegex("clock: [a-z-]+ [a-z]+, [0-9]+ ns a stamp"));
  EXPECT_THAT(out.str(), HasSubstr("twoway shm, double 4096 B   (both ends spin, a core each)"));
  EXPECT_THAT(out.str(), HasSubstr("1.50\n"));
  EXPECT_THAT(out.str(), HasSubstr("skipped:\n  omniorb over shm"));
}

TEST(BenchTable, ComparesWithinEachRound) {
  // In the second round the machine was twice as slow, but not the subject relative to the floor.
  Outcome floor = known("floor"), subject = known("orbweaver", 1.2);
  floor.rounds.push_back(known("floor", 2).rounds[0]);
  subject.rounds.push_back(known("orbweaver", 2.4).rounds[0]);
  EXPECT_DOUBLE_EQ(ratio_to_floor(subject, floor), 1.2);
}

TEST(BenchTable, JudgesOneWayCallsByTheMean) {
  Summary s;
  s.mean_us = 2;
  s.p50_us = 1;
  EXPECT_EQ(metric_us(Experiment::oneway, s), 2);
  EXPECT_EQ(metric_us(Experiment::twoway, s), 1);
}

}  // namespace
}  // namespace orbweaver::bench
