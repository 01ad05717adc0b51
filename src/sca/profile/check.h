#pragma once

#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// Checks relations between files: connections name ports that the SCDs declare and whose interfaces match,
/// names are unique, settings name existing properties and have values of their types. Fills in
/// Connection::interface and Assembly::warnings. Throws ProfileError.
void check_assembly(Assembly& assembly);

/// Returns the property `id` of component number `component` if it can be set to `value` at the start of the
/// component. Otherwise throws ProfileError with the location `where`.
const SimpleProperty& check_setting(const Assembly& assembly, std::size_t component, const std::string& id,
                                    const std::string& value, const Location& where);

}  // namespace orbweaver::sca
