#include "sca/deployment/property_values.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "sca/profile/property_values.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

constexpr std::array<std::string_view, 6> kFrameworkParams{"NAMING_CONTEXT_IOR",   "NAME_BINDING",
                                                           "COMPONENT_IDENTIFIER", "COMPONENT_REGISTRY_IOR",
                                                           kStreamsExpected,       kDirectInputs};

/// The value of a property; nullopt if it has none.
template <class Property>
std::optional<CORBA::Any> any_of_setting(const Property& property,
                                         const std::vector<PropertySetting>& settings) {
  const auto value = configured_value(property, settings);
  if (!value) return std::nullopt;
  return any_of(declared_type(property), *value);
}

}  // namespace

PropertyFile properties_of(const SoftwarePackage& package, const Implementation* implementation) {
  PropertyFile all;
  if (implementation != nullptr && implementation->properties) all.add(*implementation->properties);
  all.add(package.properties);
  return all;
}

CF::Properties exec_params(const PropertyFile& properties, const std::vector<PropertySetting>& settings) {
  CF::Properties params;
  for (const SimpleProperty& property : properties.simple) {
    const bool is_framework =
        std::find(kFrameworkParams.begin(), kFrameworkParams.end(), property.id) != kFrameworkParams.end();
    if (!property.exec_param || is_framework) continue;
    if (const auto value = configured_value(property, settings))
      params.emplace_back(property.id, any_of("string", value->text));
  }
  return params;
}

CF::Properties configuration(const PropertyFile& properties, const std::vector<PropertySetting>& settings) {
  CF::Properties all;
  const auto add = [&](const auto& list) {
    for (const auto& property : list) {
      if (!property.configurable || property.read_only) continue;
      if (auto value = any_of_setting(property, settings)) all.emplace_back(property.id, std::move(*value));
    }
  };
  add(properties.simple);
  add(properties.sequences);
  add(properties.structs);
  return all;
}

CF::Properties factory_qualifiers(const Assembly& assembly, std::size_t component) {
  const FactoryReference& reference = *assembly.components[component].factory;
  CF::Properties qualifiers;
  const auto add_list = [&](const auto& list) {
    for (const auto& property : list) {
      if (!property.factory_param || is_framework_qualifier(property.id)) continue;
      if (find_qualifier(assembly, component, property.id) != &property) continue;  // the factory declares it
      if (auto value = any_of_setting(property, reference.qualifiers))
        qualifiers.emplace_back(property.id, std::move(*value));
    }
  };
  const auto add = [&](const SoftwarePackage& package) {
    add_list(package.properties.simple);
    add_list(package.properties.sequences);
    add_list(package.properties.structs);
  };
  add(assembly.package_of_factory(reference.factory));
  add(assembly.package_of(component));
  return qualifiers;
}

void set_property(CF::Properties& properties, const std::string& id, const CORBA::Any& value) {
  for (CF::DataType& property : properties) {
    if (property.id() != id) continue;
    property.value(value);
    return;
  }
  properties.emplace_back(id, value);
}

}  // namespace orbweaver::sca
