#include "sca/deployment/property_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

SimpleProperty property(const std::string& id, PropertyType type) {
  SimpleProperty made;
  made.id = id;
  made.type = type;
  made.configurable = true;
  return made;
}

PropertyFile properties() {
  PropertyFile file;
  file.simple = {property("gain", PropertyType::uint16), property("state", PropertyType::string),
                 property("mode", PropertyType::string), property("key", PropertyType::string)};
  file.simple[0].max = 10;
  file.simple[0].min = 0;
  file.simple[1].read_only = true;
  file.simple[2].choices = {"am", "fm"};
  file.simple[3].write_only = true;
  file.sequences = {property("taps", PropertyType::real32)};
  file.sequences[0].is_sequence = true;
  StructProperty tuner;
  tuner.id = "tuner";
  tuner.configurable = true;
  tuner.members = std::make_shared<StructMembers>(std::vector{property("band", PropertyType::octet)});
  file.structs = {tuner};
  return file;
}

CF::DataType given(const std::string& id, const std::string& type, const std::string& text) {
  return {id, any_of(type, text)};
}

TEST(PropertyAccess, PassesPermittedValuesInTheTypesOfThePrf) {
  CORBA::Any members, taps;
  members <<= CF::Properties{given("band", "long", "7")};
  taps <<= std::vector<double>{0.5};
  const auto checked = check_values(
      properties(),
      {given("gain", "string", "0x0a"), {"taps", taps}, {"tuner", members}, given("other", "long", "1")});
  EXPECT_EQ(checked.reasons, "");
  ASSERT_EQ(checked.values.size(), 4u);
  EXPECT_EQ(type_name_of(checked.values[0].value()), "ushort");
  EXPECT_EQ(text_of(checked.values[0].value()), "10");
  std::vector<float> floats;
  EXPECT_TRUE(checked.values[1].value() >>= floats);
  CF::Properties passed;
  ASSERT_TRUE(checked.values[2].value() >>= passed);
  EXPECT_EQ(type_name_of(passed.at(0).value()), "octet");
  EXPECT_EQ(type_name_of(checked.values[3].value()), "long") << "not in the PRF: left to the component";
}

TEST(PropertyAccess, NamesWhatIsNotPermittedAndWhy) {
  CORBA::Any members, unknown;
  members <<= CF::Properties{given("band", "long", "300")};
  unknown <<= CF::DataType("a", CORBA::Any());
  const auto checked = check_values(properties(), {given("gain", "ushort", "11"),
                                                   given("state", "string", "x"),
                                                   given("mode", "string", "pm"),
                                                   given("key", "string", "k"),
                                                   given("taps", "float", "1"),
                                                   {"tuner", members},
                                                   {"gain", unknown}});
  EXPECT_EQ(checked.values.size(), 1u);
  EXPECT_EQ(checked.invalid.size(), 6u);
  EXPECT_THAT(
      checked.reasons,
      AllOf(HasSubstr("property 'gain' must be from 0 to 10; "), HasSubstr("property 'state' is readonly"),
            HasSubstr("property 'mode' must be one of am, fm"),
            HasSubstr("property 'taps' must be a sequence of simple values"),
            HasSubstr("property 'tuner' has a member 'band', which must be a whole number from 0 to 255"),
            HasSubstr("property 'gain' cannot have a value of this type")));
}

TEST(PropertyAccess, LetsTheCreatorSetExecParamsThatAreReadonly) {
  PropertyFile file = properties();
  const CF::Properties state{given("state", "string", "x")};
  EXPECT_EQ(check_values(file, state, ValueUse::initial).invalid.size(), 1u);
  file.simple[1].exec_param = true;
  EXPECT_EQ(check_values(file, state, ValueUse::initial).invalid.size(), 0u);
  EXPECT_EQ(check_values(file, state, ValueUse::running).invalid.size(), 1u);
}

TEST(PropertyAccess, KnowsModes) {
  const PropertyFile file = properties();
  EXPECT_TRUE(is_write_only(file, "key"));
  EXPECT_FALSE(is_write_only(file, "gain"));
  EXPECT_FALSE(is_write_only(file, "other"));
}

}  // namespace
}  // namespace orbweaver::sca
