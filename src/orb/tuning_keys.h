#pragma once

#include <string>

#include "orb/option_values.h"

/// Keys of -ORBTune: sizes, limits and times that seldom need a change. docs/options.md documents them.
namespace orbweaver::orb {

/// Sets the keys of one -ORBTune: "key=value[,key=value]".
Problem tune(ParsedOptions& parsed, const std::string& value);

/// The spelling with -ORBTune of an option that had a name of its own: "-ORBTune idle-timeout-ms" for
/// "-ORBIdleTimeout". Empty if `option` was none.
std::string tune_spelling_of(const std::string& option);

}  // namespace orbweaver::orb
