#include "sca/deploy/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using testing::TestProfiles;

constexpr const char* kFloat = "IDL:orbweaver/stream/FloatInput:1.0";
constexpr const char* kOctet = "IDL:orbweaver/stream/OctetInput:1.0";

Description::Property simple(const std::string& id, const std::string& type,
                             PropertyMode mode = PropertyMode::readwrite) {
  return {id, mode, {PropertyForm::simple, {type}, {}}};
}

const std::vector<Description::Property> kProperties = {simple("packets", "ulong"), simple("shape", "string"),
                                                        simple("gain", "float"), simple("colour", "long")};

/// The result of checking the description of the source of testdata; "nothing" if it matches.
std::string problem(TestProfiles& profiles, const Description& description) {
  const auto assembly = profiles.load();
  if (!assembly) return assembly.error().message;
  const auto checked = check_description(*assembly, 0, description);
  return checked ? "nothing" : checked.error().message;
}

std::string problem(const Description& description) {
  TestProfiles profiles;
  return problem(profiles, description);
}

TEST(Description, MatchesItsProfiles) {
  EXPECT_EQ(problem({{{"out", false, kFloat}}, kProperties}), "nothing");
  auto more = kProperties;
  more.push_back(simple("other", "long"));
  EXPECT_EQ(problem({{{"out", false, kFloat}, {"more", true, kOctet}}, more}), "nothing")
      << "ports and properties that only the class has are allowed";
}

TEST(Description, RejectsAMissingPort) {
  EXPECT_THAT(
      problem({{{"output", false, kFloat}}, kProperties}),
      HasSubstr(
          "source.scd.xml:10:7: component 'source_1' has no port 'out', though its SCD declares it here; "
          "the class has the outputs output"));
}

TEST(Description, RejectsAPortOfTheOtherDirection) {
  EXPECT_THAT(problem({{{"out", true, kFloat}}, {}}),
              HasSubstr("port 'out' of component 'source_1' is an input in its class, and a uses port here"));
}

TEST(Description, RejectsAPortOfAnotherType) {
  EXPECT_THAT(problem({{{"out", false, kOctet}}, {}}),
              HasSubstr("source.scd.xml:10:7: port 'out' of component 'source_1' is "
                        "IDL:orbweaver/stream/OctetInput:1.0 in its class, and its SCD says "
                        "IDL:orbweaver/stream/FloatInput:1.0"));
}

TEST(Description, RejectsAMissingProperty) {
  const auto without = [](const std::string& id, const std::string& kind = "configure") {
    TestProfiles profiles;
    profiles.replace("source.prf.xml", "kindtype=\"configure\"", "kindtype=\"" + kind + "\"");
    auto properties = kProperties;
    std::erase_if(properties, [&](auto& property) { return property.id == id; });
    return problem(profiles, {{{"out", false, kFloat}}, properties});
  };
  EXPECT_THAT(without("gain"),
              HasSubstr("source.prf.xml:16:3: component 'source_1' has no property 'gain', though its PRF "
                        "declares it here; the class has the properties packets, shape or colour: correct "
                        "one of the two"));
  EXPECT_THAT(without("colour"), HasSubstr("has no property 'colour'"));
  EXPECT_EQ(without("colour", "allocation"), "nothing") << "it is never set";
  EXPECT_EQ(without("colour", "factoryparam"), "nothing") << "it may be meant for the factory";
}

TEST(Description, NeedsNoPropertyThatTheFrameworkSets) {
  TestProfiles profiles;
  profiles.replace("source.prf.xml", "<properties>",
                   "<properties><simple id=\"COMPONENT_IDENTIFIER\" type=\"string\"><kind "
                   "kindtype=\"execparam\"/></simple>");
  EXPECT_EQ(problem(profiles, {{{"out", false, kFloat}}, kProperties}), "nothing");
}

TEST(Description, RejectsAPropertyTooNarrowForItsPrf) {
  const auto with = [](const char* id, const char* type) {
    auto properties = kProperties;
    for (auto& property : properties) {
      if (property.id == id) property.type.type.name = type;
    }
    return problem({{{"out", false, kFloat}}, properties});
  };
  EXPECT_THAT(
      with("packets", "string"),
      HasSubstr("source.prf.xml:4:3: property 'packets' of component 'source_1' is ulong here, and string in "
                "its class"));
  EXPECT_THAT(with("packets", "short"), HasSubstr("short in its class, which holds -32768 to 32767"));
  EXPECT_THAT(with("packets", "double"), HasSubstr("double in its class"));
  EXPECT_EQ(with("packets", "long"), "nothing") << "the PRF's range ends at 1000000";
  EXPECT_EQ(with("packets", "ulonglong"), "nothing");
  EXPECT_EQ(with("gain", "double"), "nothing") << "wider than float";
  EXPECT_THAT(with("gain", "long"),
              HasSubstr("'gain' of component 'source_1' is float here, and long in its class"));
  EXPECT_THAT(with("shape", "boolean"), HasSubstr("string here, and boolean in its class"));
}

TEST(Description, ComparesFormsMembersAndModes) {
  TestProfiles profiles;
  profiles.replace("source.prf.xml", "<properties>",
                   "<properties><simplesequence id='taps' type='float'/><struct id='tuner'>"
                   "<simple id='gain' type='ulong'/><simplesequence id='codes' type='octet'/></struct>");
  const auto with = [&](const Description::Property& taps, const Description::Property& tuner) {
    auto properties = kProperties;
    properties.push_back(taps);
    properties.push_back(tuner);
    return problem(profiles, {{{"out", false, kFloat}}, properties});
  };
  const auto sequence = [](const char* type, PropertyMode mode = PropertyMode::readwrite) {
    return Description::Property{"taps", mode, {PropertyForm::sequence, {type}, {}}};
  };
  const auto structure = [](std::vector<MemberType> members) {
    return Description::Property{"tuner", PropertyMode::readwrite, {PropertyForm::structure, {}, members}};
  };
  const MemberType gain{"gain", {"ulong"}, false}, codes{"codes", {"octet"}, true};
  EXPECT_EQ(with(sequence("float"), structure({gain, codes})), "nothing");
  EXPECT_THAT(
      with(simple("taps", "float"), structure({gain, codes})),
      HasSubstr("'taps' of component 'source_1' is a <simplesequence> here, and of the form <simple>"));
  EXPECT_THAT(with(sequence("short"), structure({gain, codes})),
              HasSubstr("float here, and short in its class"));
  EXPECT_THAT(with(sequence("float", PropertyMode::readonly), structure({gain, codes})),
              HasSubstr("'taps' of component 'source_1' is readonly in its class, and not here"));
  EXPECT_THAT(with(sequence("float"), structure({gain})),
              HasSubstr("member 'codes' of property 'tuner' of component 'source_1' does not exist"));
  EXPECT_THAT(with(sequence("float"), structure({gain, {"codes", {"octet"}, false}})),
              HasSubstr("is a sequence here, and simple in its class"));
  EXPECT_THAT(with(sequence("float"), structure({{"gain", {"string"}, false}, codes})),
              HasSubstr("member 'gain' of property 'tuner' of component 'source_1' is ulong here"));
}

}  // namespace
}  // namespace orbweaver::sca
