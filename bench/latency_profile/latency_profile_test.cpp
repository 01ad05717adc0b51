// `orbweaver bench profile` in short form: stamps of every packet, and statistics. No durations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "bench/latency_profile/command.h"
#include "bench/latency_profile/report.h"
#include "bench/latency_profile/runner.h"

namespace orbweaver::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kPrograms = ORBWEAVER_BENCH_PROGRAMS;

ProfileSettings short_form(const std::string& transport, const std::string& threads = "connection") {
  ProfileSettings settings;
  settings.transport = transport;
  settings.threads = threads;
  settings.packets = 30;
  settings.interval_us = 0;
  return settings;
}

void expect_stamps_in_order(const ProfileRun& run, std::size_t packets) {
  ASSERT_EQ(run.stamps.size(), packets);
  std::int64_t before = 0;
  for (const PacketStamps& packet : run.stamps) {
    EXPECT_GT(packet.called_ns, before) << "packets are sent one after the other";
    EXPECT_GE(packet.returned_ns, packet.called_ns);
    EXPECT_GE(packet.dispatched_ns, packet.called_ns);
    EXPECT_GE(packet.processed_ns, packet.dispatched_ns);
    before = packet.called_ns;
  }
}

TEST(ProfileRun, StampsEveryPacketOverEachTransport) {
  for (const char* transport : {"tcp", "unix", "shm"})
    expect_stamps_in_order(
        run_profile(short_form(transport), kPrograms + "/bench-orbweaver-profile", Pin::none), 30);
}

TEST(ProfileRun, StampsEveryPacketInEachThreadMode) {
  for (const char* threads : {"pool:2", "single"})
    expect_stamps_in_order(
        run_profile(short_form("unix", threads), kPrograms + "/bench-orbweaver-profile", Pin::none), 30);
}

TEST(ProfileRun, StampsEveryPacketOfTheFloor) {
  for (const char* transport : {"tcp", "unix"})
    expect_stamps_in_order(run_profile(short_form(transport), kPrograms + "/bench-floor-profile", Pin::none),
                           30);
}

TEST(ProfileRun, SendsPacketsWithoutSamples) {
  for (const char* program : {"/bench-orbweaver-profile", "/bench-floor-profile"}) {
    ProfileSettings settings = short_form("unix");
    settings.samples = 0;
    expect_stamps_in_order(run_profile(settings, kPrograms + program, Pin::none), 30);
  }
}

TEST(ProfileRun, NamesTheProcessThatFails) {
  try {
    run_profile(short_form("pigeon"), kPrograms + "/bench-orbweaver-profile", Pin::none);
    FAIL() << "an unknown transport was accepted";
  } catch (const std::runtime_error& problem) {
    EXPECT_STREQ(problem.what(), "the receiver ended with status 1");
  }
}

std::size_t children() {
  std::ifstream file("/proc/thread-self/children");
  std::size_t count = 0;
  for (std::string pid; file >> pid;) ++count;
  return count;
}

TEST(ProcessorLoad, EndsItsProcesses) {
  const std::size_t before = children();
  {
    const ProcessorLoad load(3);
    EXPECT_EQ(children(), before + 3);
  }
  EXPECT_EQ(children(), before);
}

TEST(ProfileSettings, SurviveTheCommandLineOfAProgram) {
  ProfileSettings settings{"mqueue", "spin", "pool:3", 0, 7, 1000};
  EXPECT_EQ(profile_from_args(to_args(settings)), settings);
  EXPECT_EQ(profile_from_args({"--packets", "many"}), std::nullopt);
  EXPECT_EQ(profile_from_args({"--packets"}), std::nullopt);
  EXPECT_EQ(profile_from_args({"--pigeons", "1"}), std::nullopt);
}

TEST(ProfileParts, AreDifferencesOfStamps) {
  const std::vector<PacketStamps> stamps{{1'000, 3'000, 6'000, 10'000}, {20'000, 20'500, 21'000, 30'000}};
  EXPECT_THAT(part_us(stamps, ProfilePart::latency), ElementsAre(9, 10));
  EXPECT_THAT(part_us(stamps, ProfilePart::send), ElementsAre(2, 0.5));
  EXPECT_THAT(part_us(stamps, ProfilePart::dispatch), ElementsAre(5, 1));
  EXPECT_THAT(part_us(stamps, ProfilePart::queue), ElementsAre(4, 9));
}

TEST(ProfileParts, NameALostPacket) {
  const std::vector<PacketStamps> stamps{{1, 2, 3, 4}, {5, 6, 0, 0}};
  EXPECT_THAT([&] { part_us(stamps, ProfilePart::latency); },
              ::testing::ThrowsMessage<std::runtime_error>("packet 2 was lost"));
}

ProfilePlan short_plan() {
  ProfilePlan plan;
  plan.transports = {"unix"};
  plan.subjects = {"floor", "orbweaver"};
  plan.packets = 20;
  plan.interval_us = 0;
  plan.rounds = 2;
  plan.pin = "none";
  return plan;
}

TEST(ProfileCommand, WritesARowForEachPartOfEachSubject) {
  std::ostringstream out, err;
  ASSERT_EQ(run_profile_command(short_plan(), kPrograms, "-", out, err), 0) << err.str();
  const auto rows = nlohmann::json::parse(out.str());
  ASSERT_EQ(rows.size(), 8u);
  std::uint64_t counted = 0;
  for (const auto& bin : rows[0]["histogram"]) counted += bin[1].get<std::uint64_t>();
  EXPECT_EQ(counted, 40u);
  EXPECT_EQ(rows[0]["points"].size(), 20u);
  EXPECT_EQ(rows[0]["rounds_p50_us"].size(), 2u);
  EXPECT_EQ(rows[4]["subject"], "orbweaver");
  EXPECT_EQ(rows[7]["type"], "queue");
  EXPECT_THAT(err.str(), HasSubstr("unix, 512 samples, 20 packets, 0 us between them, receiver: connection"));
  EXPECT_THAT(err.str(), HasSubstr("clock: CLOCK_MONOTONIC"));
}

TEST(ProfileCommand, SkipsWhatASubjectDoesNotHave) {
  ProfilePlan plan = short_plan();
  plan.threads = {"single"};
  std::ostringstream out, err;
  EXPECT_EQ(run_profile_command(plan, kPrograms, "", out, err), 0);
  EXPECT_EQ(err.str(), "skipped: floor over unix: it is measured with a thread for each connection\n");
  EXPECT_THAT(out.str(), HasSubstr("receiver: single"));
}

TEST(ProfileCommand, ReportsAFailure) {
  ProfilePlan plan = short_plan();
  plan.subjects = {"orbweaver"};
  std::ostringstream out, err;
  EXPECT_EQ(run_profile_command(plan, kPrograms, "/nonexistent/rows", out, err), 1);
  EXPECT_EQ(err.str(), "orbweaver bench: cannot write /nonexistent/rows\n");
}

struct InvalidProfilePlan {
  void (*change)(ProfilePlan&);
  const char* message;
};

TEST(ProfileCommand, NamesAnInvalidOption) {
  const InvalidProfilePlan cases[] = {
      {[](ProfilePlan& p) { p.transports = {"udp"}; }, "--transport: unknown value 'udp'; use one of"},
      {[](ProfilePlan& p) { p.threads = {"pool:0"}; }, "--threads: unknown value 'pool:0'; use one of"},
      {[](ProfilePlan& p) { p.threads = {"pool:"}; }, "--threads: unknown value 'pool:'; use one of"},
      {[](ProfilePlan& p) { p.subjects = {"tao"}; }, "--subject: unknown value 'tao'; use one of"},
      {[](ProfilePlan& p) { p.samples = {2'000'000}; }, "--samples: each from 0 to 1000000"},
      {[](ProfilePlan& p) { p.samples = {}; }, "nothing to measure"},
      {[](ProfilePlan& p) { p.packets = 0; }, "--packets: from 1 to"},
      {[](ProfilePlan& p) { p.rounds = 0; }, "--rounds: from 1 to 1000"},
      {[](ProfilePlan& p) { p.wait = "sleep"; }, "--wait: unknown value 'sleep'; use one of spin"},
      {[](ProfilePlan& p) { p.pin = "three"; }, "--pin: unknown value 'three'; use one of one"},
      {[](ProfilePlan& p) { p.fifo = 100; }, "--fifo: a priority"},
      {[](ProfilePlan& p) { p.load = 1001; }, "--load: from 0 to 1000"},
  };
  for (const auto& [change, message] : cases) {
    ProfilePlan plan = short_plan();
    change(plan);
    std::ostringstream out, err;
    EXPECT_EQ(run_profile_command(plan, kPrograms, "", out, err), 2) << message;
    EXPECT_THAT(err.str(), HasSubstr(message));
  }
}

}  // namespace
}  // namespace orbweaver::bench
