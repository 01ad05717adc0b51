#pragma once

#include "CFC.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// The properties of an implementation: its own, those of its package, and those of its SCD, in this order of
/// precedence. `implementation` may be null.
PropertyFile properties_of(const SoftwarePackage& package, const Implementation* implementation);

/// Values of the properties of kind execparam, as strings: the settings of the assembly, or else the
/// defaults. Without the parameters that the framework adds (NAMING_CONTEXT_IOR, …).
CF::Properties exec_params(const PropertyFile& properties, const std::vector<PropertySetting>& settings);

/// Values of the writable properties of kind configure, of every form. Properties without a value are left
/// out.
CF::Properties configuration(const PropertyFile& properties, const std::vector<PropertySetting>& settings);

/// Arguments of createResource(): the properties of kind factoryparam of the factory and of the component,
/// with the settings of the assembly, or else their defaults.
CF::Properties factory_qualifiers(const Assembly& assembly, std::size_t component);

/// Adds a property, or replaces the one with its id.
void set_property(CF::Properties& properties, const std::string& id, const CORBA::Any& value);

}  // namespace orbweaver::sca
