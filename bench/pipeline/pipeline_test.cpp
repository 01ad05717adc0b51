// The pipeline in short form: every mode with few packets and no work. Counts and order, no durations.
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>

#include "bench/pipeline/command.h"
#include "bench/pipeline/report.h"
#include "bench/pipeline/runner.h"

namespace orbweaver::bench {

void PrintTo(PipelineMode mode, std::ostream* out) { *out << name(mode); }

namespace {

const std::string kProgram = std::string(ORBWEAVER_BENCH_PROGRAMS) + "/bench-orbweaver-pipeline";
constexpr std::uint32_t kPackets = 60;

PipelineSettings short_form(PipelineMode mode) {
  PipelineSettings settings;
  settings.mode = mode;
  settings.packets = kPackets;
  settings.work_ms = 0;
  settings.queue = 8;
  return settings;
}

void expect_every_packet_in_order(const PipelineResult& result) {
  ASSERT_EQ(result.stages.size(), result.settings.stages);
  for (const StageResult& stage : result.stages) {
    EXPECT_EQ(stage.received, result.settings.packets);
    EXPECT_EQ(stage.reordered, 0);
    EXPECT_EQ(stage.duplicates, 0);
    EXPECT_EQ(stage.corrupt, 0);
  }
  EXPECT_EQ(lost(result), 0);
  EXPECT_EQ(result.send_us.size(), result.settings.packets);
}

struct Pipeline : ::testing::TestWithParam<PipelineMode> {};

TEST_P(Pipeline, DeliversEveryPacketInOrder) {
  expect_every_packet_in_order(run_pipeline(short_form(GetParam()), kProgram));
}

TEST_P(Pipeline, DeliversEveryPacketInOrderInOneProcess) {
  PipelineSettings settings = short_form(GetParam());
  settings.collocated = true;
  expect_every_packet_in_order(run_pipeline(settings, kProgram));
}

std::string name_of(const ::testing::TestParamInfo<PipelineMode>& info) {
  std::string text(name(info.param));
  for (char& c : text)
    if (c == '-') c = '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(Modes, Pipeline,
                         ::testing::Values(PipelineMode::oneway_transport, PipelineMode::oneway_server,
                                           PipelineMode::oneway_target, PipelineMode::twoway,
                                           PipelineMode::twoway_thread, PipelineMode::ordered,
                                           PipelineMode::stamped),
                         name_of);

TEST(PipelineControl, LeavesTheFirstStageLastWithTwoWayCalls) {
  const PipelineResult result = run_pipeline(short_form(PipelineMode::twoway), kProgram);
  ASSERT_EQ(result.stages.size(), 3);
  EXPECT_GT(result.stages[0].last_packet_ms, result.stages[1].last_packet_ms);
  EXPECT_GT(result.stages[1].last_packet_ms, result.stages[2].last_packet_ms);
}

TEST(PipelineControl, DeliversEveryPacketInAnyOrderIfDispatchIsUnordered) {
  const PipelineResult result = run_pipeline(short_form(PipelineMode::unordered), kProgram);
  ASSERT_EQ(result.stages.size(), 3);
  for (const StageResult& stage : result.stages) {
    EXPECT_EQ(stage.received, kPackets);
    EXPECT_EQ(stage.duplicates, 0);
    EXPECT_EQ(stage.corrupt, 0);
  }
  EXPECT_EQ(lost(result), 0);
}

TEST(PipelineControl, DropsNothingWithSyncNoneWhileTheQueueHoldsAllPackets) {
  expect_every_packet_in_order(run_pipeline(short_form(PipelineMode::oneway_none), kProgram));
}

TEST(PipelineControl, RunsWithAnyNumberOfStages) {
  for (const unsigned stages : {1u, 5u}) {
    PipelineSettings settings = short_form(PipelineMode::ordered);
    settings.stages = stages;
    settings.transport = "unix";
    expect_every_packet_in_order(run_pipeline(settings, kProgram));
  }
}

TEST(PipelineControl, NamesTheStageThatFails) {
  PipelineSettings settings = short_form(PipelineMode::ordered);
  settings.transport = "pigeon";
  try {
    run_pipeline(settings, kProgram);
    FAIL() << "an unknown transport was accepted";
  } catch (const std::runtime_error& problem) {
    EXPECT_EQ(std::string(problem.what()), "stage 3 ended with status 1");
  }
}

PipelineResult example() {
  PipelineResult result;
  result.settings.stages = 2;
  result.settings.packets = 4;
  result.settings.mode = PipelineMode::stamped;
  result.stages = {{20.5, 4, 0, 2, 0, 0, {0.5, 3, 2.25}}, {25.25, 4, 1, 2, 1, 0, {0.75, 0, 4}}};
  result.send_us = {9, 4000, 12, 11};
  result.producer_peak_kib = 8192;
  return result;
}

TEST(PipelineCommand, NamesTheValidTransports) {
  PipelinePlan plan;
  plan.settings.transport = "inproc";
  std::ostringstream out, err;
  EXPECT_EQ(run_pipeline_command(plan, "", out, err), 2);
  EXPECT_EQ(
      err.str(),
      "orbweaver bench: --transport: unknown value 'inproc'; use one of shm, unix, mqueue, tcp, udp, or "
      "--collocated for one process\n");
}

TEST(PipelineSettings, SurviveTheCommandLineOfAProgram) {
  PipelineSettings settings;
  settings.mode = PipelineMode::twoway_thread;
  settings.transport = "tcp";
  settings.wait = "spin";
  settings.work_ms = 0.1;
  settings.pace_ms = 2.5;
  settings.work = WorkBy::compute;
  settings.queue = 7;
  settings.collocated = true;
  EXPECT_EQ(pipeline_from_args(to_args(settings)), settings);
  for (const PipelineMode mode : all_pipeline_modes()) EXPECT_EQ(pipeline_mode(name(mode)), mode);
  EXPECT_EQ(pipeline_from_args({"--packets", "many"}), std::nullopt);
  EXPECT_EQ(pipeline_from_args({"--packets"}), std::nullopt);
}

TEST(PipelineSettings, GiveTheTheoreticalTimes) {
  PipelineSettings settings;
  EXPECT_EQ(theoretical_ms(settings, 1), 5000);
  EXPECT_EQ(theoretical_ms(settings, 3), 5010);
  EXPECT_EQ(theoretical_synchronous_ms(settings), 15000);
  settings.pace_ms = 6;
  EXPECT_EQ(theoretical_ms(settings, 3), 999 * 6 + 15);
  EXPECT_EQ(theoretical_synchronous_ms(settings), 15000);
}

TEST(PipelineResult, SurvivesTheLinesOfTheProducer) {
  const PipelineResult sent = example();
  PipelineResult received{sent.settings, {}, {}, 0};
  for (const std::string& line : to_lines(sent)) EXPECT_TRUE(add_line(received, line)) << line;
  EXPECT_EQ(received, sent);
  for (const char* line : {"", "stage 1 2 3", "stage 1 2 3 4 5 6", "stage 1 2 3 4 5 6 7 8 9 10", "producer",
                           "producer 1 x", "oops"})
    EXPECT_FALSE(add_line(received, line)) << line;
}

TEST(PipelineResult, CountsPacketsThatTheLastStageDidNotReceive) {
  EXPECT_EQ(lost(example()), 1) << "a duplicate is not another packet";
  EXPECT_EQ(send_p50_us(example()), 12);
  EXPECT_EQ(send_max_us(example()), 4000);
}

TEST(PipelineReport, WritesOneRowForEachRun) {
  std::ostringstream json;
  write_pipeline_json(json, {{example()}});
  for (const char* part : {R"("experiment": "pipeline")", R"("mode": "stamped")", R"("transport": "shm")",
                           R"("stages": 2)", R"("packets": 4)", R"("work_ms": 5.0)", R"("pace_ms": 0.0)",
                           R"("lost": 1)", R"("send_p50_us": 12.0)", R"("send_max_us": 4000.0)"}) {
    EXPECT_NE(json.str().find(part), std::string::npos) << part << " in " << json.str();
  }
  std::string lines = json.str();
  std::erase_if(lines, [](char c) { return c == ' ' || c == '\n'; });
  for (const char* part :
       {R"("last_packet_ms":[20.5,25.25])", R"("reordered":[0,1])", R"("reordered_on_arrival":[2,2])",
        R"("late_us":[0.5,0.75])", R"("between_us":[3.0,0.0])", R"("pass_on_us":[2.25,4.0])"}) {
    EXPECT_NE(lines.find(part), std::string::npos) << part << " in " << lines;
  }
}

TEST(PipelineReport, WritesTheMedianRoundAndTheFiguresOfEach) {
  PipelineRounds rounds(3, example());
  for (const std::size_t i : {0u, 1u, 2u})
    rounds[i].stages.back().last_packet_ms = rounds[i].send_us.back() = std::array{30.0, 10.0, 20.0}[i];
  EXPECT_EQ(median_round(rounds), rounds[2]);
  rounds.pop_back();
  EXPECT_EQ(median_round(rounds), rounds[1]) << "of two the earlier one";
  std::ostringstream json;
  write_pipeline_json(json, {rounds});
  std::string lines = json.str();
  std::erase_if(lines, [](char c) { return c == ' ' || c == '\n'; });
  for (const char* part : {R"("last_packet_ms":[20.5,10.0])", R"("rounds_last_packet_ms":[30.0,10.0])",
                           R"("rounds_reordered":[1,1])", R"("rounds_send_max_us":[4000.0,4000.0])"})
    EXPECT_NE(lines.find(part), std::string::npos) << part << " in " << lines;
}

TEST(PipelineReport, NamesTheKernelsLimitOfRealTimeProcesses) {
  std::ostringstream usual, fifo;
  print_pipeline(usual, {example()}, {"machine", "commit", "0.1", 0});
  EXPECT_EQ(usual.str().find("SCHED_FIFO"), std::string::npos);
  print_pipeline(fifo, {example()}, {"machine", "commit", "0.1", 50});
  EXPECT_NE(fifo.str().find(", SCHED_FIFO 50, kernel.sched_rt_runtime_us "), std::string::npos) << fifo.str();
}

TEST(PipelineReport, PrintsTheDocumentsFiguresForItsSettingsOnly) {
  std::ostringstream other, same;
  print_pipeline(other, {example()}, {"machine", "commit", "0.1", 0});
  EXPECT_NE(other.str().find("25.2"), std::string::npos) << other.str();
  EXPECT_EQ(other.str().find("4513.6"), std::string::npos);
  PipelineResult full;
  full.stages.resize(3);
  print_pipeline(same, {full}, {"machine", "commit", "0.1", 0});
  for (const char* figure : {"4513.6", "5426.9", "15683.9", "5297.2", "612", "349"})
    EXPECT_NE(same.str().find(figure), std::string::npos) << figure << " in " << same.str();
}

}  // namespace
}  // namespace orbweaver::bench
