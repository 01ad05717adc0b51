// Small runs of real processes. They check counts and clean-up, never speed.
#include "runner.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "child.h"
#include "command.h"
#include "machine.h"
#include "testing/print_experiment.h"
#include "timed_loop.h"

namespace orbweaver::bench {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RunnerOptions small() {
  RunnerOptions options;
  options.programs = own_folder();
  options.rounds = 2;
  return options;
}

/// A case with both ends on one core and blocking waits, which works on every machine under any load.
Case small_case(Experiment experiment, const std::string& transport, PayloadType type, std::size_t bytes) {
  Case c;
  c.experiment = experiment;
  c.transport = transport;
  c.type = type;
  c.bytes = bytes;
  c.calls = 300;
  c.wait = Wait::block;
  c.pin = Pin::one;
  return c;
}

/// Redirects temporary files of a test to a folder of its own, so that it can check that none is left.
struct PrivateTemporaries : testing::Test {
  fs::path folder;
  PrivateTemporaries() {
    std::string pattern = (fs::temp_directory_path() / "bench-test-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    setenv("TMPDIR", folder.c_str(), 1);
  }
  ~PrivateTemporaries() override {
    unsetenv("TMPDIR");
    fs::remove_all(folder);
  }
};

struct FloorRun : PrivateTemporaries, testing::WithParamInterface<std::tuple<Experiment, const char*>> {};

TEST_P(FloorRun, MovesAndCountsItsPayload) {
  const auto [experiment, transport] = GetParam();
  const Report report = run({small_case(experiment, transport, PayloadType::empty, 0),
                             small_case(experiment, transport, PayloadType::doubles, 4096),
                             small_case(experiment, transport, PayloadType::octet, 100'001)},
                            {"floor"}, small());
  EXPECT_THAT(report.failures, IsEmpty());
  ASSERT_EQ(report.outcomes.size(), 3u);
  for (const Outcome& o : report.outcomes) {
    EXPECT_EQ(o.figures.calls, 600u);
    EXPECT_GT(o.figures.mean_us, 0);
    EXPECT_LE(o.figures.min_us, o.figures.p50_us);
    EXPECT_LE(o.figures.p99_us, o.figures.max_us);
    EXPECT_GT(o.figures.cpu_us_per_call, 0);
  }
  EXPECT_TRUE(fs::is_empty(folder));
}

std::string floor_name(const testing::TestParamInfo<FloorRun::ParamType>& test) {
  return std::string(name(std::get<0>(test.param))) + "_" + std::get<1>(test.param);
}

INSTANTIATE_TEST_SUITE_P(Every, FloorRun,
                         testing::Combine(testing::Values(Experiment::twoway, Experiment::oneway),
                                          testing::Values("inproc", "shm", "unix", "tcp")),
                         floor_name);

TEST(Floor, MovesMessagesThatFitIntoAMessageQueue) {
  const Report report = run({small_case(Experiment::twoway, "mqueue", PayloadType::octet, 1024),
                             small_case(Experiment::oneway, "mqueue", PayloadType::doubles, 1024),
                             small_case(Experiment::twoway, "mqueue", PayloadType::octet, 8193)},
                            {"floor"}, small());
  EXPECT_THAT(report.failures, IsEmpty());
  EXPECT_EQ(report.outcomes.size(), 2u);
  EXPECT_THAT(report.skipped,
              ElementsAre("floor over mqueue: a message of a queue holds 8192 bytes at most"));
}

TEST(Runner, MeasuresCallsOverUdpAndNoFloodsOfOneSize) {
  const Report report = run({small_case(Experiment::twoway, "udp", PayloadType::doubles, 32768),
                             small_case(Experiment::twoway, "udp", PayloadType::empty, 0),
                             small_case(Experiment::oneway, "udp", PayloadType::doubles, 128)},
                            {"floor", "orbweaver"}, small());
  EXPECT_THAT(report.failures, IsEmpty());
  EXPECT_EQ(report.outcomes.size(), 4u);
  EXPECT_EQ(report.skipped.size(), 2u);
}

TEST(Runner, SaysHowToGetAMissingSubject) {
  RunnerOptions options = small();
  options.programs = "/no/programs";
  const Report report =
      run({small_case(Experiment::twoway, "tcp", PayloadType::empty, 0)}, {"zeromq"}, options);
  EXPECT_THAT(report.skipped,
              ElementsAre("zeromq over tcp: not built here (it needs Debian: libzmq3-dev pkg-config)"));
}

TEST(Floor, ReportsReceiverTimeOfAMix) {
  const Report report = run({small_case(Experiment::oneway, "udp", PayloadType::mix, 340),
                             small_case(Experiment::oneway, "tcp", PayloadType::mix, 340)},
                            {"floor"}, small());
  EXPECT_THAT(report.failures, IsEmpty());
  ASSERT_EQ(report.outcomes.size(), 2u);
  for (const Outcome& outcome : report.outcomes) EXPECT_GT(outcome.figures.receiver_cpu_us_per_call, 0);
}

TEST(Floor, ReadsABlockInPlace) {
  const Report report =
      run({small_case(Experiment::twoway, "shm", PayloadType::block, 65536)}, {"floor"}, small());
  EXPECT_THAT(report.failures, IsEmpty());
  ASSERT_EQ(report.outcomes.size(), 1u);
  EXPECT_EQ(report.outcomes[0].figures.calls, 600u);
}

TEST(Runner, SkipsAMissingSubjectWithOneMessage) {
  const Report report = run({small_case(Experiment::twoway, "inproc", PayloadType::empty, 0),
                             small_case(Experiment::twoway, "inproc", PayloadType::octet, 8)},
                            {"floor", "nobody"}, small());
  EXPECT_THAT(report.skipped, ElementsAre("nobody over inproc: not built here"));
  EXPECT_THAT(report.failures, IsEmpty());
  EXPECT_EQ(report.outcomes.size(), 2u);
}

/// Runs with a folder in which bench-floor is a misbehaving program.
struct FailingSubject : PrivateTemporaries {
  /// `limit`: time after which the program is killed.
  Report run_with(const std::string& script, std::chrono::milliseconds limit = std::chrono::minutes(2)) {
    const fs::path program = folder / "bench-floor";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(program, fs::perms::owner_all);
    RunnerOptions options = small();
    options.programs = folder;
    options.limit = limit;
    return run({small_case(Experiment::twoway, "tcp", PayloadType::empty, 0)}, {"floor"}, options);
  }
};

TEST_F(FailingSubject, FailsWhenTheServerDies) {
  EXPECT_THAT(run_with("[ $1 = can ] && exit 0; exit 9").failures,
              ElementsAre("floor, twoway over tcp, empty: its server ended with status 9"));
}

TEST_F(FailingSubject, FailsWhenTheClientHangs) {
  EXPECT_THAT(run_with("[ $1 = can ] && exit 0; [ $1 = serve ] && echo ready x; exec sleep 100",
                       std::chrono::seconds(5))
                  .failures,
              ElementsAre("floor, twoway over tcp, empty: its client did not finish in time"));
}

TEST_F(FailingSubject, NamesTheSignalOfACrashedClient) {
  const std::string script =
      "[ $1 = can ] && exit 0; [ $1 = serve ] && { echo ready x; exec sleep 100; }; kill -11 $$";
  EXPECT_THAT(run_with(script).failures,
              ElementsAre("floor, twoway over tcp, empty: its client was ended by signal 11"));
}

TEST_F(FailingSubject, ReportsWhyACaseIsUnsupported) {
  EXPECT_THAT(run_with("echo it is tired; exit 3").skipped, ElementsAre("floor over tcp: it is tired"));
}

TEST(Child, IsKilledByItsDestructor) {
  pid_t pid = 0;
  {
    Child child("/bin/sleep", {"100"});
    pid = child.pid();
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(Machine, RejectsTwoProcessorsWhereOneIsAllowed) {
  EXPECT_EQ(placement(Pin::two, {0, 1}).client, 1);
  EXPECT_EQ(placement(Pin::two, {0, 1}).server, 0);
  EXPECT_EQ(placement(Pin::one, {0, 1}).client, placement(Pin::one, {0, 1}).server);
  EXPECT_EQ(placement(Pin::none, {0, 1}).client, -1);
  EXPECT_THROW(placement(Pin::two, {3}), std::runtime_error);
}

TEST(Measure, CountsCallsAndWarmUps) {
  Loop loop;
  loop.calls = 1000;
  loop.batch = 100;
  std::uint64_t called = 0;
  const Summary s = measure_calls(loop, [&] { ++called; });
  EXPECT_EQ(s.calls, 1000u);
  EXPECT_EQ(called, loop.warm_up() + 1000);
}

TEST(Measure, MakesOnlyTheCallsWhenNotTimed) {
  Loop loop;
  loop.calls = 1000;
  loop.timed = false;
  std::uint64_t called = 0;
  EXPECT_EQ(measure_calls(loop, [&] { ++called; }).calls, 0u);
  EXPECT_EQ(called, 1000u);
}

TEST(Measure, TimesAStreamUntilItsLastMessageIsConsumed) {
  Loop loop;
  loop.calls = 10;
  const auto drained = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  const Summary s = measure_stream(
      loop, [] {}, drained);
  EXPECT_GE(s.mean_us, 500);
  EXPECT_LT(s.p50_us, 500);
}

TEST(Command, PrintsOneLineForAnInvalidPlan) {
  Plan plan;
  plan.transports = {"pigeon"};
  std::ostringstream out, err;
  EXPECT_EQ(run_command(plan, "", out, err), 2);
  EXPECT_EQ(err.str(),
            "orbweaver bench: --transport: unknown value 'pigeon'; use one of inproc, shm, unix, mqueue, "
            "tcp, udp, tls\n");
  EXPECT_EQ(out.str(), "");
}

TEST(Command, FailsWhenAFileCannotBeWritten) {
  Plan plan;
  plan.transports = {"inproc"};
  plan.types = {"empty"};
  plan.subjects = {"floor"};
  plan.pin = "one";
  plan.rounds = 1;
  plan.calls = 100;
  std::ostringstream out, err;
  EXPECT_EQ(run_command(plan, "/nowhere/rows.json", out, err), 1);
  EXPECT_THAT(err.str(), HasSubstr("cannot write /nowhere/rows.json"));
}

}  // namespace
}  // namespace orbweaver::bench
