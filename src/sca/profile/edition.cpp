#include "sca/profile/edition.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace orbweaver::sca {
namespace {

/// "ManageableApplicationComponent" and "MANAGEABLE_APPLICATION_COMPONENT" as one word.
std::string word_of(const std::string& type) {
  std::string word;
  for (const char c : type) {
    if (c != '_') word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return word;
}

bool supports_one_of(const ComponentDescriptor& component,
                     std::initializer_list<std::string_view> interfaces) {
  return std::any_of(component.supports.begin(), component.supports.end(), [&](const std::string& supported) {
    return std::any_of(interfaces.begin(), interfaces.end(),
                       [&](std::string_view each) { return component.is_a(supported, each); });
  });
}

}  // namespace

bool is_sca41(const ComponentDescriptor& component) {
  const std::string type = word_of(component.type);
  if (type == "applicationcomponent" || type == "manageableapplicationcomponent") return true;
  return type == "resource" && !supports_one_of(component, {"IDL:CF/Resource:1.0"}) &&
         supports_one_of(component, {"IDL:CF/ComponentIdentifier:1.0", "IDL:CF/ControllableInterface:1.0",
                                     "IDL:CF/PortAccessor:1.0", "IDL:CF/TestableInterface:1.0"});
}

bool is_platform_component41(const ComponentDescriptor& component) {
  const std::string type = word_of(component.type);
  return type == "devicecomponent" || type == "loadabledevicecomponent" ||
         type == "executabledevicecomponent" || type == "servicecomponent" ||
         type == "manageableservicecomponent";
}

bool is_component_factory(const ComponentDescriptor& component) {
  const std::string type = word_of(component.type);
  return type.ends_with("componentfactory") || type.ends_with("componentfactorycomponent") ||
         supports_one_of(component, {"IDL:CF/ComponentFactory:1.0"});
}

bool is_factory(const ComponentDescriptor& component) {
  return component.is_resource_factory() || is_component_factory(component);
}

std::string factory_kind(const ComponentDescriptor& factory) {
  return is_component_factory(factory) ? "component factory" : "resource factory";
}

}  // namespace orbweaver::sca
