// TypeCodes of a few octets that describe values of any size, values that do not match their TypeCode, and
// the limits of DynAnys.
#include <orbweaver/typecode_members.h>

#include <deque>

#include "dyn_anys.h"

namespace dynany {
namespace {

using CORBA::StructMember;

using CORBA::TypeCode;

/// TypeCodes that ORB::create_…_tc does not make, but that a message can contain. They live as long as this
/// object.
class Received {
 public:
  /// A struct with two members of `each`, and so on, `levels` deep.
  TypeRef doubled(const TypeRef& each, int levels) {
    const TypeCode* type = each.get();
    for (int i = 0; i < levels; ++i) {
      members_.push_back({{"a", type}, {"b", type}});
      type = &types_.emplace_back(TCKind::tk_struct, "", "S", members_.back().data(), 2u);
    }
    return reference_to(*type);
  }
  TypeRef sequence(const TypeRef& element) {
    return reference_to(types_.emplace_back(TCKind::tk_sequence, "", "", nullptr, 0u, element.get()));
  }

 private:
  std::deque<std::vector<TypeCode::Member>> members_;
  std::deque<TypeCode> types_;
};

template <class Exception, class Call>
std::uint32_t minor_of(Call&& call) {
  try {
    call();
  } catch (const Exception& e) {
    return e.minor();
  } catch (const CORBA::Exception& e) {
    ADD_FAILURE() << e;
  }
  return 0;
}
constexpr std::uint32_t kTooLarge = 0x4f5700e5;

TEST(DynAnyLimits, TypesWithMoreMembersThanMemoryAreTraversed) {
  for (const TypeRef& leaf : {CORBA::_tc_octet, CORBA::_tc_null}) {
    Received types;
    const Ref whole = initial(types.doubled(leaf, 90));
    EXPECT_TRUE(whole->equal(whole->copy()));
    Ref part = whole;
    for (int i = 0; i < 90; ++i) part = at(part, 1);
    EXPECT_TRUE(part->type()->equal(leaf));
    EXPECT_EQ(minor_of<CORBA::IMP_LIMIT>([&] { whole->to_any(); }), kTooLarge) << leaf;
  }
}

TEST(DynAnyLimits, ChangedPartsOfSuchTypesAreKept) {
  Received types;
  const Ref whole = initial(types.doubled(CORBA::_tc_long, 90));
  Ref part = whole;
  for (int i = 0; i < 89; ++i) part = at(part, 0);
  part->insert_long(7);
  part = whole;
  for (int i = 0; i < 90; ++i) part = at(part, 0);
  EXPECT_EQ(part->get_long(), 7);
  EXPECT_EQ(minor_of<CORBA::IMP_LIMIT>([&] { whole->copy(); }), kTooLarge);
}

TEST(DynAnyLimits, LargeArraysTakeNoMemoryUntilTheyAreWritten) {
  const Ref array = initial(orb().create_array_tc(0xffffffff, CORBA::_tc_double));
  EXPECT_EQ(array->component_count(), 0xffffffffu);
  at(array, 0x7fffffff)->insert_double(1.5);
  EXPECT_EQ(array->get_double(), 1.5);
  EXPECT_TRUE(array->next());
  EXPECT_EQ(array->get_double(), 0.0);
  EXPECT_EQ(minor_of<CORBA::IMP_LIMIT>([&] { array->to_any(); }), kTooLarge);
  EXPECT_EQ(minor_of<CORBA::IMP_LIMIT>([&] { as<DynamicAny::DynArray>(array)->get_elements(); }), kTooLarge);
  EXPECT_EQ(minor_of<CORBA::IMP_LIMIT>([&] { array->get_double_seq(); }), kTooLarge);
}

TEST(DynAnyLimits, SequencesOfTypesWithoutOctetsAreNotListed) {
  Received types;
  const Ref sequence = initial(types.sequence(CORBA::_tc_null));
  const auto elements = as<DynamicAny::DynSequence>(sequence);
  elements->set_length(0xffffffff);
  EXPECT_EQ(octets_of(sequence->to_any()).size(), 4u);
  EXPECT_EQ(minor_of<CORBA::IMP_LIMIT>([&] { elements->get_elements(); }), kTooLarge);
  EXPECT_EQ(minor_of<CORBA::IMP_LIMIT>([&] { elements->get_elements_as_dyn_any(); }), kTooLarge);
}

TEST(DynAnyLimits, RecursiveValuesAreNested256Deep) {
  Ref part = initial<Every::Tree>();
  const Ref whole = part;
  const auto descend = [&] {
    const auto kids = as<DynamicAny::DynSequence>(at(part, 1));
    kids->set_length(1);
    part = kids->current_component();
  };
  for (int i = 0; i < 127; ++i) descend();
  EXPECT_EQ(minor_of<CORBA::IMP_LIMIT>([&] {
              for (;;) descend();
            }),
            kTooLarge);
  EXPECT_TRUE(whole->equal(whole));
}

TEST(DynAnyLimits, MalformedValuesAreRejected) {
  const Any long_string = any_with(CORBA::_tc_string, {0xff, 0, 0, 0, 'x'});
  EXPECT_THROW(factory().create_dyn_any(long_string), CORBA::MARSHAL);
  const Ref text = initial(CORBA::_tc_string);
  EXPECT_THROW(text->from_any(long_string), DynAny::InvalidValue);
  const Any truncated = any_with(reference_to(TypeCodeOf<Every::Pair>::get()), {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THROW(factory().create_dyn_any(truncated), CORBA::MARSHAL);
  EXPECT_THROW(initial<Every::Pair>()->from_any(truncated), DynAny::InvalidValue);
}

// TypeCodes with one repository id are equivalent, whatever their members.
TEST(DynAnyLimits, EquivalentTypesWithOtherMembersAreDecodedByTheOwnType) {
  const TypeRef small =
      orb().create_struct_tc("IDL:Test/Same:1.0", "Same", {StructMember("a", CORBA::_tc_octet)});
  const TypeRef large = orb().create_struct_tc(
      "IDL:Test/Same:1.0", "Same", {StructMember("a", orb().create_array_tc(100, CORBA::_tc_double))});
  ASSERT_TRUE(small->equivalent(large));
  const Ref from = initial(small), to = initial(large);
  from->insert_octet(1);
  EXPECT_THROW(to->assign(from), DynAny::TypeMismatch);
  EXPECT_THROW(to->from_any(from->to_any()), DynAny::InvalidValue);
  EXPECT_FALSE(to->equal(from) && from->equal(to));
}

TEST(DynAnyFactory, RejectsTypesWithoutValuesInAnys) {
  using Inconsistent = DynamicAny::DynAnyFactory::InconsistentTypeCode;
  const TypeRef native = orb().create_native_tc("IDL:Test/Handle:1.0", "Handle");
  EXPECT_THROW(initial(native), Inconsistent);
  EXPECT_THROW(initial(orb().create_sequence_tc(0, native)), Inconsistent);
  EXPECT_THROW(initial(orb().create_local_interface_tc("IDL:Test/Here:1.0", "Here")), Inconsistent);
  EXPECT_THROW(initial(CORBA::_tc_Principal), Inconsistent);
  EXPECT_THROW(initial(orb().create_recursive_tc("IDL:Test/Later:1.0")), Inconsistent);
  EXPECT_THROW(initial(nullptr), CORBA::BAD_PARAM);
}

}  // namespace
}  // namespace dynany
