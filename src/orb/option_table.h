#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "orb/options.h"

/// Table of the -ORB options: name, check of the value, and where the value is stored. docs/options.md
/// documents them.
namespace orbweaver::orb {

/// Why a value is rejected: the end of a sentence that begins with the option's name. Empty if the value was
/// accepted.
using Problem = std::string;
using Setter = std::function<Problem(Options&, const std::string&)>;

/// Setters by option name, such as "-ORBListen". Any thread.
const std::map<std::string, Setter>& option_setters();

/// Splits `text` at each `at`; empty parts are omitted.
std::vector<std::string> split(const std::string& text, char at);

}  // namespace orbweaver::orb
