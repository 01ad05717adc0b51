#include "sca/domain/allocation_property.h"

#include <gtest/gtest.h>

namespace orbweaver::sca {
namespace {

/// A device property of that type and value, compared by the PRF action `action`.
std::optional<std::string> unmet(const char* type, const char* value, const char* action,
                                 const char* required) {
  return unmet(AllocationProperty{"DCE:1", "memory_mb", type, *match_action_of_name(action), value},
               {"DCE:1", required});
}

TEST(AllocationProperty, ComparesTheDevicesValueOnTheLeft) {
  EXPECT_FALSE(unmet("ulong", "512", "ge", "512"));
  EXPECT_FALSE(unmet("ulong", "513", "gt", "512"));
  EXPECT_FALSE(unmet("long", "-3", "lt", "2"));
  EXPECT_FALSE(unmet("long", "-3", "le", "-3"));
  EXPECT_FALSE(unmet("long", "-3", "ne", "3"));
  EXPECT_EQ(unmet("ulong", "256", "ge", "512"), "memory_mb is 256, and has to be at least 512");
  EXPECT_EQ(unmet("ulong", "512", "gt", "512"), "memory_mb is 512, and has to be greater than 512");
  EXPECT_EQ(unmet("ulong", "512", "lt", "512"), "memory_mb is 512, and has to be less than 512");
  EXPECT_EQ(unmet("ulong", "513", "le", "512"), "memory_mb is 513, and has to be at most 512");
  EXPECT_EQ(unmet("ulong", "512", "ne", "512"), "memory_mb is 512, and has to be other than 512");
}

TEST(AllocationProperty, ComparesStructsAndSequencesForEquality) {
  AllocationProperty offered{"DCE:1", "modes", "", MatchAction::equal, R"(["am","fm"])"};
  DeclaredType type;
  type.form = PropertyForm::sequence;
  offered.structure = std::make_shared<DeclaredType>(type);
  const auto unmet_by = [&](const char* value) {
    return unmet(offered, {"DCE:1", value, PropertyForm::sequence}).value_or("");
  };
  EXPECT_EQ(unmet_by(R"(["am","fm"])"), "");
  EXPECT_EQ(unmet_by(R"(["fm"])"), R"(modes is ["am","fm"], and has to be ["fm"])");
  offered.action = MatchAction::not_equal;
  EXPECT_EQ(unmet_by(R"(["fm"])"), "");
  EXPECT_EQ(unmet_by(R"(["am","fm"])"), R"(modes is ["am","fm"], and has to be other than ["am","fm"])");
  offered.action = MatchAction::greater;
  EXPECT_EQ(unmet_by(R"(["fm"])"),
            "modes has the action gt, and is no simple value: it can only be compared with eq and ne");
}

TEST(AllocationProperty, ComparesNumbersByValueNotByText) {
  EXPECT_FALSE(unmet("ulong", "0x10", "eq", "16"));
  EXPECT_FALSE(unmet("ulong", "1000", "gt", "9"));
  EXPECT_FALSE(unmet("double", "1e3", "eq", "1000"));
  EXPECT_FALSE(unmet("long", "-0", "eq", "+0"));
  EXPECT_FALSE(unmet("double", "-2.5", "lt", "-2"));
}

TEST(AllocationProperty, ComparesLargeIntegersExactly) {
  EXPECT_FALSE(unmet("ulonglong", "18446744073709551615", "gt", "18446744073709551614"));
  EXPECT_FALSE(unmet("longlong", "-9223372036854775808", "lt", "-9223372036854775807"));
  EXPECT_TRUE(unmet("longlong", "9007199254740993", "eq", "9007199254740992"));
}

TEST(AllocationProperty, ComparesTextByItsCharacters) {
  EXPECT_FALSE(unmet("string", "Linux", "eq", "Linux"));
  EXPECT_EQ(unmet("string", "10", "eq", "0x0a"), "memory_mb is '10', and has to be '0x0a'");
  EXPECT_FALSE(unmet("string", "rev B", "gt", "rev A"));
}

TEST(AllocationProperty, ComparesBooleansForEqualityOnly) {
  EXPECT_FALSE(unmet("boolean", "true", "eq", "TRUE"));
  EXPECT_FALSE(unmet("boolean", "0", "ne", "true"));
  EXPECT_TRUE(unmet("boolean", "true", "gt", "false"));
}

TEST(AllocationProperty, TakesNoTextForANumber) {
  EXPECT_EQ(unmet("ulong", "512", "ne", "much"),
            "the required value of memory_mb, 'much', is no value of type ulong");
  EXPECT_EQ(unmet("ulong", "", "ne", "4"), "memory_mb is '', which is no value of type ulong");
  for (const char* text : {"", "-", "+-4", "--4", "0x", "4 ", "nan", "inf", "1e999"})
    EXPECT_TRUE(unmet("double", "4", "ne", text)) << text;
}

TEST(AllocationProperty, IsMetByOneOfSeveralValues) {
  AllocationProperty waveforms{"w", "w", "string", MatchAction::equal, "am", {"fm", "ssb"}};
  EXPECT_EQ(unmet(waveforms, {"w", "am"}), std::nullopt);
  EXPECT_EQ(unmet(waveforms, {"w", "ssb"}), std::nullopt);
  EXPECT_EQ(unmet(waveforms, {"w", "pm"}), "w is 'am', and has to be 'pm'");
}

TEST(AllocationProperty, HasActionsWithNames) {
  for (const char* const name : {"external", "eq", "ne", "gt", "ge", "lt", "le"})
    EXPECT_EQ(name_of(match_action_of_name(name).value()), name);
}

}  // namespace
}  // namespace orbweaver::sca
