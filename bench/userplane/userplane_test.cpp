// `orbweaver bench userplane` in short form: its plan, its processes and its rows. No durations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "bench/harness/plan.h"
#include "bench/harness/scratch.h"
#include "bench/userplane/command.h"
#include "bench/userplane/plan.h"
#include "bench/userplane/report.h"
#include "bench/userplane/runner.h"

namespace orbweaver::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kPrograms = ORBWEAVER_BENCH_PROGRAMS;

UserplaneSettings short_form(const std::string& transport, std::uint32_t batch_us, std::uint32_t ip = 4) {
  return {transport, ip, batch_us, {300, 100}, 10};
}

/// A few packets, all of which arrive.
void expect_all_received(const UserplaneSettings& settings, const std::string& subject) {
  SCOPED_TRACE(subject + " over " + settings.transport + ", batch " + std::to_string(settings.batch_us));
  const MessageSizes sizes = sizes_of(read_message_mix(kPrograms + "/bench-internet-mix.xml"));
  const auto points =
      run_userplane(settings, sizes, kPrograms + "/bench-" + subject + "-userplane", Pin::none);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].spacing_us, 300u);
  for (const LoadPoint& point : points) {
    EXPECT_GT(point.sent, 0u);
    EXPECT_EQ(point.received, point.sent);
    EXPECT_EQ(point.wrong + point.reordered, 0u);
    EXPECT_GT(point.cpu_us, 0);
    EXPECT_GE(point.elapsed_us, 10'000) << "a point ends with the mark that is sent after it";
  }
}

TEST(UserplaneRun, ReceivesEachPacketOfTheFloors) {
  for (const char* transport : {"udp", "tcp"})
    for (const std::uint32_t batch_us : {0u, 1000u})
      expect_all_received(short_form(transport, batch_us), "floor");
}

TEST(UserplaneRun, ReceivesEachPacketOfOrbweaver) {
  for (const char* transport : {"udp", "tcp"})
    for (const std::uint32_t batch_us : {0u, 1000u})
      expect_all_received(short_form(transport, batch_us), "orbweaver");
}

TEST(UserplaneRun, ReceivesEachPacketOverIPv6) {
  if (!has_ipv6_loopback()) GTEST_SKIP() << "this machine has no address ::1";
  for (const char* subject : {"floor", "orbweaver"})
    for (const char* transport : {"udp", "tcp"}) expect_all_received(short_form(transport, 0, 6), subject);
}

TEST(UserplaneRun, ReceivesLargePacketsInBatches) {
  for (const char* transport : {"udp", "tcp"}) {
    const auto points = run_userplane(short_form(transport, 1000), sizes_of(messages_of(kLargestMessage)),
                                      kPrograms + "/bench-floor-userplane", Pin::none);
    EXPECT_EQ(points[0].bytes, points[0].received * kLargestMessage);
    EXPECT_GT(points[0].received, 0u);
  }
}

TEST(UserplaneRun, NamesTheProcessThatFails) {
  EXPECT_THAT([] { run_userplane(short_form("udp", 0), {}, kPrograms + "/bench-none-userplane", Pin::none); },
              ::testing::ThrowsMessage<std::runtime_error>("the receiver ended with status 127"));
}

TEST(UserplaneSettings, SurviveTheCommandLineOfAProgram) {
  const UserplaneSettings settings{"tcp", 6, 500, {7, 0, 1000}, 25};
  EXPECT_EQ(userplane_from_args(to_args(settings)), settings);
  EXPECT_EQ(userplane_from_args({"--spacing", "1,,2"}), std::nullopt);
  EXPECT_EQ(userplane_from_args({"--spacing", "often"}), std::nullopt);
  EXPECT_EQ(userplane_from_args({"--spacing"}), std::nullopt);
  EXPECT_EQ(userplane_from_args({"--pigeons", "1"}), std::nullopt);
}

TEST(UserplanePlan, CombinesTransportsVersionsAndSubjects) {
  UserplanePlan plan;
  plan.bytes = {64, 1024};
  const UserplaneCases all = userplane_cases(plan, kPrograms);
  ASSERT_EQ(all.traffic.size(), 2u);
  EXPECT_EQ(all.traffic[1].name, "1024 bytes");
  ASSERT_EQ(all.cases.size(), 8u);
  EXPECT_EQ(all.cases[5].traffic, 1u);
  EXPECT_EQ(all.cases[5].sweeps.size(), 6u);
  const UserplaneSweep& last = all.cases[5].sweeps.back();
  EXPECT_EQ(last.subject, "omniorb");
  EXPECT_EQ(last.settings, (UserplaneSettings{"udp", 6, 1000, plan.spacing_us, plan.point_ms}));
}

TEST(UserplanePlan, HasTheInternetMixUnlessAnotherFileIsNamed) {
  EXPECT_EQ(userplane_cases({}, kPrograms).traffic.at(0).name, "Internet mix, 345.5 bytes in the mean");
  const Scratch scratch;
  UserplanePlan plan;
  plan.mix = scratch.path() + "/mix.xml";
  std::ofstream(plan.mix) << "<messagemix name='Voice'><size min='60' max='60' share='100'/></messagemix>";
  EXPECT_EQ(userplane_cases(plan, kPrograms).traffic.at(0).name, "Voice, 60.0 bytes in the mean");
}

struct InvalidUserplanePlan {
  void (*change)(UserplanePlan&);
  const char* message;
};

TEST(UserplanePlan, NamesAnInvalidOption) {
  const InvalidUserplanePlan cases[] = {
      {[](UserplanePlan& p) { p.transports = {"shm"}; },
       "--transport: unknown value 'shm'; use one of udp, tcp"},
      {[](UserplanePlan& p) { p.transports = {}; }, "--transport needs a value"},
      {[](UserplanePlan& p) { p.ips = {5}; }, "--ip: unknown value '5'; use 4, 6"},
      {[](UserplanePlan& p) { p.subjects = {"tao"}; }, "--subject: unknown value 'tao'; use one of floor"},
      {[](UserplanePlan& p) { p.batches_us = {100'001}; }, "--batch: each from 0 to 100000 us"},
      {[](UserplanePlan& p) { p.spacing_us = {100'001}; }, "--spacing: each from 0 to 100000 us"},
      {[](UserplanePlan& p) { p.spacing_us.assign(64, 1); }, "--spacing: at most 63 values"},
      {[](UserplanePlan& p) { p.bytes = {15}; }, "--bytes: each from 16 to 32768"},
      {[](UserplanePlan& p) { p.bytes = {40}, p.mix = "mix.xml"; }, "--bytes and --mix exclude each other"},
      {[](UserplanePlan& p) { p.point_ms = 0; }, "--point: from 1 to 60000 ms"},
      {[](UserplanePlan& p) { p.rounds = 0; }, "--rounds: from 1 to 1000"},
      {[](UserplanePlan& p) { p.cpu_percent = 0; }, "--cpu: more than 0, up to 100 percent"},
      {[](UserplanePlan& p) { p.pin = "one"; }, "--pin: unknown value 'one'; use one of two, none"},
      {[](UserplanePlan& p) { p.mix = "/nonexistent"; },
       "/nonexistent: there is no such file; check its name"},
  };
  for (const InvalidUserplanePlan& each : cases) {
    UserplanePlan plan;
    each.change(plan);
    std::ostringstream out, err;
    EXPECT_EQ(run_userplane_command(plan, kPrograms, "", out, err), 2) << each.message;
    EXPECT_THAT(err.str(), HasSubstr(std::string("orbweaver bench: ") + each.message));
    EXPECT_EQ(out.str(), "");
  }
}

TEST(UserplaneCommand, WritesARowForEachSubject) {
  UserplanePlan plan;
  plan.transports = {"tcp"};
  plan.ips = {4};
  plan.subjects = {"floor", "orbweaver"};
  plan.spacing_us = {300, 100};
  plan.point_ms = 10;
  plan.rounds = 2;
  plan.pin = "none";
  std::ostringstream out, err;
  ASSERT_EQ(run_userplane_command(plan, kPrograms, "-", out, err), 0) << err.str();
  const auto rows = nlohmann::json::parse(out.str());
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["subject"], "floor");
  EXPECT_EQ(rows[3]["subject"], "orbweaver");
  EXPECT_EQ(rows[3]["batch_us"], 1000);
  EXPECT_EQ(rows[3]["points"].size(), 2u);
  EXPECT_EQ(rows[3]["points"][0]["lost"], 0);
  EXPECT_EQ(rows[3]["rounds_receiver_us_per_packet"].size(), 2u);
  EXPECT_DOUBLE_EQ(rows[0]["plain_to_it"]["ratio"], 1);
  EXPECT_THAT(err.str(), HasSubstr("tcp, IPv4, Internet mix, 345.5 bytes in the mean   (both ends block"));
  EXPECT_THAT(err.str(), HasSubstr("orbweaver, batched"));
}

TEST(UserplaneCommand, SkipsWhatASubjectDoesNotHave) {
  UserplanePlan plan;
  plan.transports = {"udp"};
  plan.ips = {4};
  plan.subjects = {"omniorb"};
  std::ostringstream out, err;
  EXPECT_EQ(run_userplane_command(plan, kPrograms, "", out, err), 0);
  EXPECT_THAT(err.str(), HasSubstr("skipped: omniorb"));
}

TEST(UserplaneCommand, ReportsAFileThatCannotBeWritten) {
  UserplanePlan plan;
  plan.subjects = {"floor"};
  plan.transports = {"udp"};
  plan.ips = {4};
  plan.spacing_us = {500};
  plan.point_ms = 1;
  plan.rounds = 1;
  plan.pin = "none";
  std::ostringstream out, err;
  EXPECT_EQ(run_userplane_command(plan, kPrograms, "/nonexistent/rows", out, err), 1);
  EXPECT_EQ(err.str(), "orbweaver bench: cannot write /nonexistent/rows\n");
}

TEST(IPv6Loopback, IsAmongTheInterfaces) {
  const Scratch scratch;
  const std::string with = scratch.path() + "/with", without = scratch.path() + "/without";
  std::ofstream(with) << "fe8000000000000000fc00fffe000001 04 40 20 80     eth0\n"
                      << "00000000000000000000000000000001 01 80 10 80       lo\n";
  std::ofstream(without) << "fe8000000000000000fc00fffe000001 04 40 20 80     eth0\n";
  EXPECT_TRUE(has_ipv6_loopback(with));
  EXPECT_FALSE(has_ipv6_loopback(without));
  EXPECT_FALSE(has_ipv6_loopback(scratch.path() + "/none"));
}

/// A row with one point a round, of one second at 20 % of the processor.
UserplaneRow row_at(const std::string& subject, const Traffic& traffic, const std::vector<double>& mbit_per_s,
                    double cpu_percent = 20) {
  UserplaneRow row{subject, short_form("udp", 0), &traffic, Pin::two, {}};
  row.settings.spacing_us = {100};
  for (const double each : mbit_per_s) {
    row.rounds.emplace_back();
    if (each > 0)
      row.rounds.back().push_back(
          {100, 10, 10, static_cast<std::uint64_t>(each * 1e6 / 8), 0, 0, 1e6, cpu_percent * 1e4, 0});
  }
  return row;
}

TEST(UserplaneReport, HasTheRatioOfPlainSocketsToTheORB) {
  const Traffic traffic{"mix", "a mix", sizes_of(messages_of(1000))};
  const std::vector<UserplaneRow> rows{row_at("floor", traffic, {80, 40, 90}),
                                       row_at("orbweaver", traffic, {10, 5, 10})};
  std::ostringstream json, table;
  write_userplane_json(json, rows, 20);
  const auto ours = nlohmann::json::parse(json.str())[1];
  EXPECT_DOUBLE_EQ(ours["plain_to_it"]["ratio"], 8);
  EXPECT_TRUE(ours["best_to_it"].is_null()) << "there is no batched floor";
  EXPECT_DOUBLE_EQ(ours["at_mbit_per_s"], 10);
  EXPECT_DOUBLE_EQ(ours["receiver_us_per_packet"], 160);  // 20 % of a second for 1250 packets
  EXPECT_DOUBLE_EQ(ours["points"][0]["mbit_per_s"], 10) << "the median of the rounds";
  print_userplane(table, rows, {"machine", "commit", "0.1", 20});
  EXPECT_THAT(table.str(), HasSubstr("Mbit/s@20%"));
  EXPECT_THAT(table.str(), HasSubstr("8.00"));
}

TEST(UserplaneReport, MarksBounds) {
  const Traffic traffic{"mix", "a mix", sizes_of(messages_of(1000))};
  const std::vector<UserplaneRow> rows{row_at("floor", traffic, {80}),
                                       row_at("orbweaver", traffic, {160}, 4)};
  std::ostringstream table;
  print_userplane(table, rows, {"machine", "commit", "0.1", 20});
  EXPECT_THAT(table.str(), HasSubstr(">=160.0"));
  EXPECT_THAT(table.str(), HasSubstr("<=0.50"));
}

TEST(UserplaneReport, NamesAReceiverThatWaitedForItsProcessor) {
  const Traffic traffic{"mix", "a mix", sizes_of(messages_of(1000))};
  std::vector<UserplaneRow> rows{row_at("floor", traffic, {80, 80, 80})};
  for (std::size_t round : {0, 1}) rows[0].rounds[round][0].waited_us = 0.3e6;  // of one second
  std::ostringstream json, table, quiet;
  print_userplane(table, rows, {"machine", "commit", "9.0", 20});
  EXPECT_THAT(table.str(), HasSubstr("busy machine, floor: waited for its processor for 30 % of a point"));
  write_userplane_json(json, rows, 20);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(json.str())[0]["points"][0]["waited_percent"], 30);
  rows[0].rounds[0][0].waited_us = 0;
  print_userplane(quiet, rows, {"machine", "commit", "0.1", 20});
  EXPECT_THAT(quiet.str(), ::testing::Not(HasSubstr("busy machine"))) << "the median of the rounds is zero";
}

TEST(UserplaneReport, ComparesRoundsOfTheSameNumberAfterAFailure) {
  const Traffic traffic{"mix", "a mix", sizes_of(messages_of(1000))};
  const std::vector<UserplaneRow> rows{row_at("floor", traffic, {80, 0, 90}),
                                       row_at("orbweaver", traffic, {10, 1, 10})};
  std::ostringstream json;
  write_userplane_json(json, rows, 20);
  const auto parsed = nlohmann::json::parse(json.str());
  EXPECT_DOUBLE_EQ(parsed[1]["plain_to_it"]["ratio"], 8.5);
  EXPECT_THAT(parsed[0]["rounds_at_mbit_per_s"], ElementsAre(80.0, 0.0, 90.0));
}

}  // namespace
}  // namespace orbweaver::bench
