// Values of every kind of type, in each place where they can stand, that Orbweaver sends to a workshop of
// another ORB and receives back.
#include <gmock/gmock.h>
#include <orbweaver/any.h>

#include <cstdlib>
#include <iomanip>
#include <limits>
#include <sstream>
#include <type_traits>
#include <vector>

#include "orbweaver_samples.h"
#include "orbweaver_types.h"
#include "orbweaver_workshop.h"
#include "server.h"

namespace interop {
namespace {

using namespace samples;
using InteropTypes::Types;
using TypesRef = IDL::traits<Types>::ref_type;

constexpr std::uint32_t kHugeOctets = 64u << 20;

/// With all digits of floating-point numbers; of a union, with its discriminator.
template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << std::setprecision(17);
  if constexpr (requires { value._d(); }) {
    orbweaver::print(out, value._d());
    out << ": ";
  }
  orbweaver::print(out, value);
  return out.str();
}

bool has_wide_characters() { return giop_version() != "1.0"; }

struct OrbweaverPassesTypes : testing::Test {
  TypesRef types;
  void SetUp() override {
    const auto workshop = workshop_under_test();
    ASSERT_TRUE(workshop) << "the reference is not of a workshop";
    types = IDL::traits<Types>::narrow(workshop->types());
    ASSERT_TRUE(types) << "the server has no types";
  }

  /// Expects that the operation returns `a`, sets the out parameter to the inout parameter, and the inout
  /// parameter to `a`.
  template <class T, class In>
  void expect_passed(T (Types::*operation)(In, T&, T&), const std::type_identity_t<T>& a,
                     const std::type_identity_t<T>& b) {
    T inout = b, out{};
    const T result = ((*types).*operation)(a, inout, out);
    EXPECT_EQ(printed(result), printed(a));
    EXPECT_EQ(printed(inout), printed(a));
    EXPECT_EQ(printed(out), printed(b));
  }
  /// Expects it of each value, with the next one as the inout parameter.
  template <class T, class In>
  void expect_passed(T (Types::*operation)(In, T&, T&), const std::vector<std::type_identity_t<T>>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      expect_passed(operation, values[i], values[(i + 1) % values.size()]);
  }
  /// Expects that an any of each value is passed with its type.
  template <class T>
  void expect_any_passed(const std::vector<T>& values) {
    for (const auto& value : values) {
      CORBA::Any any, inout, out;
      any <<= value;
      inout <<= value;
      for (const CORBA::Any& back : {types->pass_any(any, inout, out), inout, out}) {
        T found{};
        ASSERT_TRUE(back >>= found) << back.type() << " instead of " << any.type();
        EXPECT_EQ(printed(found), printed(value));
        EXPECT_TRUE(back.type()->equal(any.type())) << back.type() << " instead of " << any.type();
      }
    }
  }
  template <class T>
  void expect_limits_passed(T (Types::*operation)(T, T&, T&)) {
    using Limits = std::numeric_limits<T>;
    const std::vector<T> all = {T{0},          T{1},         static_cast<T>(-1), Limits::lowest(),
                                Limits::max(), Limits::min()};
    expect_passed(operation, all);
    expect_any_passed<T>(all);
  }
  template <class T>
  void expect_floating_passed(T (Types::*operation)(T, T&, T&)) {
    using Limits = std::numeric_limits<T>;
    const std::vector<T> all = {T{0},
                                -T{0},
                                T{1} / 3,
                                Limits::lowest(),
                                Limits::max(),
                                Limits::min(),
                                Limits::denorm_min(),
                                Limits::infinity(),
                                -Limits::infinity(),
                                Limits::quiet_NaN()};
    expect_passed(operation, all);
    expect_any_passed<T>(all);
  }
};

TEST_F(OrbweaverPassesTypes, OfIntegersAtTheirLimits) {
  expect_limits_passed(&Types::pass_octet);
  expect_limits_passed(&Types::pass_short);
  expect_limits_passed(&Types::pass_ushort);
  expect_limits_passed(&Types::pass_long);
  expect_limits_passed(&Types::pass_ulong);
  expect_limits_passed(&Types::pass_longlong);
  expect_limits_passed(&Types::pass_ulonglong);
}

TEST_F(OrbweaverPassesTypes, OfFloatingPointNumbers) {
  expect_floating_passed(&Types::pass_float);
  expect_floating_passed(&Types::pass_double);
}

TEST_F(OrbweaverPassesTypes, OfBooleansCharactersAndEnumerators) {
  expect_passed(&Types::pass_boolean, {true, false});
  expect_passed(&Types::pass_char, {'a', '\0', '\x01', '~', '\x7f'});
  expect_passed(&Types::pass_suit, {Suit::clubs, Suit::diamonds, Suit::hearts, Suit::spades});
  expect_any_passed<bool>({true, false});
  expect_any_passed<char>({'a', '\0'});
  expect_any_passed<Suit>({Suit::clubs, Suit::spades});
}

TEST_F(OrbweaverPassesTypes, OfStrings) {
  for (std::size_t length = 0; length < 40; ++length)
    expect_passed(&Types::pass_string, std::string(length, 'x'), std::string(40 - length, 'y'));
  expect_passed(&Types::pass_string,
                {std::string(100'000, 'z'), "Z\u00fcrich", "\u20ac\u4e2d\u6587", "\U0001f600\U0010ffff"});
  expect_passed(&Types::pass_short_text, {"", "1", "12345678"});
  expect_any_passed<std::string>({"", "a", "Z\u00fcrich", std::string(10'000, 'x')});
}

TEST_F(OrbweaverPassesTypes, OfStringsOfOtherAlphabetsInAnys) {
  expect_any_passed<std::string>({"\u20ac\u4e2d\u6587", "\U0001f600"});
  expect_any_passed<Strings>({Strings{"\u20ac"}});
}

TEST_F(OrbweaverPassesTypes, OfWideCharacters) {
  if (!has_wide_characters()) GTEST_SKIP() << "not in GIOP 1.0";
  expect_passed(&Types::pass_wchar, {L'a', L'\0', L'\u00e9', L'\u20ac', L'\xffff', L'\xd7ff', L'\ue000'});
  expect_any_passed<wchar_t>({L'a', L'\u20ac', L'\0'});
}

TEST_F(OrbweaverPassesTypes, OfWideStrings) {
  if (!has_wide_characters()) GTEST_SKIP() << "not in GIOP 1.0";
  for (std::size_t length = 0; length < 20; ++length)
    expect_passed(&Types::pass_wstring, std::wstring(length, L'\u20ac'), std::wstring(20 - length, L'y'));
  expect_passed(&Types::pass_wides, {ManyWides(), wides(L"", L'a'), wides(L"b", L'\u20ac')});
  expect_any_passed<std::wstring>({L"", L"\u20ac", std::wstring(1001, L'w')});
  expect_any_passed<ManyWides>({ManyWides(), wides(L"b", L'\u20ac')});
}

TEST_F(OrbweaverPassesTypes, OfWideStringsBeyondTheBasicPlane) {
  if (!has_wide_characters()) GTEST_SKIP() << "not in GIOP 1.0";
  expect_passed(&Types::pass_wstring, {L"\U0001f600", L"a\U0010ffffb", L"\U0001f600\U0001f600\U0010ffff"});
  expect_any_passed<std::wstring>({L"\U0001f600", L"a\U0010ffff"});
}

TEST_F(OrbweaverPassesTypes, OfWideStringsThatBeginWithAByteOrderMark) {
  if (!has_wide_characters()) GTEST_SKIP() << "not in GIOP 1.0";
  expect_passed(&Types::pass_wstring, {L"\ufeffa", L"\ufffea"});
  expect_passed(&Types::pass_wchar, {L'\ufeff', L'\ufffe'});
}

TEST_F(OrbweaverPassesTypes, OfStructs) {
  expect_passed(&Types::pass_basics, {basics(0), basics(1), basics(8)});
  expect_passed(&Types::pass_many_basics, {many_basics(0), many_basics(1), many_basics(60)});
  expect_passed(&Types::pass_outer, {outer(0), outer(3), outer(6)});
  expect_any_passed<Basics>({basics(0), basics(3)});
  expect_any_passed<ManyBasics>({many_basics(0), many_basics(30)});
  expect_any_passed<Outer>({outer(1), outer(2)});
}

TEST_F(OrbweaverPassesTypes, OfSequences) {
  expect_passed(&Types::pass_sequences, {Sequences(), sequences()});
  expect_any_passed<Sequences>({Sequences(), sequences()});
}

TEST_F(OrbweaverPassesTypes, OfArrays) {
  expect_passed(&Types::pass_matrix, {matrix(1), matrix(2)});
  expect_passed(&Types::pass_words, {Words{"", "a", "three"}, Words{"1", "", "\u00e9"}});
  expect_passed(&Types::pass_basics_pair,
                {BasicsPair{basics(1), basics(2)}, BasicsPair{basics(3), basics(8)}});
  expect_passed(&Types::pass_arrays, {arrays(0), arrays(3), arrays(6)});
  expect_any_passed<Matrix>({matrix(1), matrix(-1)});
  expect_any_passed<Arrays>({arrays(0), arrays(3)});
}

TEST_F(OrbweaverPassesTypes, OfRecursiveStructs) {
  expect_passed(&Types::pass_branch, {branch(0), branch(3), branch(6), chain(60)});
  expect_passed(&Types::pass_term, {number(-0.0), name(""), operands({}), term()});
  expect_any_passed<Branch>({branch(0), branch(4)});
}

TEST_F(OrbweaverPassesTypes, OfRecursiveUnionsInAnys) { expect_any_passed<Term>({number(1), term()}); }

TEST_F(OrbweaverPassesTypes, OfUnions) {
  expect_passed(&Types::pass_by_boolean, by_boolean());
  expect_passed(&Types::pass_by_one_boolean, by_one_boolean());
  expect_passed(&Types::pass_by_char, by_char());
  expect_passed(&Types::pass_by_short, by_short());
  expect_passed(&Types::pass_by_ushort, by_ushort());
  expect_passed(&Types::pass_by_long, by_long());
  expect_passed(&Types::pass_by_ulong, by_ulong());
  expect_passed(&Types::pass_by_longlong, by_longlong());
  expect_passed(&Types::pass_by_ulonglong, by_ulonglong());
  expect_passed(&Types::pass_by_suit, by_suit());
  expect_passed(&Types::pass_unions, {unions(0, 1), unions(3, 0)});
}

TEST_F(OrbweaverPassesTypes, OfUnionsInAnys) {
  expect_any_passed(by_boolean());
  expect_any_passed(by_char());
  expect_any_passed(by_short());
  expect_any_passed(by_ushort());
  expect_any_passed(by_long());
  expect_any_passed(by_ulong());
  expect_any_passed(by_longlong());
  expect_any_passed(by_suit());
  expect_any_passed(std::vector<Unions>{unions(0, 1), unions(3, 0)});
}

TEST_F(OrbweaverPassesTypes, OfUnionsByLongLongWithADefaultCaseInAnys) { expect_any_passed(by_ulonglong()); }

TEST_F(OrbweaverPassesTypes, OfUnionsWithAnyDiscriminatorOfTheDefaultCase) {
  expect_passed(&Types::pass_by_ushort, by_ushort(65535));
  expect_passed(&Types::pass_by_long, by_long(kLowest<std::int32_t>));
  expect_passed(&Types::pass_by_ulonglong, by_ulonglong(kHighest<std::uint64_t>));
}

TEST_F(OrbweaverPassesTypes, OfUnionsWithoutAMember) {
  expect_passed(&Types::pass_by_short, {no_short()});
  expect_passed(&Types::pass_by_ulong, {no_ulong()});
  expect_passed(&Types::pass_by_longlong, {no_longlong()});
}

TEST_F(OrbweaverPassesTypes, OfReferences) {
  OrbweaverWorkshop::ObjectRef inout = nullptr, out;
  EXPECT_TRUE(types->pass_object(types, inout, out)->_is_equivalent(types));
  EXPECT_TRUE(inout->_is_equivalent(types));
  EXPECT_FALSE(out);
}

TEST_F(OrbweaverPassesTypes, InExceptions) {
  CORBA::Any more;
  more <<= outer(3);
  try {
    types->raise_wrong(basics(3), term(), arrays(1), more);
    FAIL() << "nothing was raised";
  } catch (const InteropTypes::Wrong& wrong) {
    EXPECT_EQ(printed(wrong.all()), printed(basics(3)));
    EXPECT_EQ(printed(wrong.why()), printed(term()));
    EXPECT_EQ(printed(wrong.where()), printed(arrays(1)));
    Outer found;
    EXPECT_TRUE(wrong.more() >>= found);
    EXPECT_EQ(printed(found), printed(outer(3)));
    EXPECT_EQ(wrong.raised_by()->sum_of_octets({2, 3}), 5u);
  }
}

TEST_F(OrbweaverPassesTypes, AndRejectsThoseBeyondTheirBounds) {
  IDL::bounded_string<8> inout, out;
  EXPECT_THROW((void)types->pass_short_text("123456789", inout, out), CORBA::SystemException);
}

TEST_F(OrbweaverPassesTypes, Of64MiB) {
  if (std::getenv("INTEROP_HUGE") == nullptr) GTEST_SKIP() << "only where both ORBs accept such messages";
  const InteropTypes::Octets octets = OrbweaverTypes().octets_of(kHugeOctets);
  EXPECT_EQ(types->sum_of_octets(octets), std::accumulate(octets.begin(), octets.end(), std::uint64_t{0}));
  EXPECT_TRUE(types->octets_of(kHugeOctets) == octets);
}

}  // namespace
}  // namespace interop
