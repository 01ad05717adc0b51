#pragma once

#include "sca/profile/assembly.h"
#include "sca/profile/profiles.h"

namespace orbweaver::sca {

/// Checks what a deployment requires of an assembly in addition to the rules of profiles (Profiles), which it
/// has passed: names in the naming service, resource factories, direct inputs and loops. Fills in
/// Connection::interface and adds to Assembly::warnings. Throws ProfileError.
void check_assembly(Assembly& assembly, AssemblyUse use);

/// Checks what concerns all levels of an assembly together, as a deployment does: limits, ids, and
/// check_assembly(). Adds to the mistakes at most one for each of Profiles::whole_assemblies().
void check_whole_assemblies(Profiles& profiles);

/// Returns the property `id` of `component`, an instantiation of `package`, if it can be set to `value` at
/// the start of the component. Otherwise throws ProfileError with the location `where`.
const SimpleProperty& check_setting(const Instantiation& component, const SoftwarePackage& package,
                                    const std::string& id, const std::string& value, const Location& where);

/// Checks the properties of an assembly's factories, and the code of them and their components. Adds to
/// Assembly::warnings. Throws ProfileError.
void check_factories(Assembly& assembly);

/// Checks the direct inputs of an assembly, and its loops of streams: rejects a loop with a direct input, in
/// which a component would wait for itself, and warns about a loop that no packet can enter. Adds to
/// Assembly::warnings. Throws ProfileError.
void check_loops(Assembly& assembly);

}  // namespace orbweaver::sca
