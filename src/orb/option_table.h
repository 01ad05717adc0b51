#pragma once

#include <map>
#include <string>

#include "orb/option_values.h"

/// Table of the -ORB options: name, check of the value, and where the value is stored. docs/options.md
/// documents them.
namespace orbweaver::orb {

using Setter = Problem (*)(ParsedOptions&, const std::string&);

/// Setters by option name, such as "-ORBListen". Any thread.
const std::map<std::string, Setter>& option_setters();

}  // namespace orbweaver::orb
