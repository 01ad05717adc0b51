// Properties of every form, and their rules.
#include <orbweaver/sca/component.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <tuple>
#include <vector>

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

struct Tuner {
  double frequency = 100e6;
  std::vector<float> taps = {1};
  std::string name = "none";
  static auto members() {
    return std::tuple(Member("frequency", &Tuner::frequency, Range{1e6, 6e9}), Member("taps", &Tuner::taps),
                      Member("name", &Tuner::name, OneOf{"none", "wide", "narrow"}));
  }
};

class Radio : public Component {
 public:
  using Component::Component;
  ~Radio() override { shut_down(); }

  Property<double> gain{*this, "gain", 1, Range{0, 10}};
  Property<std::uint32_t> errors{*this, "errors", 0, PropertyMode::readonly};
  Property<std::string> key{*this, "key", "", PropertyMode::writeonly};
  Property<std::string> mode{*this, "mode", "am", OneOf{"am", "fm"}};
  Property<std::vector<std::int16_t>> codes{*this, "codes", {1, 2}, Range{-5, 5}};
  Property<std::vector<bool>> flags{*this, "flags", {true}};
  Property<std::complex<float>> phasor{*this, "phasor", {1, 2}};
  Property<UtcTime> time{*this, "time", {}};
  Property<Tuner> tuner{*this, "tuner", {}};
  Property<std::vector<Tuner>> tuners{*this, "tuners", {}};
};

struct PropertyForms : ::testing::Test {
  /// Why a value cannot be set; "" if it has been.
  std::string problem(const std::string& id, const PropertyValue& value) {
    try {
      radio.configure({{id, value}});
      return {};
    } catch (const InvalidProperties& e) {
      EXPECT_EQ(e.reasons().front().first, id);
      return e.what();
    }
  }
  Context context;
  Radio radio{context};
};

TEST_F(PropertyForms, RejectsValuesOutsideOfTheRangeOrEnumeration) {
  EXPECT_EQ(problem("gain", "10"), "");
  EXPECT_THAT(problem("gain", "10.5"),
              HasSubstr("'gain' cannot be 10.5: it must be at least 0 and at most 10"));
  EXPECT_THAT(problem("gain", "nan"), HasSubstr("'gain' cannot be nan"));
  EXPECT_EQ(problem("mode", "fm"), "");
  EXPECT_THAT(problem("mode", "pm"), HasSubstr("'mode' cannot be 'pm': it must be one of am, fm"));
  EXPECT_THAT(problem("codes", PropertyValue::sequence({"1", "6"})), HasSubstr("'codes' cannot be 6"));
  EXPECT_EQ(radio.gain, 10);
  EXPECT_THAT(radio.codes.value(), ElementsAre(1, 2));
}

TEST_F(PropertyForms, KeepsModes) {
  EXPECT_EQ(problem("errors", "1"), "property 'errors' is readonly");
  radio.errors.set_value(7);
  EXPECT_EQ(radio.query("errors"), "7");
  EXPECT_EQ(problem("key", "secret"), "");
  EXPECT_EQ(radio.key.value(), "secret");
  EXPECT_THROW(static_cast<void>(radio.query("key")), std::invalid_argument);
}

TEST_F(PropertyForms, NamesAllThatCannotBeSetAndSetsNone) {
  try {
    radio.configure({{"gain", "3"}, {"errors", "1"}, {"mode", "pm"}, {"colour", "1"}});
    ADD_FAILURE() << "no exception";
  } catch (const InvalidProperties& e) {
    EXPECT_THAT(e.reasons(), ElementsAre(Pair("errors", HasSubstr("readonly")), Pair("mode", HasSubstr("pm")),
                                         Pair("colour", HasSubstr("no property"))));
  }
  EXPECT_EQ(radio.gain, 1);
}

TEST_F(PropertyForms, HasSequencesOfSimpleValues) {
  EXPECT_EQ(problem("codes", PropertyValue::sequence({"3", "-4"})), "");
  EXPECT_THAT(radio.codes.value(), ElementsAre(3, -4));
  EXPECT_EQ(radio.query("codes"), PropertyValue::sequence({"3", "-4"}));
  EXPECT_EQ(problem("codes", PropertyValue::sequence({})), "");
  EXPECT_TRUE(radio.codes.value().empty());
  EXPECT_EQ(problem("flags", PropertyValue::sequence({"false", "true"})), "");
  EXPECT_EQ(radio.query("flags"), PropertyValue::sequence({"false", "true"}));
  EXPECT_THAT(problem("codes", "3"), HasSubstr("'codes' must be a sequence"));
  EXPECT_THAT(problem("gain", PropertyValue::sequence({"3"})), HasSubstr("'gain' must be a simple value"));
  EXPECT_THAT(problem("codes", PropertyValue::sequence({"loud"})), HasSubstr("'loud'"));
}

TEST_F(PropertyForms, HasStructsWhoseOtherMembersKeepTheirValues) {
  EXPECT_EQ(problem("tuner", PropertyValue::structure({{"frequency", "2e6"}})), "");
  EXPECT_EQ(problem("tuner", PropertyValue::structure({{"taps", PropertyValue::sequence({"0.5"})}})), "");
  EXPECT_EQ(radio.tuner.value().frequency, 2e6);
  EXPECT_THAT(radio.tuner.value().taps, ElementsAre(0.5F));
  EXPECT_EQ(radio.query("tuner"),
            PropertyValue::structure(
                {{"frequency", "2e+06"}, {"taps", PropertyValue::sequence({"0.5"})}, {"name", "none"}}));
  EXPECT_THAT(problem("tuner", PropertyValue::structure({{"frequency", "5"}})),
              HasSubstr("'tuner': member 'frequency' cannot be 5"));
  EXPECT_THAT(problem("tuner", PropertyValue::structure({{"name", "far"}})), HasSubstr("one of none, wide"));
  EXPECT_THAT(problem("tuner", PropertyValue::structure({{"colour", "5"}})),
              HasSubstr("'tuner' has no member 'colour'"));
  EXPECT_THAT(problem("tuner", "5"), HasSubstr("must be a struct"));
}

TEST_F(PropertyForms, HasSequencesOfStructs) {
  const PropertyValue two =
      PropertyValue::structure_sequence({{{"name", "wide"}}, {{"frequency", "3e6"}, {"name", "narrow"}}});
  EXPECT_EQ(problem("tuners", two), "");
  ASSERT_EQ(radio.tuners.value().size(), 2u);
  EXPECT_EQ(radio.tuners.value()[0].frequency, 100e6) << "that of a new struct";
  EXPECT_EQ(radio.tuners.value()[1].name, "narrow");
  EXPECT_EQ(radio.query("tuners").structs[1][0].second, "3e+06");
  EXPECT_THAT(problem("tuners", PropertyValue::structure({})), HasSubstr("must be a sequence of structs"));
}

TEST_F(PropertyForms, HasComplexNumbersAndTimes) {
  EXPECT_EQ(problem("phasor", "-1.5-j2"), "");
  EXPECT_EQ(radio.phasor.value(), std::complex<float>(-1.5F, -2));
  EXPECT_EQ(radio.query("phasor"), "-1.5-j2");
  EXPECT_EQ(problem("phasor", "j3"), "");
  EXPECT_EQ(radio.query("phasor"), "0+j3");
  EXPECT_THAT(problem("phasor", "1+jx"), HasSubstr("it must be a number"));
  EXPECT_EQ(problem("time", "2016:03:05::12:00:00.5"), "");
  EXPECT_EQ(radio.time.value(), (UtcTime{1457179200, 0.5}));
  EXPECT_EQ(radio.query("time"), "2016:03:05::12:00:00.5");
  for (const char* wrong : {"2016:13:05::12:00:00", "2016:03:05", "", "2016:03:05::12:00:00x", "soon"})
    EXPECT_THAT(problem("time", wrong), HasSubstr("must be a time such as")) << wrong;
  EXPECT_EQ(problem("time", "now"), "");
  EXPECT_GT(radio.time.value().seconds, 1'700'000'000);
  radio.time.set_value({std::numeric_limits<std::int64_t>::max(), std::nan("")});
  EXPECT_EQ(radio.query("time"), "9999:12:31::23:59:59");
}

TEST_F(PropertyForms, DeclaresItsTypesInThePrfsWords) {
  const auto type_of = [&](const char* id) { return radio.find_property(id)->declared_type(); };
  EXPECT_EQ(type_of("gain").type.name, "double");
  EXPECT_EQ(type_of("codes").form, PropertyForm::sequence);
  EXPECT_EQ(type_of("codes").type.name, "short");
  EXPECT_EQ(type_of("phasor").type.name, "float");
  EXPECT_TRUE(type_of("phasor").type.is_complex);
  EXPECT_EQ(type_of("time").type.name, "utctime");
  const DeclaredType tuners = type_of("tuners");
  EXPECT_EQ(tuners.form, PropertyForm::structure_sequence);
  ASSERT_EQ(tuners.members.size(), 3u);
  EXPECT_EQ(tuners.members[1].id, "taps");
  EXPECT_EQ(tuners.members[1].type.name, "float");
  EXPECT_TRUE(tuners.members[1].is_sequence);
}

TEST(PropertyOfAFactory, TakesQualifiersOfEveryForm) {
  Context context;
  context.set("codes", PropertyValue::sequence({"4"}));
  context.set("tuner", PropertyValue::structure({{"name", "wide"}}));
  Radio radio(context);
  EXPECT_THAT(radio.codes.value(), ElementsAre(4));
  EXPECT_EQ(radio.tuner.value().name, "wide");
  Context wrong;
  wrong.set("codes", "4");
  EXPECT_THROW(Radio{wrong}, std::invalid_argument);
}

}  // namespace
}  // namespace orbweaver::sca
