// TypeCodes created at run time equal those of the compiler. Invalid ones are rejected with the minor codes
// of the standard.
#include <gmock/gmock.h>
#include <orbweaver/typecode_members.h>

#include "anysC.h"
#include "orb/minor_codes.h"
#include "testing/anys.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using CORBA::TCKind;
using Type = CORBA::typecode_reference;
namespace minor = orbweaver::minor;

struct CreatedTypeCode : ::testing::Test {
  TestOrb broker;
  CORBA::ORB& orb = *broker.orb;

  const std::string id = "IDL:X:1.0";
  Type of_case(const CORBA::Any& label) {
    return orb.create_union_tc(id, "X", CORBA::_tc_long, {{"a", label, CORBA::_tc_long}});
  }
  template <class Call>
  std::string bad_param(std::uint32_t code, Call&& call) {
    return raised_by<CORBA::BAD_PARAM>(call, code);
  }
  template <class Call>
  std::string bad_member(Call&& call) {
    return raised_by<CORBA::BAD_TYPECODE>(call, minor::kIllegalMemberType);
  }
};

TEST_F(CreatedTypeCode, EqualsTheCompiledStruct) {
  const Type doubles =
      orb.create_alias_tc("IDL:OrbTest/Doubles:1.0", "Doubles", orb.create_sequence_tc(0, CORBA::_tc_double));
  const Type point = orb.create_struct_tc("IDL:OrbTest/Point:1.0", "Point",
                                          {{"x", CORBA::_tc_double}, {"y", CORBA::_tc_double}});
  const Type track = orb.create_alias_tc("IDL:OrbTest/Track:1.0", "Track", orb.create_sequence_tc(0, point));
  const Type record = orb.create_struct_tc(
      "IDL:OrbTest/Record:1.0", "Record",
      {{"name", CORBA::_tc_string}, {"flag", CORBA::_tc_octet}, {"path", track}, {"levels", doubles}});
  EXPECT_TRUE(record->equal(OrbTest::_tc_Record));
  // An any with this type holds values of the compiled struct.
  CORBA::Any any = any_of(OrbTest::Record("one", 2, {{1, 2}}, {0.5}));
  any.type(record);
  OrbTest::Record found;
  EXPECT_TRUE(any >>= found);
  EXPECT_EQ(found.path()[0].y(), 2);
}

TEST_F(CreatedTypeCode, EqualsTheCompiledTypeForOtherKinds) {
  EXPECT_TRUE(orb.create_union_tc("IDL:OrbTest/Either:1.0", "Either", CORBA::_tc_boolean,
                                  {{"one", any_of(true), CORBA::_tc_any},
                                   {"described", any_of(false), CORBA::_tc_TypeCode}})
                  ->equal(OrbTest::_tc_Either));
  EXPECT_TRUE(orb.create_exception_tc("IDL:OrbTest/Refused:1.0", "Refused",
                                      {{"why", CORBA::_tc_string}, {"code", CORBA::_tc_long}})
                  ->equal(OrbTest::_tc_Refused));
  EXPECT_TRUE(orb.create_interface_tc("IDL:OrbTest/Calls:1.0", "Calls")->equal(OrbTest::_tc_Calls));
  EXPECT_EQ(orb.create_enum_tc("IDL:E:1.0", "E", {"a", "b"})->member_name(1), "b");
  EXPECT_EQ(orb.create_string_tc(5)->length(), 5u);
  EXPECT_EQ(orb.create_wstring_tc(0)->kind(), TCKind::tk_wstring);
  EXPECT_EQ(orb.create_array_tc(3, CORBA::_tc_long)->content_type().get(), CORBA::_tc_long.get());
}

TEST_F(CreatedTypeCode, ReportsTheDefaultIndexOfAUnion) {
  const Type type = orb.create_union_tc(id, "X", CORBA::_tc_long,
                                        {{"a", any_of(std::int32_t{-1}), CORBA::_tc_long},
                                         {"a", any_of(std::int32_t{4}), CORBA::_tc_long},
                                         {"b", any_of(std::uint8_t{0}), CORBA::_tc_string}});
  EXPECT_EQ(type->default_index(), 2);
  std::int32_t label = 0;
  EXPECT_TRUE(type->member_label(0) >>= label);
  EXPECT_EQ(label, -1);
}

TEST_F(CreatedTypeCode, EqualsTheCompiledRecursiveStruct) {
  const Type self = orb.create_recursive_tc("IDL:OrbTest/Branch:1.0");
  const Type branches =
      orb.create_alias_tc("IDL:OrbTest/Branches:1.0", "Branches", orb.create_sequence_tc(0, self));
  Type branch =
      orb.create_struct_tc("IDL:OrbTest/Branch:1.0", "Branch",
                           {{"name", CORBA::_tc_string}, {"leaf", CORBA::_tc_any}, {"more", branches}});
  EXPECT_TRUE(branch->equal(OrbTest::_tc_Branch));
  EXPECT_EQ(branch->member_type(2)->content_type()->content_type().get(), branch.get());
  // The TypeCode of a member keeps the whole TypeCode alive.
  const Type part = branch->member_type(2);
  branch = nullptr;
  EXPECT_EQ(part->content_type()->content_type()->member_name(0), "name");
}

// struct A { sequence<B> bs; }; struct B { sequence<A> as; sequence<B> bs; }, created from the inner struct
// outwards.
TEST_F(CreatedTypeCode, SupportsMutualRecursion) {
  const Type a = orb.create_recursive_tc("IDL:A:1.0"), b = orb.create_recursive_tc("IDL:B:1.0");
  const Type inner = orb.create_struct_tc(
      "IDL:B:1.0", "B", {{"as", orb.create_sequence_tc(0, a)}, {"bs", orb.create_sequence_tc(0, b)}});
  const Type outer = orb.create_struct_tc("IDL:A:1.0", "A", {{"bs", orb.create_sequence_tc(0, inner)}});
  const Type within = outer->member_type(0)->content_type();
  EXPECT_EQ(within->member_type(0)->content_type().get(), outer.get());
  EXPECT_EQ(within->member_type(1)->content_type().get(), within.get());
  std::vector<std::uint8_t> bytes;
  orbweaver::cdr::Encoder out(bytes);
  orbweaver::cdr::encode(out, outer);
  out.finish();
  orbweaver::cdr::Decoder in(bytes.data(), bytes.size(), false);
  Type decoded;
  orbweaver::cdr::decode(in, decoded);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(decoded->equal(outer));
}

TEST_F(CreatedTypeCode, RejectsUseBeforeCompletion) {
  const Type self = orb.create_recursive_tc(id), waiting = orb.create_sequence_tc(0, self);
  EXPECT_THAT(raised_by<CORBA::BAD_TYPECODE>([&] { self->member_count(); }, minor::kIncompleteType),
              ::testing::HasSubstr("before its enclosing type"));
  std::vector<std::uint8_t> bytes;
  orbweaver::cdr::Encoder out(bytes);
  EXPECT_NE(
      raised_by<CORBA::BAD_TYPECODE>([&] { orbweaver::cdr::encode(out, waiting); }, minor::kIncompleteType)
          .find(id),
      std::string::npos);
}

TEST_F(CreatedTypeCode, RejectsInvalidIdlNames) {
  const CORBA::StructMemberSeq none;
  EXPECT_EQ(bad_param(minor::kBadTypeName, [&] { orb.create_struct_tc(id, "two words", none); }),
            "'two words' is not an IDL name");
  EXPECT_EQ(bad_param(minor::kBadTypeName, [&] { orb.create_enum_tc(id, "3rd", {}); }),
            "'3rd' is not an IDL name");
  EXPECT_NE(bad_param(minor::kBadRepositoryId, [&] { orb.create_struct_tc("X", "X", none); })
                .find("'X' is not a repository id"),
            std::string::npos);
  EXPECT_NE(
      bad_param(minor::kBadRepositoryId, [&] { orb.create_interface_tc("", "X"); }).find("repository id"),
      std::string::npos);
  EXPECT_EQ(bad_param(minor::kBadMemberName,
                      [&] {
                        orb.create_enum_tc(id, "X", {"red", "Red"});
                      }),
            "duplicate member name 'Red'");
  EXPECT_EQ(bad_param(minor::kBadMemberName,
                      [&] {
                        orb.create_struct_tc(id, "X", {{"a b", CORBA::_tc_long}});
                      }),
            "'a b' is not an IDL name for a member");
  EXPECT_NO_THROW(orb.create_struct_tc("", "", {{"", CORBA::_tc_long}, {"", CORBA::_tc_long}}));
}

TEST_F(CreatedTypeCode, RejectsIllegalMemberTypes) {
  EXPECT_EQ(bad_member([&] {
              orb.create_struct_tc(id, "X", {{"a", nullptr}});
            }),
            "a member's TypeCode is nil");
  EXPECT_EQ(bad_member([&] { orb.create_sequence_tc(0, CORBA::_tc_void); }), "invalid member type void");
  EXPECT_EQ(bad_member([&] { orb.create_alias_tc(id, "X", OrbTest::_tc_Refused); }),
            "invalid member type Refused");
  EXPECT_EQ(bad_member([&] {
              orb.create_struct_tc(id, "X", {{"a", orb.create_recursive_tc(id)}});
            }),
            "a value of X would contain itself: use a sequence");
  EXPECT_EQ(bad_param(minor::kEmptyArray, [&] { orb.create_array_tc(0, CORBA::_tc_long); }),
            "an array must have at least one element");
  Type deep = CORBA::_tc_long;
  EXPECT_EQ(bad_member([&] {
              for (int i = 0; i < 1000; ++i) deep = orb.create_sequence_tc(0, deep);
            }),
            "a TypeCode nests more than 100 deep");
}

TEST_F(CreatedTypeCode, RejectsLabelsOfAnotherType) {
  const CORBA::Any one = any_of(std::int32_t{1});
  EXPECT_NO_THROW(of_case(one));
  EXPECT_EQ(bad_param(minor::kBadLabel, [&] { of_case(any_of(std::int16_t{1})); }),
            "the label has the type short, the discriminator of long");
  EXPECT_EQ(bad_param(minor::kBadLabel, [&] { of_case(any_of(std::uint8_t{1})); }),
            "the label has the type octet, the discriminator of long");
  EXPECT_EQ(bad_param(minor::kBadDiscriminator, [&] { orb.create_union_tc(id, "X", CORBA::_tc_double, {}); }),
            "invalid discriminator type: double");
  EXPECT_EQ(bad_param(minor::kDuplicateLabel,
                      [&] {
                        orb.create_union_tc(id, "X", CORBA::_tc_long,
                                            {{"a", one, CORBA::_tc_long}, {"b", one, CORBA::_tc_long}});
                      }),
            "duplicate label of 'b'");
}

}  // namespace
}  // namespace orbtest
