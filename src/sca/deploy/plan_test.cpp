#include "sca/deploy/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::Profiles;

struct Planned {
  Assembly assembly;
  Result<Plan> plan = Plan{};
};

Planned planned(Profiles& profiles, DeployOptions options = {}) {
  for (const char* name : {"source", "filter", "sink"}) {
    profiles.write(std::string("bin/") + name, "").write(std::string("bin/") + name + ".so", "");
  }
  options.host_program = "/host";
  auto loaded = profiles.load();
  if (!loaded) throw std::logic_error(loaded.error().message);
  Planned made{std::move(*loaded)};
  made.plan = make_plan(made.assembly, options);
  return made;
}

void together(Profiles& profiles, std::initializer_list<const char*> ids) {
  for (const std::string id : ids)
    profiles.replace("chain.sad.xml", "id=\"" + id + "\"", "id=\"" + id + "\" processcollocation=\"one\"");
}

DeployOptions with(const std::string& setting) {
  DeployOptions options;
  options.overrides.push_back(*parse_override(setting));
  return options;
}

TEST(Plan, GivesEachComponentAProcessOfItsOwn) {
  Profiles profiles;
  const auto made = planned(profiles);
  ASSERT_TRUE(made.plan) << made.plan.error().message;
  ASSERT_EQ(made.plan->processes.size(), 3u);
  EXPECT_EQ(made.plan->processes[0].program, profiles.path("bin/source"));
  EXPECT_FALSE(made.plan->processes[0].is_host);
  EXPECT_EQ(made.plan->components[2].process, 2u);
}

TEST(Plan, LoadsComponentsPlacedTogetherIntoOneHost) {
  Profiles profiles;
  together(profiles, {"source_1", "sink_1"});
  const auto made = planned(profiles);
  ASSERT_TRUE(made.plan) << made.plan.error().message;
  ASSERT_EQ(made.plan->processes.size(), 2u);
  EXPECT_EQ(made.plan->processes[0].program, "/host");
  EXPECT_THAT(made.plan->processes[0].components, ElementsAre(0u, 2u));
  EXPECT_EQ(made.plan->components[2].module, profiles.path("bin/sink.so"));
  EXPECT_EQ(made.plan->processes[1].program, profiles.path("bin/filter"));
}

TEST(Plan, RefusesToPutAProgramIntoAnothersProcess) {
  Profiles profiles;
  together(profiles, {"source_1", "sink_1"});
  profiles.replace("sink.spd.xml", "SharedLibrary", "Executable");
  EXPECT_THAT(planned(profiles).plan.error().message,
              HasSubstr("'sink_1' is placed in one process with others"));
}

TEST(Plan, SaysWhichProgramIsMissing) {
  Profiles profiles;
  profiles.replace("sink.spd.xml", "bin/sink", "bin/sinc");
  EXPECT_THAT(planned(profiles).plan.error().message,
              HasSubstr("sink.spd.xml:6:3: the code of implementation 'process' is not there"));
}

TEST(Plan, ChoosesAnImplementationForThisSystem) {
  Profiles profiles;
  profiles.replace("sink.spd.xml", "<os name=\"Linux\"/>", "<os name=\"VxWorks\"/>")
      .replace("sink.spd.xml", "<os name=\"Linux\"/>", "<os name=\"VxWorks\"/>");
  EXPECT_THAT(planned(profiles).plan.error().message, HasSubstr("no implementation runs on Linux"));
}

TEST(Plan, StartsReceiversBeforeSenders) {
  Profiles profiles;
  EXPECT_THAT(planned(profiles).plan->start_order, ElementsAre(2u, 1u, 0u));
}

TEST(Plan, StartsTheAssemblyControllerAsLateAsItsConnectionsAllow) {
  Profiles profiles;
  const auto whole = profiles.read("chain.sad.xml");
  const auto begin = whole.find("  <connections>");
  profiles.write("chain.sad.xml", whole.substr(0, begin) + "</softwareassembly>");
  EXPECT_THAT(planned(profiles).plan->start_order, ElementsAre(1u, 2u, 0u));
}

TEST(Plan, ACircleOfConnectionsHoldsNobodyUp) {
  Profiles profiles;
  profiles.replace("chain.sad.xml", "<componentinstantiationref refid=\"sink_1\"/>",
                   "<componentinstantiationref refid=\"filter_1\"/>");
  EXPECT_THAT(planned(profiles).plan->start_order, ElementsAre(1u, 2u, 0u));
}

TEST(Plan, PassesDefaultsTheAssemblysSettingsAndOverrides) {
  Profiles profiles;
  EXPECT_THAT(planned(profiles).plan->components[0].exec_params,
              ElementsAre(Pair("packets", "100"), Pair("shape", "sine")));
  EXPECT_THAT(planned(profiles, with("source_1.packets=7")).plan->components[0].exec_params,
              ElementsAre(Pair("packets", "7"), Pair("shape", "sine")));
  EXPECT_THAT(planned(profiles, with("Source.gain=0.5")).plan->components[0].exec_params,
              ElementsAre(Pair("packets", "100"), Pair("shape", "sine"), Pair("gain", "0.5")));
}

TEST(Plan, ChecksOverridesLikeTheAssemblysOwnSettings) {
  Profiles profiles;
  EXPECT_THAT(planned(profiles, with("source_1.packets=lots")).plan.error().message,
              HasSubstr("--set source_1.packets: 'lots' cannot be the value"));
  EXPECT_THAT(planned(profiles, with("sorce.packets=1")).plan.error().message,
              HasSubstr("there is no component 'sorce'; the assembly has source_1, filter_1 or sink_1"));
  for (const char* bad : {"", "x", "x=1", ".x=1", "a.=1", "=", "a.b"})
    EXPECT_FALSE(parse_override(bad)) << bad;
  EXPECT_EQ(parse_override("a.b=c=d.e")->value, "c=d.e");
}

TEST(Plan, RealtimeIsAPropertyOfThoseWhoHaveIt) {
  Profiles profiles;
  profiles.replace("source.prf.xml", "<simple id=\"gain\" type=\"float\">",
                   "<simple id=\"realtime\" type=\"boolean\"><value>false</value>");
  DeployOptions options;
  options.realtime = true;
  EXPECT_THAT(planned(profiles, options).plan->components[0].exec_params,
              ElementsAre(Pair("packets", "100"), Pair("shape", "sine"), Pair("realtime", "true")));
}

TEST(Plan, CountsTheConnectionsOfEachInput) {
  Profiles profiles;
  const auto made = planned(profiles);
  EXPECT_TRUE(made.plan->components[0].fan_in.empty());
  EXPECT_THAT(made.plan->components[1].fan_in, ElementsAre(Pair("in", 1u)));
}

}  // namespace
}  // namespace orbweaver::sca
