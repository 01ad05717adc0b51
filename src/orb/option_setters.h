#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "orb/options.h"

/// What each -ORB option does with its value. docs/options.md is the users' list.
namespace orbweaver::orb {

/// Why a value is refused, to be read behind the option's name; empty: it was taken.
using Problem = std::string;
using Setter = std::function<Problem(Options&, const std::string&)>;

/// By the option's name, "-ORBListen". Any thread.
const std::map<std::string, Setter>& option_setters();

/// The parts of `text` between separators; empty parts are left out.
std::vector<std::string> split(const std::string& text, char at);

}  // namespace orbweaver::orb
