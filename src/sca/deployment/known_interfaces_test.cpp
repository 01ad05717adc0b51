#include "sca/deployment/known_interfaces.h"

#include <gtest/gtest.h>

#include <memory>

#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca {
namespace {

using testing::TestOrb;

/// References to objects of an ORB that has ended: a call raises an exception.
struct LostObjects : ::testing::Test {
  IDL::traits<CORBA::Object>::ref_type lost(const char* type) {
    const TestOrb ended;
    return own.orb->string_to_object(ended.orb->object_to_string(ended.poa->create_reference(type)));
  }
  TestOrb own;
};

TEST_F(LostObjects, AreNarrowedWithoutACallIfTheyAreOfOrbweaversInterfaces) {
  const auto component = lost(framework::ObservableResource::_interface_id());
  const auto resource = narrow_resource(component);
  ASSERT_TRUE(resource);
  EXPECT_TRUE(IDL::traits<framework::Observable>::narrow(resource));
  EXPECT_TRUE(narrow_component(component, false));
  EXPECT_TRUE(narrow_port(lost(framework::Output::_interface_id())));
  const auto of_41 = narrow_component(lost(framework::ObservableComponent::_interface_id()), true);
  EXPECT_TRUE(of_41.port_accessor());
}

TEST_F(LostObjects, AreAskedIfTheyAreOfOtherInterfaces) {
  EXPECT_THROW(narrow_resource(lost("IDL:radio/Modem:1.0")), CORBA::SystemException);
  EXPECT_THROW(narrow_port(lost("IDL:radio/Port:1.0")), CORBA::SystemException);
  EXPECT_FALSE(narrow_resource(nullptr));
  EXPECT_FALSE(narrow_component(nullptr, true));
}

}  // namespace
}  // namespace orbweaver::sca
