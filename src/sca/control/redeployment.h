#pragma once

#include <string>

#include "CFC.h"

namespace orbweaver::sca {

/// Sets the attribute `redeploy` of an application. Throws Error if the domain manager is another one than
/// Orbweaver's, and raises the exceptions of the call.
void set_redeploy(const IDL::traits<CF::Application>::ref_type& application, bool redeploy);

/// Sets it to true for an application that has just been created. Throws Error whose message says also that
/// the application exists, with its name and id.
void set_redeploy_of_created(const IDL::traits<CF::Application>::ref_type& application,
                             const std::string& name, const std::string& id);

}  // namespace orbweaver::sca
