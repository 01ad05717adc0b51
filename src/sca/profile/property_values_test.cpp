#include "sca/profile/property_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sca/profile/log_level.h"
#include "sca/profile/property_json.h"
#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::TestProfiles;

constexpr const char* kForms =
    "<properties><simplesequence id='taps' type='float' mode='writeonly'><values><value>1</value>"
    "<value>0x10</value></values><range min='0' max='20'/></simplesequence>"
    "<struct id='tuner'><simple id='gain' type='ulong'><value>2</value><enumerations>"
    "<enumeration label='low' value='2'/><enumeration label='high' value='4'/></enumerations></simple>"
    "<simplesequence id='codes' type='octet'><values><value>7</value></values></simplesequence></struct>"
    "<structsequence id='tuners' structrefid='tuner'><structvalue><simpleref refid='gain' value='4'/>"
    "<simplesequenceref refid='codes'><values><value>8</value></values></simplesequenceref></structvalue>"
    "</structsequence>";

/// The assembly whose source has these properties and settings.
Assembly with(const std::string& settings = "") {
  TestProfiles profiles;
  profiles.replace("source.prf.xml", "<properties>", kForms);
  if (!settings.empty())
    profiles.replace("chain.sad.xml", "<simpleref refid=\"packets\" value=\"100\"/>", settings);
  auto assembly = profiles.load();
  EXPECT_TRUE(assembly) << assembly.error().message;
  return assembly ? std::move(*assembly) : Assembly();
}

TEST(PropertyValues, AreTheDefaultsOfThePrf) {
  const Assembly assembly = with();
  const PropertyFile& file = assembly.package_of(0).properties;
  EXPECT_TRUE(file.find_use("taps")->write_only);
  EXPECT_EQ(configured_value(*file.find_sequence("taps"), {}), PropertyValue::sequence({"1", "16"}));
  const auto seven = PropertyValue::sequence({"7"}), eight = PropertyValue::sequence({"8"});
  EXPECT_EQ(configured_value(*file.find_struct("tuner"), {}),
            PropertyValue::structure({{"gain", "2"}, {"codes", seven}}));
  EXPECT_EQ(configured_value(*file.find_struct("tuners"), {}),
            PropertyValue::structure_sequence({{{"gain", "4"}, {"codes", eight}}}));
  EXPECT_THAT(file.find_struct("tuner")->members->find("gain")->labels, ElementsAre("low", "high"));
}

TEST(PropertyValues, AreThoseOfTheAssembly) {
  const Assembly assembly = with(
      "<simplesequenceref refid='taps'><values><value>3</value></values></simplesequenceref>"
      "<structref refid='tuner'><simplesequenceref "
      "refid='codes'><values><value>9</value></values></simplesequenceref></structref>"
      "<structsequenceref refid='tuners'><structvalue><simpleref refid='gain' value='2'/></structvalue>"
      "<structvalue><simpleref refid='gain' value='4'/></structvalue></structsequenceref>");
  const PropertyFile& file = assembly.package_of(0).properties;
  const auto& settings = assembly.components[0].settings;
  EXPECT_EQ(configured_value(*file.find_sequence("taps"), settings), PropertyValue::sequence({"3"}));
  EXPECT_EQ(configured_value(*file.find_struct("tuner"), settings),
            PropertyValue::structure({{"gain", "2"}, {"codes", PropertyValue::sequence({"9"})}}));
  const auto tuners = configured_value(*file.find_struct("tuners"), settings);
  ASSERT_TRUE(tuners);
  EXPECT_EQ(tuners->structs.size(), 2u);
}

TEST(PropertyValues, AreNoneIfASettingIsEmptyUnlessItIsAText) {
  SimpleProperty number;
  number.id = "number";
  number.type = PropertyType::int32;
  number.value = "3";
  EXPECT_EQ(configured_value(number, {{"number", "", {}}}), std::nullopt);
  SimpleProperty text = number;
  text.type = PropertyType::string;
  EXPECT_EQ(configured_value(text, {{"number", "", {}}}), PropertyValue(""));
  text.is_optional = true;
  EXPECT_EQ(configured_value(text, {{"number", "", {}}}), std::nullopt);
}

TEST(PropertyValues, AreTheLargestFloatForANumberBeyondIt) {
  SimpleProperty level;
  level.id = "level";
  level.type = PropertyType::real32;
  level.value = "1e99";
  const auto value = configured_value(level, {});
  ASSERT_TRUE(value);
  EXPECT_EQ(std::stof(value->text), std::numeric_limits<float>::max());
  EXPECT_TRUE(level.problem("1e99")) << "of another client's value";
}

TEST(PropertyValues, HaveProblemsInEveryForm) {
  const Assembly assembly = with();
  const PropertyFile& file = assembly.package_of(0).properties;
  const auto of_taps = [&](const PropertyValue& value) {
    return problem_of(*file.find_sequence("taps"), value).value_or("");
  };
  const auto of = [&](const char* id, const PropertyValue& value) {
    return problem_of(*file.find_struct(id), value).value_or("");
  };
  EXPECT_EQ(of_taps(PropertyValue::sequence({"20"})), "");
  EXPECT_EQ(of_taps(PropertyValue::sequence({"21"})), "has an element '21', which must be from 0 to 20");
  EXPECT_EQ(of_taps("20"), "must be a sequence of simple values");
  EXPECT_EQ(of("tuner", PropertyValue::structure({{"gain", "4"}})), "");
  EXPECT_EQ(of("tuner", PropertyValue::structure({{"gain", "3"}})),
            "has a member 'gain', which must be one of 2, 4");
  EXPECT_EQ(of("tuner", PropertyValue::structure({{"pain", "3"}})), "has no member 'pain'");
  EXPECT_EQ(of("tuner", PropertyValue::structure({{"codes", "3"}})),
            "has a member 'codes', which must be a sequence of simple values");
  EXPECT_EQ(of("tuners", PropertyValue::structure_sequence({{{"gain", "4"}}})), "");
  EXPECT_EQ(of("tuners", PropertyValue::sequence({})), "") << "an empty list has no form";
  EXPECT_EQ(of("tuners", PropertyValue::structure({})), "must be a sequence of structs");
}

TEST(PropertyJson, HasEveryForm) {
  const PropertyValue tuners = PropertyValue::structure_sequence(
      {{{"gain", "4"}, {"codes", PropertyValue::sequence({"8", "9"})}, {"name", "5"}}});
  const DeclaredType type{
      PropertyForm::structure_sequence,
      {},
      {{"gain", {"ulong"}, false}, {"codes", {"octet"}, true}, {"name", {"string"}, false}}};
  EXPECT_EQ(json_of(type, tuners).dump(), R"([{"codes":[8,9],"gain":4,"name":"5"}])");
  const auto read = value_of_text(R"([{"codes": [8, 9], "gain": 4, "on": true}])");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->form, PropertyForm::structure_sequence);
  EXPECT_THAT(read->structs[0],
              ElementsAre(Pair("codes", PropertyValue::sequence({"8", "9"})),
                          Pair("gain", PropertyValue("4")), Pair("on", PropertyValue("true"))));
  EXPECT_EQ(*value_of_text("12 dB"), PropertyValue("12 dB"));
  EXPECT_EQ(*value_of_text("[1.5, 2]"), PropertyValue::sequence({"1.5", "2"}));
  EXPECT_EQ(*value_of_text("{\"a\": 18446744073709551615}"),
            PropertyValue::structure({{"a", "18446744073709551615"}}));
  for (const char* wrong :
       {"[1, {}]", "[{}, 1]", "{\"a\": {\"b\": 1}}", "[[1]]", "{\"a\": null}", "[{\"a\": [[]]}]"})
    EXPECT_THAT(value_of_text(wrong).error().message, HasSubstr("is no value of a property")) << wrong;
}

TEST(LogLevel, IsThatOfRedhawk) {
  EXPECT_EQ(log_level_of("TRACE"), "debug");
  EXPECT_EQ(log_level_of("warn"), "warn");
  EXPECT_EQ(log_level_of("3"), "info");
  EXPECT_FALSE(log_level_of("6"));
  EXPECT_FALSE(log_level_of("loud"));
}

TEST(LogLevel, IsReadFromSettingsAndLoggingconfig) {
  TestProfiles profiles;
  profiles.replace("chain.sad.xml", "<simpleref refid=\"packets\" value=\"100\"/>",
                   "<simpleref refid=\"DEBUG_LEVEL\" value=\"4\"/>");
  profiles.add_to("filter_1", "<loggingconfig level=\"ERROR\"/>");
  const auto assembly = profiles.load();
  ASSERT_TRUE(assembly) << assembly.error().message;
  EXPECT_EQ(assembly->components[0].log_level, "debug");
  EXPECT_EQ(assembly->components[1].log_level, "error");
  EXPECT_EQ(assembly->components[2].log_level, "");
}

}  // namespace
}  // namespace orbweaver::sca
