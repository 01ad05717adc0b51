// `orbweaver bench profile` in short form: stamps of every packet, and statistics. No durations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/latency_profile/command.h"
#include "bench/latency_profile/parts.h"
#include "bench/latency_profile/report.h"
#include "bench/latency_profile/runner.h"

namespace orbweaver::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

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
  for (const char* transport : {"tcp", "unix", "shm"})
    expect_stamps_in_order(run_profile(short_form(transport), kPrograms + "/bench-floor-profile", Pin::none),
                           30);
}

TEST(ProfileRun, StampsEveryPacketOfTheFloorOverSharedMemoryHoweverItWaits) {
  for (const char* wait : {"block", "adaptive", "default"}) {
    ProfileSettings settings = short_form("shm");
    settings.wait = wait;
    settings.packets = 1'000;  // more than the ring has slots
    expect_stamps_in_order(run_profile(settings, kPrograms + "/bench-floor-profile", Pin::none), 1'000);
  }
}

TEST(ProfileRun, StampsEveryPacketOfOmniOrbInEachThreadMode) {
  const std::string program = kPrograms + "/bench-omniorb-profile";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "omniORB is not installed";
  for (const char* threads : {"connection", "pool:1", "pool:4"})
    expect_stamps_in_order(run_profile(short_form("unix", threads), program, Pin::none), 30);
}

TEST(ProfileRun, SendsPacketsWithoutSamples) {
  for (const char* program : {"/bench-orbweaver-profile", "/bench-floor-profile"}) {
    for (const char* transport : {"unix", "shm"}) {
      ProfileSettings settings = short_form(transport);
      settings.samples = 0;
      expect_stamps_in_order(run_profile(settings, kPrograms + program, Pin::none), 30);
    }
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
  ProfileSettings settings{"mqueue", "spin", "pool:3", 0, 7, 1000, true};
  EXPECT_EQ(profile_from_args(to_args(settings)), settings);
  EXPECT_EQ(profile_from_args({"--packets", "many"}), std::nullopt);
  EXPECT_EQ(profile_from_args({"--packets"}), std::nullopt);
  EXPECT_EQ(profile_from_args({"--interceptors", "2"}), std::nullopt);
  EXPECT_EQ(profile_from_args({"--pigeons", "1"}), std::nullopt);
}

/// Stamps in the order of the way of a packet, without those of interceptors.
PacketStamps plain_stamps(std::int64_t called_ns, std::int64_t returned_ns, std::int64_t dispatched_ns,
                          std::int64_t queued_ns, std::int64_t inserted_ns, std::int64_t processed_ns) {
  PacketStamps stamps;
  stamps.called_ns = called_ns;
  stamps.returned_ns = returned_ns;
  stamps.dispatched_ns = dispatched_ns;
  stamps.queued_ns = queued_ns;
  stamps.inserted_ns = inserted_ns;
  stamps.processed_ns = processed_ns;
  return stamps;
}

PacketStamps with_interceptors(PacketStamps stamps, std::int64_t stub_ns, std::int64_t sent_ns,
                               std::int64_t received_ns) {
  stamps.stub_ns = stub_ns;
  stamps.sent_ns = sent_ns;
  stamps.received_ns = received_ns;
  return stamps;
}

std::vector<std::pair<std::string, std::vector<double>>> pairs_of(const std::vector<PartTimes>& parts) {
  std::vector<std::pair<std::string, std::vector<double>>> pairs;
  for (const PartTimes& each : parts) pairs.emplace_back(each.part, each.us);
  return pairs;
}

TEST(OverlappingParts, AreDifferencesOfStamps) {
  const std::vector<PacketStamps> stamps{plain_stamps(1'000, 3'000, 6'000, 8'000, 9'000, 10'000),
                                         plain_stamps(20'000, 20'500, 21'000, 22'000, 23'000, 30'000)};
  EXPECT_THAT(pairs_of(overlapping_parts(stamps)),
              ElementsAre(Pair("latency", ElementsAre(9, 10)), Pair("send", ElementsAre(2, 0.5)),
                          Pair("dispatch", ElementsAre(5, 1)), Pair("queue", ElementsAre(4, 9))));
}

TEST(OverlappingParts, NameALostPacket) {
  const std::vector<PacketStamps> stamps{plain_stamps(1, 2, 3, 4, 5, 6), plain_stamps(6, 7, 0, 0, 0, 0)};
  EXPECT_THAT([&] { overlapping_parts(stamps); },
              ::testing::ThrowsMessage<std::runtime_error>("packet 2 was lost"));
}

TEST(ConsecutiveParts, AreDifferencesOfConsecutiveStamps) {
  const PacketStamps plain = plain_stamps(1'000, 3'500, 6'000, 8'000, 9'000, 12'000);
  EXPECT_THAT(pairs_of(consecutive_parts(std::vector{with_interceptors(plain, 1'500, 3'000, 5'500)})),
              ElementsAre(Pair("latency", ElementsAre(11)), Pair("stub", ElementsAre(0.5)),
                          Pair("marshalling", ElementsAre(1.5)), Pair("transport", ElementsAre(2.5)),
                          Pair("skeleton", ElementsAre(0.5)), Pair("copy", ElementsAre(2)),
                          Pair("queue", ElementsAre(1)), Pair("wake-up", ElementsAre(3))));
}

TEST(ConsecutiveParts, AreJoinedWithoutStampsOfInterceptors) {
  EXPECT_THAT(
      pairs_of(consecutive_parts(std::vector{plain_stamps(1'000, 3'500, 6'000, 8'000, 9'000, 12'000)})),
      ElementsAre(Pair("latency", ElementsAre(11)), Pair("stub+marshalling", ElementsAre(2.5)),
                  Pair("transport+skeleton", ElementsAre(2.5)), Pair("copy", ElementsAre(2)),
                  Pair("queue", ElementsAre(1)), Pair("wake-up", ElementsAre(3))));
}

TEST(ConsecutiveParts, KeepANegativePart) {
  const PacketStamps received_before_sent = plain_stamps(1'000, 7'000, 3'000, 4'000, 4'500, 5'000);
  const auto parts = consecutive_parts(std::vector{received_before_sent});
  EXPECT_THAT(parts[2].us, ElementsAre(-4));
  ProfileRow row;
  row.consecutive = true;
  row.add({received_before_sent, plain_stamps(1'000, 2'000, 3'000, 4'000, 4'500, 5'000)});
  EXPECT_EQ(row.parts[1].negative, 0u);
  EXPECT_EQ(row.parts[2].negative, 1u);
  EXPECT_EQ(row.parts[2].rounds[0].min_us, -4);
}

TEST(ConsecutiveParts, NameAPacketThatAnInterceptorHasNotStamped) {
  const PacketStamps plain = plain_stamps(1, 4, 6, 7, 8, 9);
  EXPECT_THAT(
      [&] {
        consecutive_parts(std::vector{with_interceptors(plain, 2, 3, 5), plain});
      },
      ::testing::ThrowsMessage<std::runtime_error>("packet 2 was lost"));
}

/// Runs a program, and checks that the parts of each packet add up to its latency. Returns their names.
std::vector<std::string> parts_that_add_up(const std::string& program, const ProfileSettings& settings) {
  const auto parts = consecutive_parts(run_profile(settings, kPrograms + program, Pin::none).stamps);
  std::vector<std::string> names;
  for (const PartTimes& each : parts) names.push_back(each.part);
  for (std::size_t packet = 0; packet < settings.packets; ++packet) {
    double sum_us = 0;
    for (std::size_t i = 1; i < parts.size(); ++i) sum_us += parts[i].us.at(packet);
    EXPECT_NEAR(sum_us, parts[0].us.at(packet), 1e-4) << "packet " << packet;
  }
  return names;
}

TEST(ConsecutiveParts, AddUpToTheLatencyOfEachPacket) {
  for (const char* transport : {"tcp", "unix", "shm"}) {
    ProfileSettings settings = short_form(transport);
    EXPECT_THAT(parts_that_add_up("/bench-orbweaver-profile", settings),
                ElementsAre("latency", "stub+marshalling", "transport+skeleton", "copy", "queue", "wake-up"));
    settings.interceptors = true;
    EXPECT_THAT(
        parts_that_add_up("/bench-orbweaver-profile", settings),
        ElementsAre("latency", "stub", "marshalling", "transport", "skeleton", "copy", "queue", "wake-up"));
  }
  EXPECT_THAT(parts_that_add_up("/bench-floor-profile", short_form("unix")),
              ElementsAre("latency", "stub+marshalling", "transport+skeleton", "copy", "queue", "wake-up"));
}

void expect_interceptors_in_order(const std::string& threads) {
  ProfileSettings settings = short_form("unix", threads);
  settings.interceptors = true;
  const ProfileRun run = run_profile(settings, kPrograms + "/bench-orbweaver-profile", Pin::none);
  ASSERT_EQ(run.stamps.size(), 30u);
  for (const PacketStamps& packet : run.stamps) {
    EXPECT_GE(packet.stub_ns, packet.called_ns);
    EXPECT_GE(packet.sent_ns, packet.stub_ns);
    EXPECT_GE(packet.returned_ns, packet.sent_ns);
    EXPECT_GE(packet.received_ns, packet.stub_ns) << "the message is sent after it is marshalled";
    EXPECT_GE(packet.dispatched_ns, packet.received_ns) << "of the same request";
    EXPECT_GE(packet.queued_ns, packet.dispatched_ns);
    EXPECT_GE(packet.inserted_ns, packet.queued_ns);
    EXPECT_GE(packet.processed_ns, packet.queued_ns);
  }
}

TEST(ProfileRun, StampsEveryPacketInInterceptors) {
  for (const char* threads : {"connection", "pool:2", "single"}) expect_interceptors_in_order(threads);
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

TEST(ProfileCommand, MeasuresPartsWithAndWithoutInterceptors) {
  ProfilePlan plan = short_plan();
  plan.parts = true;
  std::ostringstream out, err;
  ASSERT_EQ(run_profile_command(plan, kPrograms, "-", out, err), 0) << err.str();
  const auto rows = nlohmann::json::parse(out.str());
  ASSERT_EQ(rows.size(), 20u);  // 6 of the floor, 6 and 8 of Orbweaver
  EXPECT_EQ(rows[6]["interceptors"], false);
  EXPECT_EQ(rows[12]["interceptors"], true);
  EXPECT_EQ(rows[12]["type"], "latency");
  EXPECT_EQ(rows[12]["rounds_p50_us"].size(), 2u);
  EXPECT_EQ(rows[16]["type"], "skeleton");
  EXPECT_EQ(rows[16]["negative"], 0);
  EXPECT_THAT(err.str(), HasSubstr("  orbweaver, interceptors "));
  EXPECT_THAT(err.str(), HasSubstr("  interceptors: latency "));
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
