#pragma once

#include <optional>
#include <string>
#include <vector>

#include <orbweaver/sca/property_value.h>
#include "sca/profile/property.h"

/// Values of the properties of a PRF: those that an assembly gives them, or else their defaults, and what a
/// caller may set them to.
namespace orbweaver::sca {

/// The type of a property.
DeclaredType declared_type(const SimpleProperty& property);
DeclaredType declared_type(const StructProperty& property);

/// The value that `settings` give to a property, or else its default, in the form that components read;
/// nullopt if it has none. Members without a value are left out.
std::optional<PropertyValue> configured_value(const SimpleProperty& property,
                                              const std::vector<PropertySetting>& settings);
std::optional<PropertyValue> configured_value(const StructProperty& property,
                                              const std::vector<PropertySetting>& settings);

/// Why a property cannot have a value ("must be …"), or nullopt.
std::optional<std::string> problem_of(const SimpleProperty& property, const PropertyValue& value);
std::optional<std::string> problem_of(const StructProperty& property, const PropertyValue& value);

/// Converts a valid value to the form that components read.
PropertyValue canonical(const SimpleProperty& property, PropertyValue value);
PropertyValue canonical(const StructProperty& property, PropertyValue value);

}  // namespace orbweaver::sca
