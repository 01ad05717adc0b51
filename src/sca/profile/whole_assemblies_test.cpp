// What check finds in all levels of an assembly together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/profile/check.h"
#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using testing::TestProfiles;

const std::string kWholeSad = "chain.sad.xml";

/// What check prints of these files, without warnings.
std::string checked(const TestProfiles& profiles, const std::vector<std::string>& files = {kWholeSad}) {
  Findings findings;
  Profiles check("", Profiles::CodeFiles::may_be_missing, findings);
  for (const std::string& file : files) check.check(profiles.path(file));
  check_whole_assemblies(check);
  return findings.text(100, false);
}

/// An assembly that contains that of the test.
std::string outer_assembly() {
  return "<softwareassembly name='outer'><componentfiles><componentfile id='f'><localfile name='" +
         kWholeSad +
         "'/></componentfile></componentfiles><partitioning><assemblyplacement><componentfileref refid='f'/>"
         "<assemblyinstantiation id='i'/></assemblyplacement></partitioning><assemblycontroller>"
         "<assemblyinstantiationref refid='i'/></assemblycontroller></softwareassembly>";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(WholeAssemblies, MayHaveNoMistake) {
  TestProfiles profiles;
  profiles.write("outer.sad.xml", outer_assembly());
  EXPECT_EQ(checked(profiles, {kWholeSad, "outer.sad.xml"}), "");
}

TEST(WholeAssemblies, HaveNoFactoryThatAFactoryCreates) {
  TestProfiles profiles;
  profiles.add_resource_factory({"sink_1"});
  EXPECT_EQ(checked(profiles), "");
  profiles.add_to("factory_1", TestProfiles::created_by_factory());
  EXPECT_THAT(checked(profiles),
              HasSubstr("'factory_1' is a resource factory, and no factory can create it"));
}

TEST(WholeAssemblies, HaveALimitOfComponents) {
  TestProfiles profiles;
  std::string more;
  for (std::size_t i = 3; i < kMaxComponents; ++i)
    more += "<componentinstantiation id=\"c" + std::to_string(i) + "\"/>";
  const std::string first = "<componentinstantiation id=\"sink_1\"";
  profiles.replace(kWholeSad, first, more + first);
  EXPECT_EQ(checked(profiles), "");
  profiles.replace(kWholeSad, first, "<componentinstantiation id=\"another\"/>" + first);
  EXPECT_THAT(checked(profiles), HasSubstr("more than 256 components; split the assembly"));
}

TEST(WholeAssemblies, HaveValidDirectInputs) {
  TestProfiles profiles;
  profiles.set_direct_inputs("sink_1", "inn");
  EXPECT_THAT(checked(profiles), HasSubstr("component 'sink_1' has no provides port 'inn'"));
}

TEST(WholeAssemblies, AreReportedOnce) {
  TestProfiles profiles;
  profiles.add_resource_factory({"sink_1"})
      .add_to("factory_1", TestProfiles::created_by_factory())
      .write("outer.sad.xml", outer_assembly());
  EXPECT_EQ(count(checked(profiles, {"outer.sad.xml"}), "\n"), 1u);
  EXPECT_EQ(count(checked(profiles, {kWholeSad, "outer.sad.xml"}), "\n"), 1u);
}

TEST(WholeAssemblies, AreNotReadIfTheirProfilesHaveMistakes) {
  TestProfiles profiles;
  profiles.replace("sink.spd.xml", "type=\"Executable\"", "type=\"Program\"")
      .write("second.sad.xml", profiles.read(kWholeSad))
      .write("outer.sad.xml", outer_assembly());
  Findings findings;
  Profiles check("", Profiles::CodeFiles::may_be_missing, findings);
  for (const char* const file : {"chain.sad.xml", "second.sad.xml", "outer.sad.xml"})
    check.check(profiles.path(file));
  EXPECT_EQ(findings.mistakes(), 1u);
  EXPECT_THAT(check.whole_assemblies(), ::testing::IsEmpty());
}

TEST(WholeAssemblies, MayHaveWhatNoDeploymentSupports) {
  TestProfiles other;
  other
      .replace(kWholeSad, "</softwareassembly>",
               "<usesdevicedependencies><usesdevice id=\"d1\"><structref refid=\"s\"><simpleref refid=\"a\" "
               "value=\"1\"/></structref></usesdevice></usesdevicedependencies></softwareassembly>")
      .replace("source.scd.xml", ">resource<", ">service<");
  EXPECT_EQ(checked(other), "");
  // A factory without an SCD.
  TestProfiles package;
  package.replace("sink.spd.xml", "<descriptor><localfile name=\"sink.scd.xml\"/></descriptor>", "")
      .replace("sink.spd.xml", "<softpkg ", "<softpkg type=\"sca_non_compliant\" ")
      .add_to("filter_1", "<componentfactoryref refid=\"sink_1\"/>");
  EXPECT_EQ(checked(package), "");
}

}  // namespace
}  // namespace orbweaver::sca
