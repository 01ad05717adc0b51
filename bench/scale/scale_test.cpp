// `orbweaver bench scale` in short form: counts of connections, objects and processes. No durations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "bench/harness/plan.h"
#include "bench/scale/command.h"
#include "bench/scale/plan.h"
#include "bench/scale/process_state.h"
#include "bench/scale/runner.h"
#include "bench/scale/subject.h"

namespace orbweaver::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

const std::string kPrograms = ORBWEAVER_BENCH_PROGRAMS;

std::size_t children() {
  std::ifstream file("/proc/thread-self/children");
  std::size_t count = 0;
  for (std::string pid; file >> pid;) ++count;
  return count;
}

TEST(ScaleRun, HasAConnectionForEachClient) {
  for (const char* program : {"/bench-orbweaver-scale", "/bench-floor-scale"}) {
    const auto samples =
        run_scale({ScalePart::clients, 3, "connection", 10, {1, 2}}, kPrograms + program, Pin::none);
    ASSERT_THAT(samples, SizeIs(2)) << program;
    EXPECT_EQ(samples[0].callers, 1u);
    EXPECT_EQ(samples[0].times.calls, 10u);
    EXPECT_EQ(samples[1].callers, 2u);
    for (const ScaleSample& sample : samples) {
      EXPECT_EQ(sample.figures.at("connections"), 3) << program;
      EXPECT_THAT(sample.figures.at("server_threads"), Gt(3)) << "a thread for each connection";
      EXPECT_THAT(sample.figures.at("server_descriptors"), Gt(3));
      EXPECT_TRUE(sample.figures.contains("server_kib_each"));
      EXPECT_THAT(sample.times.server.resident_kib, Gt(0));
    }
  }
  EXPECT_EQ(children(), 0u);
}

TEST(ScaleRun, ServesConnectionsByAPool) {
  const auto samples =
      run_scale({ScalePart::clients, 20, "pool:2", 40, {2}}, kPrograms + "/bench-orbweaver-scale", Pin::none);
  ASSERT_THAT(samples, SizeIs(1));
  EXPECT_EQ(samples[0].figures.at("connections"), 20);
  EXPECT_LT(samples[0].figures.at("server_threads"), 20);
}

TEST(ScaleRun, CallsEachObject) {
  const auto samples = run_scale({ScalePart::objects, 2 * kItemsOfAReply + 1, "connection", 10, {1}},
                                 kPrograms + "/bench-orbweaver-scale", Pin::none);
  ASSERT_THAT(samples, SizeIs(1));
  EXPECT_EQ(samples[0].times.calls, 10u);
  EXPECT_THAT(samples[0].figures.at("activate_ms"), Gt(0));
}

TEST(ScaleRun, ReceivesTheFirstPacketOfEachComponent) {
  for (const char* program : {"/bench-orbweaver-scale", "/bench-floor-scale"}) {
    const auto samples =
        run_scale({ScalePart::components, 2, "connection", 1, {1}}, kPrograms + program, Pin::none);
    ASSERT_THAT(samples, SizeIs(1)) << program;
    EXPECT_EQ(samples[0].times.calls, 2u);
    EXPECT_THAT(samples[0].times.min_us, Gt(0));
    EXPECT_THAT(samples[0].figures.at("component_threads"), Ge(1));
    EXPECT_THAT(samples[0].figures.at("component_cpu_us"), Gt(0));
    EXPECT_THAT(samples[0].times.server.resident_kib, Gt(0));
  }
  EXPECT_EQ(children(), 0u);
}

#ifdef ORBWEAVER_BENCH_HAS_SCA
TEST(ScaleRun, DeploysComponentsInARing) {
  for (const std::uint32_t count : {1u, 2u}) {
    const auto samples = run_scale({ScalePart::components, count, "connection", 1, {1}},
                                   kPrograms + "/bench-sca-scale", Pin::none);
    ASSERT_THAT(samples, SizeIs(1));
    EXPECT_EQ(samples[0].times.calls, count);
    EXPECT_THAT(samples[0].times.min_us, Gt(0));
  }
}
#endif

TEST(ScaleRun, NamesTheProcessThatFails) {
  EXPECT_THAT(
      [] {
        run_scale({ScalePart::clients, 1, "connection", 1, {1}}, "/nonexistent", Pin::none);
      },
      ThrowsMessage<std::runtime_error>("the server ended with status 127"));
  EXPECT_THAT(
      [] {
        run_scale({ScalePart::components, 1, "connection", 1, {1}}, "/nonexistent", Pin::none);
      },
      ThrowsMessage<std::runtime_error>("the starter ended with status 127"));
}

TEST(ScaleSettings, SurviveTheCommandLineOfAProgram) {
  const ScaleSettings settings{ScalePart::objects, 7, "pool:3", 11, {1, 4}};
  EXPECT_EQ(scale_from_args(to_args(settings)), settings);
  EXPECT_EQ(scale_from_args({"--count", "many"}), std::nullopt);
  EXPECT_EQ(scale_from_args({"--count"}), std::nullopt);
  EXPECT_EQ(scale_from_args({"--callers", "1,"}), std::nullopt);
  EXPECT_EQ(scale_from_args({"--part", "pigeons"}), std::nullopt);
  EXPECT_EQ(scale_from_args({"--threads", "pool:1000"}), std::nullopt);
  EXPECT_EQ(scale_from_args({"--pigeons", "1"}), std::nullopt);
}

TEST(ScaleSettings, HaveAtMostAsManyCallersAsConnections) {
  EXPECT_THAT(possible_callers({ScalePart::clients, 3, "connection", 1, {1, 3, 4}}), ElementsAre(1, 3));
  EXPECT_THAT(possible_callers({ScalePart::objects, 100, "connection", 1, {1, 4}}), ElementsAre(1));
  EXPECT_THAT(possible_callers({ScalePart::clients, 1, "connection", 1, {2}}), IsEmpty());
}

TEST(ScaleSample, SurvivesTheOutputOfAProgram) {
  ScaleSample one, two;
  one.times.p90_us = 1.0 / 3;
  one.times.server.private_kib = 7;
  one.figures["connections"] = 1000;
  two.callers = 4;
  std::istringstream lines(to_lines({one, two}));
  ScaleSampleReader reader;
  bool complete = false;
  for (std::string line; std::getline(lines, line);) complete = !reader.add(line);
  EXPECT_TRUE(complete);
  const auto samples = reader.samples();
  ASSERT_THAT(samples, SizeIs(2));
  EXPECT_EQ(samples[0].times.p90_us, one.times.p90_us);
  EXPECT_EQ(samples[0].times.server.private_kib, 7);
  EXPECT_EQ(samples[0].figures, one.figures);
  EXPECT_EQ(samples[1].callers, 4u);
  EXPECT_THAT(samples[1].figures, IsEmpty());
}

TEST(ScaleSample, RejectsAnotherLine) {
  for (const char* line : {"Segmentation fault", "figure connections 1", "callers", "callers many"}) {
    ScaleSampleReader reader;
    EXPECT_THROW(reader.add(line), std::invalid_argument) << line;
  }
}

TEST(ScaleSample, CombinesRoundsByMedian) {
  std::vector<ScaleSample> rounds(3);
  for (std::size_t i = 0; i < 3; ++i) {
    rounds[i].callers = 4;
    rounds[i].times.p90_us = rounds[i].figures["connect_ms"] = static_cast<double>(i * i);
  }
  const ScaleSample all = combine(rounds);
  EXPECT_EQ(all.callers, 4u);
  EXPECT_EQ(all.times.p90_us, 1);
  EXPECT_EQ(all.figures.at("connect_ms"), 1);
}

TEST(ScaleSubject, HasAnAddressForEachClient) {
  EXPECT_EQ(address_of_client(0), "127.0.0.1");
  EXPECT_EQ(address_of_client(249), "127.0.0.250");
  EXPECT_EQ(address_of_client(250), "127.0.1.1");
  EXPECT_EQ(address_of_client(4999), "127.0.19.250");
  EXPECT_EQ(url_of_client(1, 4711), "corbaloc:iiop:1.2@127.0.0.2:4711/scale");
}

TEST(ProcessState, IsZeroOfAProcessThatDoesNotExist) {
  EXPECT_EQ(threads_of(1 << 30), 0u);
  EXPECT_EQ(descriptors_of(1 << 30), 0u);
  EXPECT_GT(threads_of(getpid()), 0u);
  EXPECT_GT(descriptors_of(getpid()), 2u);
}

TEST(ProcessState, NamesALimitOfDescriptorsThatIsTooLow) {
  EXPECT_THAT([] { allow_descriptors(~std::uint64_t{0} / 2); },
              ThrowsMessage<std::runtime_error>(HasSubstr("raise the hard limit (ulimit -Hn)")));
}

TEST(ProcessState, FindsNoPortOfAProcessThatDoesNotListen) {
  EXPECT_THAT(listening_port,
              ThrowsMessage<std::runtime_error>("the server listens on 0 TCP ports instead of one"));
}

TEST(ScalePlan, MeasuresThreadsOfTheServerWithClientsOnly) {
  ScalePlan plan;
  plan.clients = {1, 10};
  plan.objects = {5};
  plan.components = {2};
  plan.threads = {"connection", "pool:4"};
  plan.callers = {4};
  plan.calls = 9;
  EXPECT_THAT(scale_settings(plan),
              ElementsAre(ScaleSettings{ScalePart::clients, 10, "connection", 9, {4}},
                          ScaleSettings{ScalePart::clients, 10, "pool:4", 9, {4}},
                          ScaleSettings{ScalePart::objects, 5, "connection", 9, {1}},
                          ScaleSettings{ScalePart::components, 2, "connection", 9, {1}}))
      << "one client has no four callers";
}

TEST(ScalePlan, SaysWhatASubjectDoesNotHave) {
  const auto reason = [](const char* subject, ScalePart part, const char* threads) {
    return reason_against(subject, {part, 1, threads, 1, {1}});
  };
  EXPECT_EQ(reason("sca", ScalePart::clients, "connection"), "it is measured with components");
  EXPECT_EQ(reason("floor", ScalePart::objects, "connection"), "it has no objects");
  EXPECT_EQ(reason("floor", ScalePart::clients, "pool:2"),
            "it is measured with a thread for each connection");
  EXPECT_EQ(reason("orbweaver", ScalePart::clients, "pool:2"), "");
  EXPECT_EQ(reason("sca", ScalePart::components, "connection"), "");
}

ScalePlan short_plan() {
  ScalePlan plan;
  plan.clients = {2};
  plan.objects = {2};
  plan.components = {1};
  plan.callers = {1, 2};
  plan.subjects = {"floor", "orbweaver"};
  plan.calls = 20;
  plan.rounds = 2;
  return plan;
}

TEST(ScaleCommand, WritesARowForEachSubjectAndNumberOfCallers) {
  std::ostringstream out, err;
  ASSERT_EQ(run_scale_command(short_plan(), kPrograms, "-", out, err), 0) << err.str();
  const auto rows = nlohmann::json::parse(out.str());
  std::vector<std::string> cases;
  for (const auto& row : rows)
    cases.push_back(row["type"].get<std::string>() + " " + row["subject"].get<std::string>() + " " +
                    row["callers"].dump() + " " + row["count"].dump());
  EXPECT_THAT(cases, ElementsAre("clients floor 1 2", "clients orbweaver 1 2", "clients floor 2 2",
                                 "clients orbweaver 2 2", "objects orbweaver 1 2", "components floor 1 1",
                                 "components orbweaver 1 1"));
  for (const auto& row : rows) {
    EXPECT_EQ(row["experiment"], "scale");
    EXPECT_THAT(row["rounds_p50_us"], SizeIs(2));
  }
  EXPECT_EQ(rows[1]["connections"], 2);
  EXPECT_EQ(rows[1]["calls"], 40);
  EXPECT_EQ(rows[6]["calls"], 2) << "a component of each round";
  EXPECT_THAT(err.str(), HasSubstr("clients of one server"));
  EXPECT_THAT(err.str(), HasSubstr("active objects of one server: 20 calls"));
  EXPECT_THAT(err.str(), HasSubstr("components: from exec"));
}

TEST(ScaleCommand, ReportsAFailureAndASubjectThatIsNotBuilt) {
  ScalePlan plan = short_plan();
  plan.parts = {"objects"};
  std::ostringstream out, err;
  EXPECT_EQ(run_scale_command(plan, kPrograms, "/nonexistent/rows", out, err), 1);
  EXPECT_EQ(err.str(), "orbweaver bench: cannot write /nonexistent/rows\n");
  std::ostringstream none, problems;
  EXPECT_EQ(run_scale_command(plan, "/nonexistent", "", none, problems), 1);
  EXPECT_EQ(problems.str(), "skipped: orbweaver: not built here\norbweaver bench: nothing was measured\n");
}

TEST(ScaleCommand, NamesAnInvalidOption) {
  const std::pair<std::function<void(ScalePlan&)>, const char*> cases[] = {
      {[](ScalePlan& p) { p.parts = {"pigeons"}; }, "--part: unknown value 'pigeons'; use one of clients"},
      {[](ScalePlan& p) { p.subjects = {"tao"}; }, "--subject: unknown value 'tao'; use one of floor"},
      {[](ScalePlan& p) { p.subjects = {}; }, "--subject: needs one of floor"},
      {[](ScalePlan& p) { p.clients = {0}; }, "--clients: each from 1 to 5000"},
      {[](ScalePlan& p) { p.clients = {5001}; }, "--clients: each from 1 to 5000"},
      {[](ScalePlan& p) { p.objects = {}; }, "--objects: a number is needed"},
      {[](ScalePlan& p) { p.components = {1001}; }, "--components: each from 1 to 1000"},
      {[](ScalePlan& p) { p.callers = {65}; }, "--callers: each from 1 to 64"},
      {[](ScalePlan& p) { p.threads = {"pool:0"}; }, "--threads: unknown value 'pool:0'"},
      {[](ScalePlan& p) { p.threads = {}; }, "--threads: needs connection or pool:N"},
      {[](ScalePlan& p) { p.calls = 0; }, "--calls: from 1 to"},
      {[](ScalePlan& p) { p.rounds = 0; }, "--rounds: from 1 to 1000"},
      {[](ScalePlan& p) { p.pin = "three"; }, "--pin: unknown value 'three'; use one of one"},
      {[](ScalePlan& p) {
         p.parts = {"clients"};
         p.clients = {1};
         p.callers = {2};
       },
       "--callers: a client is called by one thread at a time"},
  };
  for (const auto& [change, message] : cases) {
    ScalePlan plan = short_plan();
    change(plan);
    std::ostringstream out, err;
    EXPECT_EQ(run_scale_command(plan, kPrograms, "", out, err), 2) << message;
    EXPECT_THAT(err.str(), HasSubstr(message));
  }
}

}  // namespace
}  // namespace orbweaver::bench
