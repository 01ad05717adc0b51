#include "sca/deploy/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::TestProfiles;

struct Planned {
  Assembly assembly;
  Result<Plan> plan = Plan{};
};

Planned planned(TestProfiles& profiles, DeployOptions options = {}) {
  for (const char* name : {"source", "filter", "sink"}) {
    profiles.write_program(std::string("bin/") + name).write(std::string("bin/") + name + ".so", "");
  }
  options.host_program = "/host";
  auto loaded = profiles.load();
  if (!loaded) throw std::logic_error(loaded.error().message);
  Planned result{std::move(*loaded)};
  result.plan = make_plan(result.assembly, options);
  return result;
}

void together(TestProfiles& profiles, std::initializer_list<const char*> ids) {
  for (const std::string id : ids)
    profiles.replace("chain.sad.xml", "id=\"" + id + "\"", "id=\"" + id + "\" processcollocation=\"one\"");
}

DeployOptions with(const std::string& setting) {
  DeployOptions options;
  options.overrides.push_back(*parse_override(setting));
  return options;
}

TEST(Plan, GivesEachComponentAProcessOfItsOwn) {
  TestProfiles profiles;
  const auto result = planned(profiles);
  ASSERT_TRUE(result.plan) << result.plan.error().message;
  ASSERT_EQ(result.plan->processes.size(), 3u);
  EXPECT_EQ(result.plan->processes[0].program, profiles.path("bin/source"));
  EXPECT_FALSE(result.plan->processes[0].is_host);
  EXPECT_EQ(result.plan->components[2].process, 2u);
}

TEST(Plan, LoadsComponentsPlacedTogetherIntoOneHost) {
  TestProfiles profiles;
  together(profiles, {"source_1", "sink_1"});
  const auto result = planned(profiles);
  ASSERT_TRUE(result.plan) << result.plan.error().message;
  ASSERT_EQ(result.plan->processes.size(), 2u);
  EXPECT_EQ(result.plan->processes[0].program, "/host");
  EXPECT_THAT(result.plan->processes[0].components, ElementsAre(0u, 2u));
  EXPECT_EQ(result.plan->components[2].module, profiles.path("bin/sink.so"));
  EXPECT_EQ(result.plan->processes[1].program, profiles.path("bin/filter"));
}

TEST(Plan, RejectsAProgramInASharedProcess) {
  TestProfiles profiles;
  together(profiles, {"source_1", "sink_1"});
  profiles.replace("sink.spd.xml", "SharedLibrary", "Executable");
  EXPECT_THAT(planned(profiles).plan.error().message,
              HasSubstr("'sink_1' is placed in one process with others"));
}

TEST(Plan, NamesAMissingProgram) {
  TestProfiles profiles;
  profiles.replace("sink.spd.xml", "bin/sink", "bin/sinc");
  EXPECT_THAT(planned(profiles).plan.error().message,
              HasSubstr("sink.spd.xml:6:3: the code of implementation 'process' is missing"));
}

TEST(Plan, ChoosesAnImplementationForThisSystem) {
  TestProfiles profiles;
  profiles.replace("sink.spd.xml", "<os name=\"Linux\"/>", "<os name=\"VxWorks\"/>")
      .replace("sink.spd.xml", "<os name=\"Linux\"/>", "<os name=\"VxWorks\"/>");
  EXPECT_THAT(
      planned(profiles).plan.error().message,
      HasSubstr(
          "sink.spd.xml:6:3: implementation 'process' is for VxWorks, and this is Linux; line 10: "
          "implementation 'module' is for VxWorks, and this is Linux; add an <implementation> for Linux"));
}

TEST(Plan, ChoosesTheImplementationThatRunsHere) {
  TestProfiles profiles;
  profiles.replace("sink.spd.xml", "<os name=\"Linux\"/>", "<os name=\"Win32\"/>");
  const auto result = planned(profiles);
  ASSERT_TRUE(result.plan) << result.plan.error().message;
  EXPECT_TRUE(result.plan->processes[2].is_host);
  EXPECT_EQ(result.plan->components[2].module, profiles.path("bin/sink.so"));
}

TEST(Plan, RejectsAForeignProcessor) {
  TestProfiles profiles;
  profiles.replace("sink.spd.xml", "<os name=\"Linux\"/>", "<os name=\"Linux\"/><processor name=\"vax\"/>")
      .replace("sink.spd.xml", "bin/sink.so\"/></code>\n    <os name=\"Linux\"/>",
               "bin/sink.so\"/></code>\n    <os name=\"linux\"/><processor name=\"aarch64\"/>");
  DeployOptions here;
  here.platform.processor = "x86_64";
  EXPECT_THAT(planned(profiles, here).plan.error().message,
              AllOf(HasSubstr("implementation 'process' is for the processor vax, and this is x86_64"),
                    HasSubstr("implementation 'module' is for the processor aarch64, and this is x86_64")));
  here.platform.processor = "aarch64";
  EXPECT_TRUE(planned(profiles, here).plan);
}

TEST(Plan, ComparesTheVersionOfTheSystem) {
  TestProfiles profiles;
  profiles.replace("sink.spd.xml", "<os name=\"Linux\"/>", "<os name=\"Linux\" version=\"6.1\"/>");
  DeployOptions here;
  for (const char* const fits : {"6.1", "6.1.0-13-amd64", "6.1-rc3", ""}) {
    here.platform.version = fits;
    const auto result = planned(profiles, here);
    ASSERT_TRUE(result.plan) << result.plan.error().message;
    EXPECT_EQ(result.plan->processes[2].program, profiles.path("bin/sink")) << fits;
  }
  profiles.replace("sink.spd.xml", "bin/sink.so\"/></code>\n    <os name=\"Linux\"/>",
                   "bin/sink.so\"/></code>\n    <os name=\"linux\" version=\"5\"/>");
  for (const char* const other : {"6.10.2", "6", "6.0.1"}) {
    here.platform.version = other;
    EXPECT_THAT(planned(profiles, here).plan.error().message,
                AllOf(HasSubstr("is for Linux 6.1, and this is Linux " + std::string(other)),
                      HasSubstr("is for linux 5, and this is Linux " + std::string(other))));
  }
}

TEST(Plan, AcceptsAliasesOfAProcessor) {
  for (const char* name : {"x86", "AMD64", "x86_64", "i686"}) {
    TestProfiles profiles;
    profiles.replace("sink.spd.xml", "<os name=\"Linux\"/>",
                     "<os name=\"Linux\"/><processor name=\"" + std::string(name) + "\"/>");
    DeployOptions here;
    here.platform.processor = "x86_64";
    const auto result = planned(profiles, here);
    ASSERT_TRUE(result.plan) << result.plan.error().message;
    EXPECT_EQ(result.plan->processes[2].program, profiles.path("bin/sink")) << name;
  }
}

TEST(Plan, RejectsAProgramThatIsNotExecutable) {
  TestProfiles profiles;
  profiles.write("bin/sinc", "").replace("sink.spd.xml", "bin/sink", "bin/sinc");
  EXPECT_THAT(planned(profiles).plan.error().message,
              AllOf(HasSubstr("sink.spd.xml:6:3: the program of implementation 'process' is not executable"),
                    HasSubstr("chmod +x " + profiles.path("bin/sinc"))));
}

TEST(Plan, ConfiguresWritablePropertiesWithAValue) {
  TestProfiles profiles;
  const auto result = planned(profiles);
  ASSERT_EQ(result.plan->components[0].configuration.size(), 1u);
  EXPECT_EQ(result.plan->components[0].configuration[0].id, "colour");
  EXPECT_EQ(result.plan->components[0].configuration[0].type.type.name, "long");
  EXPECT_EQ(result.plan->components[0].configuration[0].value, "3");
  EXPECT_EQ(planned(profiles, with("source_1.colour=0x10")).plan->components[0].configuration[0].value, "16");
  profiles.replace("source.prf.xml", "id=\"colour\"", "id=\"colour\" mode=\"readonly\"");
  EXPECT_TRUE(planned(profiles).plan->components[0].configuration.empty());
  EXPECT_THAT(planned(profiles, with("source_1.colour=4")).plan.error().message,
              HasSubstr("property 'colour' is readonly, and of kind configure: it can only be queried"));
}

TEST(Plan, StartsReceiversBeforeSenders) {
  TestProfiles profiles;
  EXPECT_THAT(planned(profiles).plan->start_order, ElementsAre(2u, 1u, 0u));
}

TEST(Plan, StartsTheAssemblyControllerAsLateAsItsConnectionsAllow) {
  TestProfiles profiles;
  const auto whole = profiles.read("chain.sad.xml");
  const auto begin = whole.find("  <connections>");
  profiles.write("chain.sad.xml", whole.substr(0, begin) + "</softwareassembly>");
  EXPECT_THAT(planned(profiles).plan->start_order, ElementsAre(1u, 2u, 0u));
}

TEST(Plan, OrdersACycleByTheAssembly) {
  TestProfiles profiles;
  profiles.replace("chain.sad.xml", "<componentinstantiationref refid=\"sink_1\"/>",
                   "<componentinstantiationref refid=\"filter_1\"/>");
  EXPECT_THAT(planned(profiles).plan->start_order, ElementsAre(1u, 2u, 0u));
}

TEST(Plan, CombinesDefaultsSettingsAndOverrides) {
  TestProfiles profiles;
  EXPECT_THAT(planned(profiles).plan->components[0].exec_params,
              ElementsAre(Pair("packets", "100"), Pair("shape", "sine")));
  EXPECT_THAT(planned(profiles, with("source_1.packets=7")).plan->components[0].exec_params,
              ElementsAre(Pair("packets", "7"), Pair("shape", "sine")));
  EXPECT_THAT(planned(profiles, with("Source.gain=0.5")).plan->components[0].exec_params,
              ElementsAre(Pair("packets", "100"), Pair("shape", "sine"), Pair("gain", "0.5")));
  profiles.replace("chain.sad.xml", "refid=\"packets\" value=\"100\"", "refid=\"packets\" value=\"\"");
  EXPECT_THAT(planned(profiles).plan->components[0].exec_params, ElementsAre(Pair("shape", "sine")))
      << "an empty value is none";
}

TEST(Plan, ValidatesOverrides) {
  TestProfiles profiles;
  EXPECT_THAT(planned(profiles, with("source_1.packets=lots")).plan.error().message,
              HasSubstr("--set source_1.packets: 'lots' cannot be the value"));
  EXPECT_THAT(planned(profiles, with("sorce.packets=1")).plan.error().message,
              HasSubstr("there is no component 'sorce'; the assembly has source_1, filter_1 or sink_1"));
  EXPECT_THAT(planned(profiles, with("sink_1.DIRECT_INPUTS=in")).plan.error().message,
              AllOf(HasSubstr("--set sink_1.DIRECT_INPUTS: 'DIRECT_INPUTS' cannot be set here"),
                    HasSubstr("in the <componentproperties> of 'sink_1' in the SAD")));
  for (const char* bad : {"", "x", "x=1", ".x=1", "a.=1", "=", "a.b"})
    EXPECT_FALSE(parse_override(bad)) << bad;
  EXPECT_EQ(parse_override("a.b=c=d.e")->value, "c=d.e");
}

TEST(Plan, SetsRealtimeWhereDeclared) {
  TestProfiles profiles;
  profiles.replace("source.prf.xml", "<simple id=\"gain\" type=\"float\">",
                   "<simple id=\"realtime\" type=\"boolean\"><value>false</value>");
  DeployOptions options;
  options.realtime = true;
  EXPECT_THAT(planned(profiles, options).plan->components[0].exec_params,
              ElementsAre(Pair("packets", "100"), Pair("shape", "sine"), Pair("realtime", "true")));
}

TEST(Plan, CountsTheConnectionsOfEachInput) {
  TestProfiles profiles;
  const auto result = planned(profiles);
  EXPECT_TRUE(result.plan->components[0].fan_in.empty());
  EXPECT_THAT(result.plan->components[1].fan_in, ElementsAre(Pair("in", 1u)));
}

/// The assembly with a resource factory that creates filter_1 and sink_1.
TestProfiles& with_factory(TestProfiles& profiles) {
  return profiles.add_resource_factory({"filter_1", "sink_1"});
}

TEST(Plan, GivesAResourceFactoryItsComponents) {
  TestProfiles profiles;
  const auto result = planned(with_factory(profiles));
  ASSERT_TRUE(result.plan) << result.plan.error().message;
  ASSERT_EQ(result.plan->processes.size(), 2u);
  EXPECT_EQ(result.plan->processes[0].program, "/host");
  EXPECT_EQ(result.plan->processes[0].factory, 0u);
  EXPECT_FALSE(result.plan->processes[0].is_host) << "it is not started with its components";
  EXPECT_THAT(result.plan->processes[0].components, ElementsAre(1u, 2u));
  EXPECT_THAT(result.plan->factories[0].exec_params,
              ElementsAre(Pair("COMPONENT_LIBRARIES",
                               profiles.path("bin/filter.so") + "\n" + profiles.path("bin/sink.so"))));
  std::vector<std::string> qualifiers;
  for (const Setting& setting : result.plan->components[2].qualifiers)
    qualifiers.push_back(setting.id + "=" + setting.value.text + " " + setting.type.type.name);
  EXPECT_THAT(qualifiers, ElementsAre("COMPONENT_LIBRARY=" + profiles.path("bin/sink.so") + " string",
                                      "STREAMS_EXPECTED=in=1 string"));
}

TEST(Plan, ConfiguresSequencesAndStructs) {
  TestProfiles profiles;
  profiles
      .replace(
          "source.prf.xml", "<properties>",
          "<properties><simplesequence id='taps' type='float'><values><value>1</value></values>"
          "</simplesequence><simplesequence id='state' type='float' mode='readonly'><values><value>1</value>"
          "</values></simplesequence><struct id='tuner'><simple id='gain' type='ulong'><value>2</value>"
          "</simple></struct>")
      .replace("chain.sad.xml", "<simpleref refid=\"packets\" value=\"100\"/>",
               "<structref refid='tuner'><simpleref refid='gain' value='5'/></structref>");
  const auto result = planned(profiles);
  ASSERT_TRUE(result.plan) << result.plan.error().message;
  const auto& settings = result.plan->components[0].configuration;
  ASSERT_EQ(settings.size(), 3u) << "colour, taps and tuner";
  EXPECT_EQ(settings[1].id, "taps");
  EXPECT_EQ(settings[1].type.type.name, "float");
  EXPECT_EQ(settings[1].value, PropertyValue::sequence({"1"}));
  EXPECT_EQ(settings[2].value, PropertyValue::structure({{"gain", "5"}}));
}

TEST(Plan, PassesQualifiersAndExecParamsToAResourceFactory) {
  TestProfiles profiles;
  with_factory(profiles)
      .replace("resource-factory.prf.xml", "<properties>",
               "<properties><simple id=\"bands\" type=\"ulong\"><value>2</value><kind "
               "kindtype=\"factoryparam\"/></simple>")
      .replace("source.prf.xml", "kindtype=\"configure\"", "kindtype=\"factoryparam\"")
      .replace("chain.sad.xml", "<namingservice name=\"source\"/>",
               "<componentresourcefactoryref refid=\"factory_1\"><resourcefactoryproperties>"
               "<simpleref refid=\"bands\" value=\"0x10\"/></resourcefactoryproperties>"
               "</componentresourcefactoryref>");
  const auto result = planned(profiles, with("source_1.packets=7"));
  ASSERT_TRUE(result.plan) << result.plan.error().message;
  std::vector<std::string> qualifiers;
  for (const Setting& setting : result.plan->components[0].qualifiers)
    qualifiers.push_back(setting.id + "=" + setting.value.text + " " + setting.type.type.name);
  EXPECT_THAT(qualifiers, ::testing::IsSupersetOf({"bands=16 ulong", "packets=7 string"}));
}

TEST(Plan, RequiresALibraryOfAComponentThatAResourceFactoryCreates) {
  TestProfiles profiles;
  with_factory(profiles).replace("sink.spd.xml", "SharedLibrary", "Executable");
  EXPECT_THAT(profiles.problem(),
              AllOf(HasSubstr("chain.sad.xml:26:9: 'sink_1' is created by resource factory 'factory_1', "
                              "which loads libraries, but "),
                    HasSubstr("sink.spd.xml has no SharedLibrary")));
}

TEST(Plan, RequiresAProgramOfAResourceFactory) {
  TestProfiles profiles;
  with_factory(profiles).replace("resource-factory.spd.xml", "Executable", "SharedLibrary");
  EXPECT_THAT(profiles.problem(),
              AllOf(HasSubstr("'factory_1' is a resource factory, which is a program, but "),
                    HasSubstr("resource-factory.spd.xml has none")));
}

TEST(Plan, SelectsDirectInputsWhoseSendersAreInTheProcess) {
  const auto direct_inputs_of = [](std::initializer_list<const char*> placed_together) {
    TestProfiles profiles;
    profiles.set_direct_inputs("sink_1", "in");
    together(profiles, placed_together);
    const auto result = planned(profiles);
    EXPECT_TRUE(result.plan) << result.plan.error().message;
    return direct_inputs(result.plan->components[2]);
  };
  EXPECT_EQ(direct_inputs_of({"filter_1", "sink_1"}), "in");
  EXPECT_EQ(direct_inputs_of({}), "");
  EXPECT_EQ(direct_inputs_of({"source_1", "sink_1"}), "") << "its sender is filter_1";
}

}  // namespace
}  // namespace orbweaver::sca
