// The words of profiles that only SCA 4.1 has, and component factories.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/nested_profiles.h"

namespace orbweaver::sca {
namespace {

using testing::component_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ids;
using testing::kInner;
using testing::NestedProfiles;
using testing::TestProfiles;

TEST(Sca41, FormsAreAccepted) {
  EXPECT_EQ(NestedProfiles().checked(), "");
  EXPECT_EQ(NestedProfiles().problem(AssemblyUse::run), "nothing");
  EXPECT_EQ(NestedProfiles().problem(AssemblyUse::domain), "nothing");
}

TEST(Sca41, ReferencesAreChecked) {
  EXPECT_THAT(NestedProfiles().with("<identifier>result<", "<identifier>reslt<").checked(),
              HasSubstr("assembly 'left' has no external port 'reslt'; it has in or result"));
  EXPECT_THAT(NestedProfiles().with("componentid='sink_1'", "componentid='sink_9'").checked(),
              HasSubstr("assembly 'left' has no component 'sink_9'"));
  EXPECT_THAT(
      NestedProfiles().with("refid='packets'", "refid='pakets'").checked(),
      HasSubstr("outer.sad.xml:8:55: assembly 'left' has no property 'pakets'; did you mean 'packets'?"));
  EXPECT_THAT(NestedProfiles().with("propid='length'", "propid='lenth'").checked(),
              HasSubstr("assembly 'right' has no property 'lenth'; it has"));
  EXPECT_THAT(
      NestedProfiles()
          .with("</componentinstantiation>", "<componentfactoryref refid='none'/></componentinstantiation>")
          .checked(),
      HasSubstr("there is no component factory 'none'"));
  EXPECT_THAT(NestedProfiles().with("<coreaffinity>0<", "<coreaffinity>first<").checked(),
              HasSubstr("'first' is not the number of a processor core"));
  EXPECT_THAT(NestedProfiles()
                  .with("<assemblyinstantiationref refid='right'/></assemblycontroller>",
                        "<assemblyinstantiationref refid='sink'/></assemblycontroller>")
                  .checked(),
              HasSubstr("'sink' is a component, and not an assembly; use <componentinstantiationref>"));
  EXPECT_THAT(NestedProfiles().with("name='x.add.xml'", "name='sink.spd.xml'").checked(),
              HasSubstr("an ADD with <deploymentprecedence> was expected"));
  EXPECT_THAT(
      NestedProfiles()
          .with("<componentfileref refid='inner_sad'/>", "<componentfileref refid='sink_spd'/>")
          .checked(),
      HasSubstr(
          "componentfile 'sink_spd' is an SPD, and not an assembly; place it in a <componentplacement>"));
}

/// The test's assembly with a component factory that creates filter_1.
struct ComponentFactoryProfiles : TestProfiles {
  ComponentFactoryProfiles() {
    write("factory.spd.xml", read("sink.spd.xml"))
        .replace("factory.spd.xml", "sink.scd.xml", "factory.scd.xml");
    write("factory.scd.xml", read("sink.scd.xml"))
        .replace("factory.scd.xml", ">resource<", ">applicationComponentFactory<");
    replace(kInner, "<componentfiles>",
            "<componentfiles>" + component_file("factory_spd", "factory.spd.xml"));
    replace(kInner, "<partitioning>",
            "<partitioning><componentplacement><componentfileref refid='factory_spd'/>"
            "<componentinstantiation id='factory'/></componentplacement>");
    add_to("filter_1", "<componentfactoryref refid='factory'/>");
  }
  std::string problem(AssemblyUse use = AssemblyUse::domain) const {
    const auto assembly = load_assembly(path(kInner), {}, use);
    return assembly ? "nothing" : assembly.error().message;
  }
};

TEST(ComponentFactories, AreReadForADomain) {
  ComponentFactoryProfiles profiles;
  const auto assembly = load_assembly(profiles.path(kInner), {}, AssemblyUse::domain);
  ASSERT_TRUE(assembly) << assembly.error().message;
  EXPECT_THAT(ids(assembly->factories), ElementsAre("factory"));
  EXPECT_THAT(ids(assembly->components), ElementsAre("source_1", "filter_1", "sink_1"));
  ASSERT_TRUE(assembly->components[1].factory);
  EXPECT_TRUE(assembly->components[1].factory->is_sca41);
  EXPECT_EQ(assembly->components[1].factory->factory, 0u);
  EXPECT_EQ(profiles.problem(AssemblyUse::run), "nothing");
}

TEST(ComponentFactories, MayLoadLibraries) {
  ComponentFactoryProfiles profiles;
  profiles
      .replace("factory.spd.xml", "<descriptor>",
               "<propertyfile type='PRF'><localfile name='factory.prf.xml'/></propertyfile><descriptor>")
      .write(
          "factory.prf.xml",
          "<properties><simple id='COMPONENT_LIBRARY' type='string'><kind kindtype='factoryparam'/></simple>"
          "</properties>");
  const auto assembly = load_assembly(profiles.path(kInner), {}, AssemblyUse::domain);
  ASSERT_TRUE(assembly) << assembly.error().message;
  EXPECT_TRUE(assembly->loads_libraries(0));
  profiles.replace("filter.spd.xml", "SharedLibrary", "Executable");
  EXPECT_THAT(profiles.problem(),
              HasSubstr("'filter_1' is created by component factory 'factory', which loads "
                        "libraries, but " +
                        profiles.path("filter.spd.xml") + " has no SharedLibrary"));
}

TEST(ComponentFactories, AreProgramsAndTheOnlyOnesOfTheirComponents) {
  ComponentFactoryProfiles library;
  library.replace("factory.spd.xml", "Executable", "SharedLibrary");
  EXPECT_THAT(library.problem(),
              HasSubstr("'factory' is a component factory, which is a program, but " +
                        library.path("factory.spd.xml") +
                        " has none; add an <implementation> with code of type Executable"));
  ComponentFactoryProfiles two;
  two.add_to("filter_1", "<findcomponent><componentresourcefactoryref refid='factory'/></findcomponent>");
  Findings findings;
  Profiles check("", Profiles::CodeFiles::may_be_missing, findings);
  check.check(two.path(kInner));
  EXPECT_THAT(findings.text(100, false),
              HasSubstr("component 'filter_1' is created by two factories; leave out "
                        "<componentresourcefactoryref> or <componentfactoryref>"));
}

TEST(ComponentFactories, HaveAnElementForQualifiers) {
  ComponentFactoryProfiles profiles;
  profiles
      .replace("filter.spd.xml", "<descriptor",
               "<propertyfile type='PRF'><localfile name='filter.prf.xml'/></propertyfile><descriptor")
      .replace(kInner, "<componentfactoryref refid='factory'/>",
               "<componentproperties><simpleref refid='speed' value='2'/></componentproperties>"
               "<componentfactoryref refid='factory'/>")
      .write("filter.prf.xml",
             "<properties><simple id='speed' type='long'><kind kindtype='factoryparam'/></simple>"
             "</properties>");
  EXPECT_THAT(profiles.problem(),
              HasSubstr("set a property of kind factoryparam in <componentfactoryproperties>"));
  profiles.replace(kInner, "<componentfactoryref refid='factory'/>", "");
  EXPECT_THAT(profiles.problem(),
              HasSubstr("set a property of kind factoryparam in <resourcefactoryproperties>"));
}

TEST(ComponentFactories, AreChecked) {
  ComponentFactoryProfiles none;
  none.replace(kInner, "refid='factory'/></componentinstantiation>",
               "refid='sink_1'/></componentinstantiation>");
  EXPECT_THAT(none.problem(), HasSubstr("component 'sink_1' is not a component factory: the type in"));
  ComponentFactoryProfiles port;
  port.replace(kInner, "<componentinstantiationref refid=\"source_1\"/></assemblycontroller>",
               "<componentinstantiationref refid=\"factory\"/></assemblycontroller>");
  EXPECT_THAT(port.problem(), HasSubstr("'factory' is a component factory, which has no ports"));
  ComponentFactoryProfiles process;
  process.replace(kInner, "id=\"filter_1\"", "id=\"filter_1\" processcollocation=\"p\"");
  EXPECT_THAT(process.problem(), HasSubstr("'filter_1' is created in the process of component factory "
                                           "'factory'; leave out processcollocation"));
}

}  // namespace
}  // namespace orbweaver::sca
