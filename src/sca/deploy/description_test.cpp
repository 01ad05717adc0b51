#include "sca/deploy/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using testing::Profiles;

constexpr const char* kFloat = "IDL:orbweaver/stream/FloatInput:1.0";
constexpr const char* kOctet = "IDL:orbweaver/stream/OctetInput:1.0";

/// What the check says of the source of testdata, as its class describes itself.
std::string objection(Profiles& profiles, const Description& description) {
  const auto assembly = profiles.load();
  if (!assembly) return assembly.error().message;
  const auto checked = check_description(*assembly, 0, description);
  return checked ? "nothing" : checked.error().message;
}

std::string objection(const Description& description) {
  Profiles profiles;
  return objection(profiles, description);
}

TEST(Description, FitsItsProfiles) {
  EXPECT_EQ(objection({{{"out", false, kFloat}}, {{"packets", "ulong"}, {"gain", "float"}}}), "nothing");
  EXPECT_EQ(objection({{{"out", false, kFloat}, {"more", true, kOctet}}, {{"other", "long"}}}), "nothing")
      << "what the class has beyond its profiles cannot be connected or set";
}

TEST(Description, RefusesAPortThatTheClassDoesNotHave) {
  EXPECT_THAT(objection({{{"output", false, kFloat}}, {}}),
              HasSubstr("source.scd.xml:10:7: component 'source_1' has no port 'out', though its SCD declares it here; "
                        "the class has the outputs output"));
}

TEST(Description, RefusesAPortOfTheOtherDirection) {
  EXPECT_THAT(objection({{{"out", true, kFloat}}, {}}),
              HasSubstr("port 'out' of component 'source_1' is an input in its class, and a uses port here"));
}

TEST(Description, RefusesAPortOfAnotherType) {
  EXPECT_THAT(objection({{{"out", false, kOctet}}, {}}),
              HasSubstr("source.scd.xml:10:7: port 'out' of component 'source_1' is "
                        "IDL:orbweaver/stream/OctetInput:1.0 in its class, and its SCD says "
                        "IDL:orbweaver/stream/FloatInput:1.0"));
}

TEST(Description, RefusesAPropertyThatCannotHoldItsPrfsValues) {
  const auto with = [](const char* id, const char* type) {
    return objection({{{"out", false, kFloat}}, {{id, type}}});
  };
  EXPECT_THAT(with("packets", "string"),
              HasSubstr("source.prf.xml:4:3: property 'packets' of component 'source_1' is ulong here, and string in "
                        "its class"));
  EXPECT_THAT(with("packets", "short"), HasSubstr("short in its class, which holds -32768 to 32767"));
  EXPECT_THAT(with("packets", "double"), HasSubstr("double in its class"));
  EXPECT_EQ(with("packets", "long"), "nothing") << "its range ends at 1000000";
  EXPECT_EQ(with("packets", "ulonglong"), "nothing");
  EXPECT_EQ(with("gain", "double"), "nothing") << "wider than float";
  EXPECT_THAT(with("gain", "long"), HasSubstr("'gain' of component 'source_1' is float here, and long in its class"));
  EXPECT_THAT(with("shape", "boolean"), HasSubstr("string here, and boolean in its class"));
}

}  // namespace
}  // namespace orbweaver::sca
