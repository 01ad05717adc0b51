#pragma once

#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// Checks what no single file can tell: that connections name ports that the SCDs declare and whose
/// interfaces fit, that no name is given twice, that settings belong to properties and are values of
/// their types. Fills in Connection::interface and Assembly::warnings. Throws ProfileError.
void check_assembly(Assembly& assembly);

/// The property `id` of component number `component` if it can be given `value` when the component is
/// started; throws ProfileError, placed at `where`, if it cannot.
const SimpleProperty& check_setting(const Assembly& assembly, std::size_t component, const std::string& id,
                                    const std::string& value, const Location& where);

}  // namespace orbweaver::sca
