// Values of properties in anys, and components that are configured and queried with them.
#include "sca/runtime/property_any.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/sca/component.h>

#include <tuple>

#include "CFC.h"
#include "PortTypesC.h"
#include "PropertyTypesC.h"
#include "sca/runtime/component_servant.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
CORBA::Any any_holding(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

/// A value that has been converted there and back.
PropertyValue again(const DeclaredType& type, const PropertyValue& value) {
  return value_of(any_of(type, value)).value_or("no value");
}

TEST(PropertyAny, HasTheTypesOfManyMembersInTimeLinearInTheirNumber) {
  constexpr std::size_t kMembers = 200'000;
  CF::Properties members;
  for (std::size_t i = 0; i < kMembers; ++i)
    members.emplace_back(std::to_string(i), any_of("boolean", "true"));
  const auto type = declared_type_of(any_holding(members));
  ASSERT_TRUE(type);
  EXPECT_EQ(type->members.size(), kMembers);
}

TEST(PropertyAny, HasEverySimpleTypeAndItsSequence) {
  const std::pair<SimpleType, const char*> values[] = {
      {{"boolean"}, "true"},
      {{"char"}, "x"},
      {{"octet"}, "255"},
      {{"short"}, "-3"},
      {{"ushort"}, "3"},
      {{"long"}, "-70000"},
      {{"ulong"}, "4294967295"},
      {{"longlong"}, "-9223372036854775808"},
      {{"float"}, "0.5"},
      {{"ulonglong"}, "18446744073709551615"},
      {{"double"}, "1e+300"},
      {{"string"}, "a b"},
      {{"utctime"}, "2016:03:05::12:00:00.5"},
      {{"float", true}, "1.5-j2"},
      {{"double", true}, "1+j0"},
      {{"short", true}, "-1+j2"},
      {{"ushort", true}, "1+j2"},
      {{"long", true}, "-1-j2"},
      {{"ulong", true}, "1+j2"},
      {{"octet", true}, "1+j255"},
      {{"char", true}, "a+jb"},
      {{"boolean", true}, "true+jfalse"},
      {{"longlong", true}, "-1+j2"},
      {{"ulonglong", true}, "1+j2"},
  };
  for (const auto& [type, text] : values) {
    SCOPED_TRACE(type.name + (type.is_complex ? " complex" : ""));
    EXPECT_EQ(again({PropertyForm::simple, type, {}}, text), text);
    const auto two = PropertyValue::sequence({text, text});
    EXPECT_EQ(again({PropertyForm::sequence, type, {}}, two), two);
    const auto declared = declared_type_of(sequence_any(type, {text}));
    ASSERT_TRUE(declared);
    EXPECT_EQ(declared->type.name, type.name);
    EXPECT_EQ(declared->type.is_complex, type.is_complex);
  }
  EXPECT_THROW(any_of("short", "70000"), std::invalid_argument);
  EXPECT_THROW(sequence_any({"octet"}, {"1", "x"}), std::invalid_argument);
  EXPECT_THROW(any_of(SimpleType{"short", true}, "1+j70000"), std::invalid_argument);
}

TEST(PropertyAny, ReadsSequencesOfNamedTypes) {
  EXPECT_EQ(value_of(any_holding(PortTypes::FloatSequence{0.5F, 2})), PropertyValue::sequence({"0.5", "2"}));
  EXPECT_EQ(value_of(any_holding(CF::StringSequence{"a"})), PropertyValue::sequence({"a"}));
}

TEST(PropertyAny, HasStructsAndSequencesOfThem) {
  const DeclaredType type{
      PropertyForm::structure, {}, {{"gain", {"float"}, false}, {"codes", {"octet"}, true}}};
  const PropertyValue tuner =
      PropertyValue::structure({{"gain", "0.5"}, {"codes", PropertyValue::sequence({"1", "2"})}});
  EXPECT_EQ(again(type, tuner), tuner);
  DeclaredType list = type;
  list.form = PropertyForm::structure_sequence;
  const PropertyValue two = PropertyValue::structure_sequence({tuner.structs[0], {{"gain", "2"}}});
  EXPECT_EQ(again(list, two), two);
  const auto declared = declared_type_of(any_of(list, two));
  ASSERT_TRUE(declared);
  EXPECT_EQ(declared->form, PropertyForm::structure_sequence);
  EXPECT_EQ(declared->members.size(), 2u);
  EXPECT_THROW(any_of(type, PropertyValue::structure({{"pain", "1"}})), std::invalid_argument);
  EXPECT_THROW(any_of(type, PropertyValue::structure({{"codes", "1"}})), std::invalid_argument);
  EXPECT_THROW(any_of(type, two), std::invalid_argument);
}

TEST(PropertyAny, HasNoValueForOtherTypes) {
  EXPECT_FALSE(value_of(CORBA::Any()));
  EXPECT_FALSE(value_of(any_holding(CF::DataType("a", CORBA::Any()))));
  EXPECT_FALSE(value_of(any_holding(std::vector<CORBA::Any>{any_of("ulong", "1")}))) << "no struct";
  const CF::Properties nested{{"a", any_holding(CF::Properties{{"b", any_of("ulong", "1")}})}};
  EXPECT_FALSE(value_of(any_holding(nested))) << "a struct in a struct";
}

struct Tuner {
  float gain = 1;
  std::vector<std::uint8_t> codes;
  static auto members() { return std::tuple(Member("gain", &Tuner::gain), Member("codes", &Tuner::codes)); }
};

class Radio : public Component {
 public:
  using Component::Component;
  ~Radio() override { shut_down(); }

 private:
  Property<double> level_{*this, "level", 1, Range{0, 5}};
  Property<std::uint32_t> errors_{*this, "errors", 0, PropertyMode::readonly};
  Property<std::string> key_{*this, "key", "", PropertyMode::writeonly};
  Property<std::vector<float>> taps_{*this, "taps", {1}};
  Property<std::vector<Tuner>> tuners_{*this, "tuners", {}};
};

struct ComponentProperties : ::testing::Test {
  CORBA::Any queried(const char* id) {
    CF::Properties one{{id, CORBA::Any()}};
    servant->query(one);
    return one[0].value();
  }
  Context context;
  Radio radio{context};
  CORBA::servant_reference<ComponentServant> servant =
      CORBA::make_reference<ComponentServant>(radio, nullptr, [] {});
};

TEST_F(ComponentProperties, AreConfiguredAndQueriedInEveryForm) {
  const CF::Properties tuner{{"gain", any_of("float", "2")}};
  servant->configure({{"taps", any_holding(std::vector<float>{0.5F, 2})},
                      {"tuners", any_holding(std::vector<CORBA::Any>{any_holding(tuner)})}});
  std::vector<float> taps;
  ASSERT_TRUE(queried("taps") >>= taps);
  EXPECT_THAT(taps, ElementsAre(0.5F, 2));
  std::vector<CORBA::Any> tuners;
  ASSERT_TRUE(queried("tuners") >>= tuners);
  CF::Properties members;
  ASSERT_TRUE(tuners.at(0) >>= members);
  ASSERT_EQ(members.size(), 2u);
  float gain = 0;
  std::vector<std::uint8_t> codes{1};
  EXPECT_TRUE(members[0].value() >>= gain);
  EXPECT_TRUE(members[1].value() >>= codes);
  EXPECT_EQ(gain, 2);
  EXPECT_TRUE(codes.empty());
}

TEST_F(ComponentProperties, AreRejectedWithAllReasonsAndWithoutTheOthers) {
  try {
    servant->configure(
        {{"level", any_of("double", "2")}, {"errors", any_of("ulong", "1")}, {"taps", any_of("float", "1")}});
    ADD_FAILURE() << "no exception";
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    EXPECT_THAT(e.msg(), AllOf(HasSubstr("'errors' is readonly"), HasSubstr("'taps' must be a sequence")));
    ASSERT_EQ(e.invalidProperties().size(), 2u);
    EXPECT_EQ(e.invalidProperties()[0].id(), "errors");
    EXPECT_EQ(e.invalidProperties()[1].id(), "taps");
  }
  EXPECT_EQ(text_of(queried("level")), "1") << "none has been set";
  EXPECT_THROW(servant->configure({{"level", any_of("double", "6")}}), CF::PropertySet::InvalidConfiguration);
  EXPECT_THROW(servant->configure({{"level", CORBA::Any()}}), CF::PropertySet::InvalidConfiguration);
}

TEST_F(ComponentProperties, AreNotQueriedIfTheyAreWriteonly) {
  servant->configure({{"key", any_of("string", "secret")}});
  EXPECT_THROW(queried("key"), CF::UnknownProperties);
  CF::Properties all;
  servant->query(all);
  EXPECT_EQ(all.size(), 4u);
  for (const CF::DataType& each : all) EXPECT_NE(each.id(), "key");
}

TEST_F(ComponentProperties, AreDescribedForTheDeployment) {
  const auto description = servant->description();
  ASSERT_EQ(description.properties().size(), 5u);
  const auto& errors = description.properties()[1];
  EXPECT_EQ(errors.access(), framework::PropertyAccess::PROPERTY_READONLY);
  EXPECT_EQ(errors.type().name(), "ulong");
  const auto& tuners = description.properties()[4];
  EXPECT_TRUE(tuners.is_struct() && tuners.type().is_sequence());
  EXPECT_EQ(tuners.members().at(1).id(), "codes");
  EXPECT_TRUE(tuners.members().at(1).type().is_sequence());
}

}  // namespace
}  // namespace orbweaver::sca
