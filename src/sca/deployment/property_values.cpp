#include "sca/deployment/property_values.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

constexpr std::array<std::string_view, 6> kFrameworkParams{"NAMING_CONTEXT_IOR",   "NAME_BINDING",
                                                           "COMPONENT_IDENTIFIER", "COMPONENT_REGISTRY_IOR",
                                                           kStreamsExpected,       kDirectInputs};

const PropertySetting* find(const std::vector<PropertySetting>& settings, const std::string& id) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](auto& each) { return each.id == id; });
  return found == settings.end() ? nullptr : &*found;
}

/// Values of these types have no representation in CORBA that components agree on.
bool is_foreign(const SimpleProperty& property) {
  return property.is_complex || property.type == PropertyType::utc_time;
}

std::optional<std::string> text_of_simple(const SimpleProperty& property,
                                          const std::vector<PropertySetting>& settings) {
  const PropertySetting* const setting = find(settings, property.id);
  const std::optional<std::string> text = setting != nullptr ? setting->value : property.value;
  if (!text || (text->empty() && property.is_optional)) return std::nullopt;
  return property.canonical(*text);
}

CORBA::Any simple_any(const SimpleProperty& property, const std::string& text) {
  return any_of(std::string(type_name(property.type)), text);
}

template <class T>
CORBA::Any sequence_any(const SimpleProperty& property, const std::vector<std::string>& values) {
  std::vector<T> all;
  for (const std::string& text : values) {
    T value{};
    simple_any(property, property.canonical(text)) >>= value;
    all.push_back(value);
  }
  CORBA::Any any;
  any <<= all;
  return any;
}

CORBA::Any sequence_any(const SimpleProperty& property, const std::vector<std::string>& values) {
  switch (property.type) {
    case PropertyType::boolean: return sequence_any<bool>(property, values);
    case PropertyType::character: return sequence_any<char>(property, values);
    case PropertyType::real32: return sequence_any<float>(property, values);
    case PropertyType::real64: return sequence_any<double>(property, values);
    case PropertyType::int16: return sequence_any<std::int16_t>(property, values);
    case PropertyType::int32: return sequence_any<std::int32_t>(property, values);
    case PropertyType::uint16: return sequence_any<std::uint16_t>(property, values);
    case PropertyType::uint32: return sequence_any<std::uint32_t>(property, values);
    case PropertyType::octet: return sequence_any<std::uint8_t>(property, values);
    case PropertyType::int64: return sequence_any<std::int64_t>(property, values);
    case PropertyType::uint64: return sequence_any<std::uint64_t>(property, values);
    default: return sequence_any<std::string>(property, values);
  }
}

/// The value of a simple property or sequence; empty: it has none.
std::optional<CORBA::Any> value_of(const SimpleProperty& property,
                                   const std::vector<PropertySetting>& settings) {
  if (is_foreign(property)) return std::nullopt;
  if (property.is_sequence) {
    const PropertySetting* const setting = find(settings, property.id);
    const auto& values = setting != nullptr ? setting->values : property.values;
    if (values.empty() && setting == nullptr) return std::nullopt;
    return sequence_any(property, values);
  }
  const auto text = text_of_simple(property, settings);
  if (!text) return std::nullopt;
  return simple_any(property, *text);
}

CF::Properties members_of(const StructProperty& property, const std::vector<PropertySetting>& settings) {
  CF::Properties members;
  if (!property.members) return members;
  for (const SimpleProperty& member : property.members->list) {
    if (auto value = value_of(member, settings)) members.emplace_back(member.id, std::move(*value));
  }
  return members;
}

std::optional<CORBA::Any> value_of(const StructProperty& property,
                                   const std::vector<PropertySetting>& settings) {
  const PropertySetting* const setting = find(settings, property.id);
  CORBA::Any any;
  if (!property.is_sequence) {
    const bool is_set = setting != nullptr && !setting->structs.empty();
    const CF::Properties members =
        members_of(property, is_set ? setting->structs.front() : std::vector<PropertySetting>());
    if (members.empty()) return std::nullopt;
    any <<= members;
    return any;
  }
  const auto& elements = setting != nullptr ? setting->structs : property.elements;
  if (elements.empty() && setting == nullptr) return std::nullopt;
  std::vector<CORBA::Any> structs;
  for (const auto& element : elements) {
    CORBA::Any members;
    members <<= members_of(property, element);
    structs.push_back(std::move(members));
  }
  any <<= structs;
  return any;
}

}  // namespace

PropertyFile properties_of(const SoftwarePackage& package, const Implementation* implementation) {
  PropertyFile all;
  if (implementation != nullptr) all.add(implementation->properties);
  all.add(package.properties);
  return all;
}

CF::Properties exec_params(const PropertyFile& properties, const std::vector<PropertySetting>& settings) {
  CF::Properties params;
  for (const SimpleProperty& property : properties.simple) {
    const bool is_framework =
        std::find(kFrameworkParams.begin(), kFrameworkParams.end(), property.id) != kFrameworkParams.end();
    if (!property.exec_param || is_framework || is_foreign(property)) continue;
    if (const auto text = text_of_simple(property, settings))
      params.emplace_back(property.id, any_of("string", *text));
  }
  return params;
}

CF::Properties configuration(const PropertyFile& properties, const std::vector<PropertySetting>& settings) {
  CF::Properties all;
  const auto add = [&](const auto& list) {
    for (const auto& property : list) {
      if (!property.configurable || property.read_only) continue;
      if (auto value = value_of(property, settings)) all.emplace_back(property.id, std::move(*value));
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
  const auto add = [&](const SoftwarePackage& package) {
    for (const SimpleProperty& property : package.properties.simple) {
      if (!property.factory_param || is_framework_qualifier(property.id)) continue;
      if (find_qualifier(assembly, component, property.id) != &property) continue;  // the factory declares it
      if (auto value = value_of(property, reference.qualifiers))
        qualifiers.emplace_back(property.id, std::move(*value));
    }
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
