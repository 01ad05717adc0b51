#include "sca/deploy/run_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include <orbweaver/sca/detail/latency_histogram.h>

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;

RunResult sample() {
  RunResult result;
  result.assembly = "Chain";
  result.sad = "chain.sad.xml";
  result.components = {
      {"source_1", "Source", 41, "process 1", 0.125, "exited with status 0", {{"samples", 16000}}},
      {"sink_1", "Sink", 42, "process 2", 1.5, "killed by SIGSEGV", {}}};
  result.components[0].copied_bytes = 65536;
  HopResult hop;
  hop.from = "source_1.out";
  hop.to = "sink_1.in";
  hop.transport = "shm";
  hop.packets = 100;
  hop.bytes = 2'000'000;
  LatencyHistogram latency;
  for (int i = 0; i < 99; ++i) latency.add(3000);
  latency.add(1'200'000);
  hop.latency = latency.counts();
  hop.max_ns = latency.max_ns();
  hop.first_ns = 1000;
  hop.last_ns = 1'000'001'000;
  hop.queue_limit = 64;
  result.hops = {hop};
  return result;
}

TEST(RunResult, MatchesTheDocumentedFormat) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["outcome"], "completed");
  EXPECT_EQ(json["components"][0]["stats"]["samples"], 16000);
  EXPECT_EQ(json["components"][0]["copied_bytes"], 65536);
  EXPECT_TRUE(json["components"][1]["copied_bytes"].is_null());
  const auto& hop = json["hops"][0];
  EXPECT_EQ(hop["from"], "source_1.out");
  EXPECT_NEAR(hop["p50_us"].get<double>(), 3.0, 3.0 / 8);
  EXPECT_EQ(hop["max_us"], 1200.0);
  EXPECT_DOUBLE_EQ(hop["mb_per_s"].get<double>(), 2.0);
  EXPECT_EQ(hop["histogram"].size(), 2u) << "empty buckets are omitted";
  EXPECT_EQ(hop["histogram"][0]["count"], 99);
}

TEST(RunResult, EscapesInvalidUtf8) {
  auto result = sample();
  result.components[0].stats[0].first = "\xff";
  EXPECT_TRUE(nlohmann::json::accept(to_json(result)));
}

TEST(RunResult, ReportsAMissingFolder) {
  EXPECT_THAT(write_json(sample(), "/nowhere/result.json").error().message,
              HasSubstr("/nowhere/result.json: the result cannot be written"));
}

TEST(RunResult, IsWrittenToADeviceOrPipeWithoutReplacingIt) {
  const std::string pipe = ::testing::TempDir() + "/run_result.pipe." + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] {
    std::ifstream in(pipe);
    read.assign(std::istreambuf_iterator<char>(in), {});
  });
  EXPECT_TRUE(write_json(sample(), pipe));
  reader.join();
  EXPECT_EQ(read, to_json(sample()));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  std::filesystem::remove(pipe);
}

TEST(RunResult, ReplacesTheFileThatASymbolicLinkNames) {
  const std::string file = ::testing::TempDir() + "/run_result.json." + std::to_string(getpid());
  const std::string link = file + ".link";
  std::ofstream(file) << "before";
  std::filesystem::create_symlink(file, link);
  EXPECT_TRUE(write_json(sample(), link));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), to_json(sample()));
  std::filesystem::remove(link);
  std::filesystem::remove(file);
}

TEST(ResultTable, AlignsItsColumns) {
  EXPECT_EQ(to_table(sample()),
            "hop                        transport  packets  lost  reordered      p50      p99      max  "
            "MB/s  queue\n"
            "source_1.out  > sink_1.in  shm            100     0          0  3.07 us  3.07 us  1.20 ms  "
            "2.00   0/64\n"
            "\n"
            "component  placement  pid  CPU s  end\n"
            "source_1   process 1   41  0.125  exited with status 0\n"
            "sink_1     process 2   42  1.500  killed by SIGSEGV\n"
            "\n"
            "counters\n"
            "  source_1: samples 16000\n");
}

TEST(ResultTable, HasADashForAnUnknownProcess) {
  auto result = sample();
  result.components[0].pid = -1;
  EXPECT_THAT(to_table(result), HasSubstr("source_1   process 1    -  0.125"));
}

TEST(RunResult, ListsUnconnectedOutputs) {
  auto result = sample();
  result.unconnected = {{"source_1.monitor", 12}};
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["unconnected"][0]["port"], "source_1.monitor");
  EXPECT_EQ(json["unconnected"][0]["dropped_packets"], 12);
  EXPECT_THAT(to_table(result), HasSubstr("\nsource_1.monitor is not connected: 12 packets dropped\n"));
}

TEST(ResultTable, IsPrintable) {
  auto result = sample();
  result.hops[0].from = "a\n.out";
  result.components[0].id = "b\u009b2J";
  result.components[0].stats[0].first = "c\u202e";
  result.unconnected = {{"d\x1b.out", 1}};
  const std::string table = to_table(result);
  EXPECT_THAT(table, HasSubstr("\na\\x0a.out  "));
  EXPECT_THAT(table, HasSubstr("\nb\\xc2\\x9b2J  "));
  EXPECT_THAT(table, HasSubstr("\n  b\\xc2\\x9b2J: c\\u{202e} "));
  EXPECT_THAT(table, HasSubstr("\nd\\x1b.out is not connected"));
  const std::string json = to_json(result);
  EXPECT_THAT(json, HasSubstr("\"b\\u009b2J\""));
  EXPECT_TRUE(
      std::all_of(json.begin(), json.end(), [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); }));
}

TEST(ResultTable, BreaksLongListsOfCounters) {
  auto result = sample();
  for (int i = 0; i < 20; ++i) result.components[0].stats.emplace_back("a_counter_" + std::to_string(i), 0.5);
  std::istringstream table(to_table(result));
  for (std::string line; std::getline(table, line);) EXPECT_LE(line.size(), 110u);
}

TEST(ResultTable, HasDashesForFiguresThatNoComponentReported) {
  auto result = sample();
  result.hops[0].transport = "";
  EXPECT_THAT(to_table(result), HasSubstr("source_1.out  > sink_1.in  -              100     0"));
  result.hops[0].has_counts = false;
  EXPECT_THAT(to_table(result),
              HasSubstr("source_1.out  > sink_1.in  -                -     -          -    -"));
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["hops"][0]["transport"], "unknown");
  EXPECT_EQ(json["hops"][0]["has_counts"], false);
}

}  // namespace
}  // namespace orbweaver::sca
