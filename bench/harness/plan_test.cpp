#include "plan.h"

#include <gmock/gmock.h>

namespace orbweaver::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string complaint(const Plan& plan) {
  try {
    (void)cases(plan);
    (void)subjects(plan);
  } catch (const InvalidPlan& problem) {
    return problem.what();
  }
  return "none";
}

Plan plan_of(std::vector<std::string> transports, std::vector<std::string> types,
             std::vector<std::size_t> bytes) {
  Plan plan;
  plan.transports = std::move(transports);
  plan.types = std::move(types);
  plan.bytes = std::move(bytes);
  return plan;
}

TEST(Plan, ExpandsTypesAndSizesToCases) {
  const auto all = cases(plan_of({"shm"}, {"empty", "double"}, {128, 4096}));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].bytes, 0u);
  EXPECT_EQ(all[1].bytes, 128u);
  EXPECT_EQ(all[2].bytes, 4096u);
}

TEST(Plan, SpinsOverMemoryAndBlocksOverSocketsByDefault) {
  const auto all = cases(plan_of({"shm", "tcp"}, {"empty"}, {}));
  EXPECT_EQ(all[0].wait, Wait::spin);
  EXPECT_EQ(all[0].pin, Pin::two);
  EXPECT_EQ(all[1].wait, Wait::block);
  EXPECT_EQ(all[1].pin, Pin::one);
}

TEST(Plan, UsesTheGivenWaitAndPin) {
  Plan plan = plan_of({"shm"}, {"empty"}, {});
  plan.wait = "block";
  EXPECT_EQ(cases(plan)[0].pin, Pin::one);
  plan.pin = "none";
  EXPECT_EQ(cases(plan)[0].pin, Pin::none);
}

TEST(Plan, MeasuresTheFloorFirst) {
  Plan plan;
  plan.subjects = {"omniorb"};
  EXPECT_THAT(subjects(plan), ElementsAre("floor", "omniorb"));
}

TEST(Plan, NamesAnInvalidOptionAndItsValidValues) {
  EXPECT_EQ(complaint(plan_of({"shn"}, {"empty"}, {})),
            "--transport: unknown value 'shn'; use one of inproc, shm, unix, mqueue, tcp, udp, tls");
  EXPECT_THAT(complaint(plan_of({"shm"}, {"complex"}, {8})),
              HasSubstr("'complex'; use one of empty, octet, short"));
  EXPECT_THAT(complaint(plan_of({"shm"}, {"double"}, {100})), HasSubstr("not a whole number of elements"));
  EXPECT_THAT(complaint(plan_of({"shm"}, {"octet"}, {0})), HasSubstr("--type empty"));
  EXPECT_THAT(complaint(plan_of({"shm"}, {"octet"}, {1ull << 40})), HasSubstr("more than the largest"));
  EXPECT_THAT(complaint(plan_of({}, {"octet"}, {8})), HasSubstr("nothing to measure"));
  EXPECT_THAT(complaint(plan_of({"tcp"}, {"block"}, {4096})), HasSubstr("two-way over --transport shm"));
  EXPECT_THAT(complaint(plan_of({"shm"}, {"mix"}, {})), HasSubstr("--transport tcp and udp"));
  EXPECT_EQ(complaint(plan_of({"udp"}, {"octet"}, {8})), "none");
  EXPECT_THAT(complaint(plan_of({"tcp"}, {"mix"}, {})), HasSubstr("one-way"));
  Plan plan;
  plan.calls = 0;
  EXPECT_THAT(complaint(plan), HasSubstr("--calls"));
  plan = Plan();
  plan.rounds = 0;
  EXPECT_THAT(complaint(plan), HasSubstr("--rounds"));
  plan = Plan();
  plan.fifo = 100;
  EXPECT_THAT(complaint(plan), HasSubstr("--fifo"));
  plan = Plan();
  plan.wait = "sleep";
  EXPECT_THAT(complaint(plan), HasSubstr("--wait: unknown value 'sleep'; use one of spin, adaptive, block"));
  plan = Plan();
  plan.subjects = {"tao"};
  EXPECT_THAT(complaint(plan), HasSubstr("--subject: unknown value 'tao'"));
}

TEST(Plan, AcceptsTransportsOfPlugins) {
  Plan plan = plan_of({"seqpacket"}, {"empty"}, {});
  EXPECT_THAT(complaint(plan), HasSubstr("unknown value 'seqpacket'"));
  plan.plugin_transports = {"seqpacket"};
  EXPECT_EQ(complaint(plan), "none");
  EXPECT_EQ(cases(plan).at(0).wait, Wait::block);
}

TEST(Case, RoundTripsThroughTheCommandLine) {
  Case c;
  c.experiment = Experiment::oneway;
  c.transport = "tcp";
  c.type = PayloadType::structs;
  c.bytes = 4096;
  c.calls = 77;
  c.wait = Wait::block;
  c.pin = Pin::none;
  EXPECT_EQ(from_args(to_args(c)), c);
}

TEST(Case, RejectsUnknownOptionsAndValues) {
  EXPECT_FALSE(from_args({"--colour", "red"}));
  EXPECT_FALSE(from_args({"--bytes", "4k"}));
  EXPECT_FALSE(from_args({"--bytes"}));
}

}  // namespace
}  // namespace orbweaver::bench
