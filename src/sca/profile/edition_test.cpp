#include "sca/profile/edition.h"

#include <gtest/gtest.h>

namespace orbweaver::sca {
namespace {

ComponentDescriptor component(const std::string& type, const std::vector<std::string>& supports) {
  ComponentDescriptor component;
  component.type = type;
  component.supports = supports;
  return component;
}

TEST(Edition, IsThatOfTheSupportedInterfaces) {
  EXPECT_FALSE(is_sca41(component("resource", {"IDL:CF/Resource:1.0"})));
  EXPECT_FALSE(is_sca41(component("resource", {"IDL:CF/LifeCycle:1.0", "IDL:CF/PropertySet:1.0"})))
      << "interfaces of both editions";
  for (const char* const id : {"IDL:CF/ComponentIdentifier:1.0", "IDL:CF/ControllableInterface:1.0",
                               "IDL:CF/PortAccessor:1.0", "IDL:CF/TestableInterface:1.0"}) {
    EXPECT_TRUE(is_sca41(component("resource", {"IDL:CF/LifeCycle:1.0", id}))) << id;
    EXPECT_FALSE(is_sca41(component("resource", {"IDL:CF/Resource:1.0", id}))) << id;
  }
}

TEST(Edition, FollowsInheritanceInTheScd) {
  ComponentDescriptor derived = component("resource", {"IDL:radio/Gain:1.0"});
  EXPECT_FALSE(is_sca41(derived));
  derived.interfaces = {{"IDL:radio/Gain:1.0", "Gain", {"IDL:CF/PortAccessor:1.0"}, {}}};
  EXPECT_TRUE(is_sca41(derived));
  derived.interfaces[0].inherits = {"IDL:CF/Resource:1.0", "IDL:CF/PortAccessor:1.0"};
  EXPECT_FALSE(is_sca41(derived));
}

TEST(Edition, IsThatOfTheType) {
  EXPECT_TRUE(is_sca41(component("applicationComponent", {})));
  EXPECT_TRUE(is_sca41(component("MANAGEABLE_APPLICATION_COMPONENT", {})));
  EXPECT_FALSE(is_sca41(component("resourcefactory", {"IDL:CF/PortAccessor:1.0"})));
  EXPECT_FALSE(is_sca41(component("device", {"IDL:CF/PortAccessor:1.0"})));
}

}  // namespace
}  // namespace orbweaver::sca
