// Tests of generated types in anys, and of their generated TypeCodes.
#include <gtest/gtest.h>
#include <orbweaver/any.h>

#include "everythingC.h"
#include "values.h"

namespace {

using CORBA::Any;
using CORBA::TCKind;
using Type = CORBA::typecode_reference;

template <class T>
Any any_of(const T& value) {
  Any any;
  any <<= value;
  return any;
}

// Inserts a value into an any and extracts it, before and after encoding in CDR. (random_values_test.cpp
// tests the other byte order.)
template <class T>
void goes_through(const T& value, const Type& type) {
  SCOPED_TRACE(printed(value));
  const Any any = any_of(value);
  EXPECT_TRUE(any.type()->equal(type));
  const Octets mine = encoded(any);
  for (const Any& each : {any, decoded<Any>(mine)}) {
    EXPECT_TRUE(each.type()->equal(type));
    EXPECT_EQ(encoded(each), mine);
    T found{};
    ASSERT_TRUE(each >>= found);
    EXPECT_EQ(printed(found), printed(value));
    EXPECT_EQ(encoded(any_of(found)), mine);
  }
  double other = 7;
  EXPECT_FALSE(any >>= other);
}

Every::Everything everything() {
  Every::Everything out;
  out.all(
      {true, 'x', L'\u20ac', 200, -2, 60000, -3, 4000000000u, -5, 1ull << 63, 1.5F, 2.25, 3.125L, -7, 250});
  out.text("some text");
  out.wtext(L"wide \u20ac");
  out.bounded("five!");
  out.wbounded(L"six\u20ac");
  out.grid()[2][3] = -9;
  out.within({std::vector<std::uint8_t>{1, 2}, std::vector<std::uint8_t>{}});
  out.st("short");
  out.which(Every::Kind::MANY);
  out.flags({true, false, true});
  out.grids().resize(2);
  out.pair({true, false});
  out.plains({{1.5, 2, 3.5F}, {2.5, 3, 4.5F}});
  out.others({{1, 0.25}, {2, 0.5}});
  return out;
}

Every::Dynamic dynamic() {
  Every::Dynamic out;
  out.one(any_of(everything()));
  out.described(Every::_tc_Tree);
  out.several({any_of(std::string("a")), Any(), any_of(any_of(2.5))});
  out.few({any_of(true)});
  out.pair({any_of(Every::Kind::SOME), any_of(std::int16_t{-1})});
  out.named({{"x", any_of('x')}, {"y", any_of(std::int64_t{5})}});
  out.types({CORBA::_tc_long, Every::_tc_Dynamic, CORBA::_tc_string});
  out.two({Every::_tc_Leaf, CORBA::_tc_null});
  out.with_ids({Every::Property("rate", any_of(8000.0))});
  out.whichever().kind_of(Every::_tc_Matrix, 2);
  return out;
}

TEST(GeneratedAny, HoldsStructs) {
  goes_through(everything(), Every::_tc_Everything);
  goes_through(Every::Nothing(), Every::_tc_Nothing);
  goes_through(Every::NotPlain(1, 2.5), Every::_tc_NotPlain);
  goes_through(Every::Derived({1.0, 2, 3.0F}, "more"), Every::_tc_Derived);
  goes_through(Every::Outer({Every::Outer::Inner::Mood::BAD, 3}), Every::_tc_Outer);
  goes_through(dynamic(), Every::_tc_Dynamic);
}

TEST(GeneratedAny, HoldsFixedPointNumbers) {
  Every::Ledger ledger;
  ledger.cost(Every::Price("-12.50"));
  ledger.small(IDL::Fixed<31, 31>("0.5"));
  goes_through(ledger, Every::_tc_Ledger);
  const Any any = any_of(Every::Price("-0.50"));
  EXPECT_EQ(any.type()->kind(), TCKind::tk_fixed);
  EXPECT_EQ(any.type()->fixed_digits(), 5);
  EXPECT_EQ(any.type()->fixed_scale(), 2);
  EXPECT_TRUE(any.type()->equivalent(Every::_tc_Price));
  EXPECT_EQ(printed(any), "fixed<5, 2>(-0.50)");
  EXPECT_EQ(printed(any_of(IDL::Fixed<4, 0>(1200))), "fixed<4, 0>(1200)");
  IDL::Fixed<5, 3> other;
  EXPECT_FALSE(any >>= other);
}

TEST(GeneratedAny, RejectsMalformedFixedPointNumbers) {
  Octets bytes = encoded(any_of(Every::Price("1.00")));
  ASSERT_EQ(bytes.back(), 0x0c);
  for (const std::uint8_t sign : std::vector<std::uint8_t>{0x0f, 0x00, 0xac}) {
    bytes.back() = sign;
    Any any;
    orbweaver::cdr::Decoder in(bytes.data(), bytes.size(), false);
    orbweaver::cdr::decode(in, any);
    EXPECT_FALSE(in.ok()) << int{sign};
  }
}

TEST(GeneratedAny, HoldsRecursiveTypes) {
  goes_through(Every::Tree("root", {{"left", {}}, {"right", {Every::Tree("leaf", {})}}}), Every::_tc_Tree);
  Every::Leaf leaf, root;
  leaf.big(1);
  root.kids({leaf, leaf});
  goes_through(root, Every::_tc_Leaf);
}

TEST(GeneratedAny, HoldsEnumsUnionsAndBits) {
  goes_through(Every::Kind::MANY, Every::_tc_Kind);
  Every::ByKind kind;
  kind.words("x", Every::Kind::MANY);
  goes_through(kind, Every::_tc_ByKind);
  Every::ByNumber number;
  number.rest({1.0, 2, 3.0F}, 77);
  goes_through(number, Every::_tc_ByNumber);
  number.bytes({1, 2});
  goes_through(number, Every::_tc_ByNumber);
  Every::ByLetter letter;
  letter.number(5, '\n');
  goes_through(letter, Every::_tc_ByLetter);
  goes_through(Every::ByTruth(), Every::_tc_ByTruth);
  Every::BySmall small;
  small.one(5, 127);
  goes_through(small, Every::_tc_BySmall);
  Every::ByLarge large;
  large.most(-3);
  goes_through(large, Every::_tc_ByLarge);
  goes_through(Every::Flags::low | Every::Flags::top, Every::_tc_Flags);
  Every::Bits bits;
  bits.wide(-3);
  goes_through(bits, Every::_tc_Bits);
  goes_through(Every::Modern(Every::Flags::top, bits, {}, {{"a", 1}, {"b", 2}},
                             {{std::int16_t{1}, Every::Flags::low}}),
               Every::_tc_Modern);
}

TEST(GeneratedAny, HoldsExceptions) {
  goes_through(Every::Empty(), Every::_tc_Empty);
  goes_through(Every::TooMuch(3, Every::Kind::SOME, {"a", "b"}), Every::_tc_TooMuch);
  EXPECT_EQ(printed(any_of(Every::TooMuch(3, Every::Kind::SOME, {"a"}))),
            "TooMuch{amount: 3, what: SOME, words: [\"a\"]}");
}

TEST(GeneratedAny, HoldsMapsAsSequencesOfPairs) {
  const std::map<std::string, std::int32_t> map{{"a", 1}, {"b", 2}};
  const Any any = any_of(map);
  EXPECT_TRUE(any.type()->equal(Every::_tc_Modern->member_type(3)));
  EXPECT_EQ(any.type()->content_type()->member_name(0), "key");
  std::map<std::string, std::int32_t> found;
  EXPECT_TRUE(any >>= found);
  EXPECT_EQ(found, map);
}

TEST(GeneratedAny, PrintsAsTheTypeDoes) {
  EXPECT_EQ(printed(any_of(Every::Pair(1, 2.5))), "Pair{re: 1, im: 2.5}");
  Every::Dynamic value;
  value.one(any_of(Every::Pair(1, 2.5)));
  EXPECT_EQ(printed(value).substr(0, 69),
            "Every::Dynamic{one: Pair{re: 1, im: 2.5}, described: nil, several: []");
}

// A typedef has no C++ type of its own, so its TypeCode is passed explicitly.
TEST(GeneratedAny, InsertsATypedefWithItsTypeCode) {
  Any any = any_of(Every::Forest{Every::Tree("one", {})});
  EXPECT_EQ(any.type()->kind(), TCKind::tk_sequence);
  any.type(Every::_tc_Forest);
  EXPECT_EQ(any.type()->name(), "Forest");
  Every::Forest found;
  EXPECT_TRUE(decoded<Any>(encoded(any)) >>= found);
  EXPECT_THROW(any.type(Every::_tc_Matrix), CORBA::BAD_TYPECODE);
}

TEST(GeneratedTypeCode, DescribesTheIdl) {
  EXPECT_EQ(Every::_tc_Property->id(), "IDL:orbweaver.test/Every/Property:1.0");
  EXPECT_EQ(Every::_tc_Everything->member_name(5), "grid");
  EXPECT_EQ(Every::_tc_Everything->member_type(5)->name(), "Matrix");
  EXPECT_EQ(printed(Every::_tc_Matrix->content_type()), "long[3][4]");
  EXPECT_EQ(printed(Every::_tc_Nested->content_type()), "sequence<sequence<octet, 4>, 2>");
  EXPECT_EQ(Every::_tc_ShortText->content_type()->length(), 12u);
  EXPECT_EQ(Every::_tc_Kind->member_name(2), "MANY");
  EXPECT_EQ(Every::_tc_Later->kind(), TCKind::tk_objref);
  EXPECT_EQ(Every::_tc_Here->kind(), TCKind::tk_local_interface);
  EXPECT_EQ(Every::Later::_tc_Inner->id(), "IDL:orbweaver.test/Every/Later/Inner:1.0");
  EXPECT_EQ(Every::Later::_tc_SamplesView->content_type()->content_type().get(), CORBA::_tc_short.get());
  EXPECT_EQ(Every::Outer::Inner::_tc_Mood->name(), "Mood");
  EXPECT_EQ(Every::_tc_Flags->content_type().get(), CORBA::_tc_ushort.get());
  EXPECT_EQ(_tc_Global->id(), "IDL:orbweaver.test/Global:1.0");
  EXPECT_EQ(_tc_GlobalStruct->member_type(1).get(), _tc_Global.get());
}

TEST(GeneratedTypeCode, HasInheritedMembersFirst) {
  EXPECT_EQ(Every::_tc_Derived->member_count(), 4u);
  EXPECT_EQ(Every::_tc_Derived->member_name(0), "d");
  EXPECT_EQ(Every::_tc_Derived->member_name(3), "extra");
}

TEST(GeneratedTypeCode, HasALabelForEachCase) {
  const Type type = Every::_tc_ByKind;
  ASSERT_EQ(type->member_count(), 3u);
  EXPECT_EQ(type->member_name(1), "words");
  EXPECT_EQ(type->member_name(2), "words");
  Every::Kind label{};
  EXPECT_TRUE(type->member_label(2) >>= label);
  EXPECT_EQ(label, Every::Kind::MANY);
  EXPECT_EQ(type->default_index(), -1);
  EXPECT_EQ(Every::_tc_ByNumber->default_index(), 2);
  std::int32_t number = 0;
  EXPECT_TRUE(Every::_tc_ByNumber->member_label(1) >>= number);
  EXPECT_EQ(number, -5);
  char letter = 0;
  EXPECT_TRUE(Every::_tc_ByLetter->member_label(1) >>= letter);
  EXPECT_EQ(letter, '\n');
  std::int8_t small = 0;
  EXPECT_TRUE(Every::_tc_BySmall->member_label(0) >>= small);
  EXPECT_EQ(small, -1);
  std::uint64_t large = 0;
  EXPECT_TRUE(Every::_tc_ByLarge->member_label(0) >>= large);
  EXPECT_EQ(large, 18446744073709551615u);
}

TEST(GeneratedTypeCode, UsesAnIndirectionForRecursion) {
  EXPECT_EQ(Every::_tc_Tree->member_type(1).get(), Every::_tc_Forest.get());
  EXPECT_EQ(Every::_tc_Forest->content_type()->content_type().get(), Every::_tc_Tree.get());
  EXPECT_EQ(Every::_tc_Leaf->member_type(0)->content_type().get(), Every::_tc_Leaf.get());
}

}  // namespace
