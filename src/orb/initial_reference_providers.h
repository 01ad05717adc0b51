#pragma once

#include <orbweaver/detail/initial_reference.h>

#include <string>
#include <vector>

namespace orbweaver::orb {

/// The function that makes the initial reference `name`; null: no library provides it. Any thread.
InitialReferenceProvider::Make find_initial_reference(const std::string& name);
/// The names that libraries provide. Any thread.
std::vector<std::string> provided_initial_references();

}  // namespace orbweaver::orb
