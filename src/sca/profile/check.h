#pragma once

#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// Checks relations between files: connections name ports that the SCDs declare and whose interfaces match,
/// names are unique, settings name existing properties and have values of their types. Fills in
/// Connection::interface and Assembly::warnings. Throws ProfileError.
void check_assembly(Assembly& assembly);

/// Returns the property `id` of `component`, an instantiation of `package`, if it can be set to `value` at
/// the start of the component. Otherwise throws ProfileError with the location `where`.
const SimpleProperty& check_setting(const Instantiation& component, const SoftwarePackage& package,
                                    const std::string& id, const std::string& value, const Location& where);

/// Checks what an assembly says about its resource factories: their names, properties and the qualifiers of
/// the components that they create. Adds to Assembly::warnings. Throws ProfileError.
void check_factories(Assembly& assembly);

/// Checks the direct inputs of an assembly, and its loops of streams: rejects a loop with a direct input, in
/// which a component would wait for itself, and warns about a loop that no packet can enter. Adds to
/// Assembly::warnings. Throws ProfileError.
void check_loops(Assembly& assembly);

/// Throws ProfileError if a property is set twice.
void check_set_once(const std::vector<PropertySetting>& settings);

}  // namespace orbweaver::sca
