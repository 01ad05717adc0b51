#pragma once

#include <string>
#include <vector>

#include "subcommand.h"

namespace orbweaver::tools {

/// Adds --transport-plugin LIBRARY: loads the library here permanently, and adds it to
/// ORBWEAVER_TRANSPORT_PLUGINS, so that processes started by this one load it too. A library that is not a
/// plug-in is a command line error.
void add_transport_plugins(CLI::App& command);

/// Names of the transports of the loaded plug-ins.
std::vector<std::string> transports_of_plugins();

}  // namespace orbweaver::tools
