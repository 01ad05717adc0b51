// Resource factories in an assembly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/profile/profiles.h"
#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestProfiles;

const std::string kSad = "chain.sad.xml";
const std::string kPrf = "resource-factory.prf.xml";

/// The assembly with a resource factory that creates filter_1 and sink_1.
struct FactoryProfiles : TestProfiles {
  FactoryProfiles() { add_resource_factory({"filter_1", "sink_1"}); }
  FactoryProfiles& qualify(const std::string& children) {
    const std::string sink = "<componentinstantiation id=\"sink_1\">";
    replace(kSad, sink + created_by_factory(), sink + created_by_factory(children));
    return *this;
  }
  /// Declares a property of kind factoryparam of the factory.
  FactoryProfiles& declare(const std::string& id, const std::string& type) {
    replace(kPrf, "<properties>",
            "<properties><simple id=\"" + id + "\" type=\"" + type +
                "\"><kind kindtype=\"factoryparam\"/></simple>");
    return *this;
  }
};

TEST(Factories, AreReadWithTheirComponents) {
  FactoryProfiles profiles;
  profiles.declare("bands", "ulong").qualify("<simpleref refid=\"bands\" value=\"4\"/>");
  const auto loaded = profiles.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->components.size(), 3u) << "without the factory";
  ASSERT_EQ(loaded->factories.size(), 1u);
  EXPECT_EQ(loaded->factories[0].id, "factory_1");
  EXPECT_EQ(loaded->factories[0].naming, "factory_1");
  EXPECT_FALSE(loaded->components[0].factory);
  ASSERT_TRUE(loaded->components[2].factory);
  EXPECT_EQ(loaded->components[2].factory->id, "factory_1");
  ASSERT_EQ(loaded->components[2].factory->qualifiers.size(), 1u);
  EXPECT_EQ(loaded->components[2].factory->qualifiers[0].value, "4");
  EXPECT_TRUE(loaded->loads_libraries(0));
  EXPECT_THAT(loaded->warnings, ElementsAre());
}

TEST(Factories, MustBeInTheAssembly) {
  EXPECT_THAT(FactoryProfiles().replace(kSad, "refid=\"factory_1\"", "refid=\"factory_2\"").problem(),
              AllOf(StartsWith(kSad + ":22:62: there is no resource factory 'factory_2'"),
                    HasSubstr("did you mean 'factory_1'? there is factory_1")));
  EXPECT_THAT(FactoryProfiles().replace(kSad, "refid=\"factory_1\"", "refid=\"source_1\"").problem(),
              HasSubstr("component 'source_1' is not a resource factory"));
  EXPECT_THAT(
      FactoryProfiles().replace("resource-factory.scd.xml", ">resourcefactory<", ">resource<").problem(),
      HasSubstr("component 'factory_1' is not a resource factory"));
}

TEST(Factories, HaveNoPorts) {
  EXPECT_THAT(FactoryProfiles()
                  .replace(kSad, "<componentinstantiationref refid=\"source_1\"",
                           "<componentinstantiationref refid=\"factory_1\"")
                  .problem(),
              HasSubstr("'factory_1' is a resource factory, which has no ports"));
}

TEST(Factories, HaveIdsAndNamesOfTheirOwn) {
  EXPECT_THAT(FactoryProfiles().replace(kSad, "id=\"factory_1\"", "id=\"source_1\"").problem(),
              HasSubstr("a second id 'source_1'"));
  EXPECT_THAT(FactoryProfiles().replace(kSad, "id=\"sink_1\"", "id=\"factory_1\"").problem(),
              HasSubstr("a second id 'factory_1'"));
  EXPECT_THAT(FactoryProfiles()
                  .replace(kSad, "<namingservice name=\"source\"", "<namingservice name=\"factory_1\"")
                  .problem(),
              HasSubstr("two components are bound as 'factory_1'"));
}

TEST(Factories, AreTheOnlyPlacementOfTheirComponents) {
  EXPECT_THAT(
      FactoryProfiles().replace(kSad, "id=\"sink_1\"", "id=\"sink_1\" processcollocation=\"p\"").problem(),
      HasSubstr("'sink_1' is created in the process of resource factory 'factory_1'; leave out"));
  EXPECT_THAT(FactoryProfiles()
                  .replace(kSad, "id=\"factory_1\"", "id=\"factory_1\" processcollocation=\"p\"")
                  .problem(),
              HasSubstr("'factory_1' is a resource factory, which has a process of its own"));
  EXPECT_THAT(FactoryProfiles().add_to("factory_1", FactoryProfiles::created_by_factory()).problem(),
              HasSubstr("'factory_1' is a resource factory, and no factory can create it"));
  EXPECT_THAT(FactoryProfiles()
                  .replace(kSad, "<componentresourcefactoryref",
                           "<namingservice name=\"x\"/><componentresourcefactoryref")
                  .problem(),
              HasSubstr("<componentresourcefactoryref> cannot be here, after <namingservice>"));
}

TEST(Factories, CreateComponentsWithAClassInOne) {
  TestProfiles profiles;
  profiles.replace("source.prf.xml", "<properties>",
                   "<properties><simple id=\"COMPONENT_CLASS\" type=\"string\"><value>source</value>"
                   "<kind kindtype=\"factoryparam\"/></simple>");
  Findings findings;
  Profiles check("", Profiles::CodeFiles::may_be_missing, findings);
  check.check(profiles.path(kSad));
  EXPECT_THAT(findings.text(100),
              HasSubstr("component 'source_1' is created by no factory, though its PRF has COMPONENT_CLASS"));
}

TEST(Factories, AreNamedByTheElementOfTheirEdition) {
  FactoryProfiles profiles;
  profiles.replace("resource-factory.scd.xml", ">resourcefactory<", ">applicationComponentFactory<");
  EXPECT_THAT(
      profiles.problem(),
      HasSubstr("component 'factory_1' is not a resource factory: the type in resource-factory.scd.xml "
                "is applicationComponentFactory; name it in <componentfactoryref>, or change the type in "
                "resource-factory.scd.xml to resourcefactory"));
}

TEST(Factories, RejectInvalidQualifiers) {
  const auto problem = [](const std::string& children) {
    return FactoryProfiles().declare("bands", "ulong").qualify(children).problem();
  };
  EXPECT_THAT(problem("<simpleref refid=\"bends\" value=\"4\"/>"),
              AllOf(StartsWith(kSad + ":26:134: there is no property 'bends' of kind factoryparam"),
                    HasSubstr("declare it in the PRF of 'factory_1' or of 'sink_1'")));
  EXPECT_THAT(problem("<simpleref refid=\"bands\" value=\"four\"/>"),
              HasSubstr("'four' cannot be the value of 'bands'"));
  EXPECT_THAT(problem("<simpleref refid=\"bands\" value=\"4\"/><simpleref refid=\"bands\" value=\"5\"/>"),
              HasSubstr("property 'bands' is set twice"));
  EXPECT_THAT(problem("<simpleref refid=\"COMPONENT_LIBRARY\" value=\"/tmp/x.so\"/>"),
              HasSubstr("'COMPONENT_LIBRARY' is set by the framework"));
  EXPECT_THAT(problem("<structref refid=\"bands\"><simpleref refid=\"a\" value=\"1\"/></structref>"),
              HasSubstr("<structref> for property 'bands', which has another form; use <simpleref>"));
}

TEST(Factories, WarnOfWhatHasNoEffect) {
  FactoryProfiles profiles;
  profiles.replace(kSad, "<componentinstantiation id=\"factory_1\"/>",
                   "<componentinstantiation id=\"factory_1\"/><componentinstantiation id=\"factory_2\"/>");
  profiles.replace("source.prf.xml", "kindtype=\"configure\"", "kindtype=\"factoryparam\"");
  const auto loaded = profiles.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_THAT(loaded->warnings,
              ElementsAre(HasSubstr("resource factory 'factory_2' creates no component"),
                          HasSubstr("property 'colour' has no effect: it is of kind factoryparam, and no "
                                    "factory creates this component")));
}

TEST(Factories, WarnOfSettingsThatAForeignFactoryDoesNotGet) {
  FactoryProfiles profiles;
  profiles.set_direct_inputs("sink_1", "in");
  profiles.replace(kPrf, "id=\"COMPONENT_LIBRARY\"", "id=\"SUBTYPE\"");
  profiles.replace(kSad, "<namingservice name=\"source\"/>",
                   "<componentresourcefactoryref refid=\"factory_1\"/>");
  const auto loaded = profiles.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_FALSE(loaded->loads_libraries(0));
  EXPECT_THAT(loaded->warnings,
              ::testing::IsSupersetOf({HasSubstr("property 'packets' has no effect in 'source_1': it is of "
                                                 "kind execparam, and resource factory 'factory_1'"),
                                       HasSubstr("DIRECT_INPUTS has no effect in 'sink_1': resource factory "
                                                 "'factory_1' gets only")}));
}

}  // namespace
}  // namespace orbweaver::sca
