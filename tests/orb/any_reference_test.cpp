// Object references in anys: valid beyond the call that passed them, and narrowed on extraction.
#include <gtest/gtest.h>
#include <orbweaver/any.h>

#include "testing/test_orb.h"

namespace orbtest {
namespace {

TEST(AnyOfReference, ReturnsTheReference) {
  TestOrb broker;
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef calls = broker.at(broker.serve(servant));
  CORBA::Any any;
  any <<= calls;
  CallsRef found;
  ASSERT_TRUE(any >>= found);
  EXPECT_TRUE(found->_is_equivalent(calls));
  any <<= CallsRef();
  ASSERT_TRUE(any >>= found);
  EXPECT_EQ(found, nullptr);
}

TEST(AnyOfReference, NarrowsFromObject) {
  TestOrb broker;
  const auto servant = CORBA::make_reference<Servant>();
  CORBA::Any any;
  any <<= broker.orb->string_to_object(broker.serve(servant));
  ASSERT_EQ(any.type().get(), CORBA::_tc_Object.get());
  CallsRef found;
  ASSERT_TRUE(any >>= found);
  EXPECT_EQ(found->_repository_id(), "IDL:OrbTest/Calls:1.0");
  ObjectRef plain;
  any <<= found;
  EXPECT_TRUE(any >>= plain);
}

TEST(AnyOfReference, KeepsItsOrbAliveInSequencesAndAnys) {
  TestOrb broker;
  const auto servant = CORBA::make_reference<Servant>();
  CORBA::Any inner, outer;
  inner <<= std::vector<CallsRef>{broker.at(broker.serve(servant))};
  outer <<= inner;
  inner._reset();
  std::vector<CallsRef> found;
  ASSERT_TRUE(outer >>= inner);
  ASSERT_TRUE(inner >>= found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0]->_non_existent());
}

}  // namespace
}  // namespace orbtest
