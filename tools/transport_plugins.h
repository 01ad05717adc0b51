#pragma once

#include <string>
#include <vector>

#include "subcommand.h"

namespace orbweaver::tools {

/// Adds --transport-plugin LIBRARY: loads it here, for good, and lets the processes that this one starts load it, by
/// ORBWEAVER_TRANSPORT_PLUGINS. What is no plug-in is an error of the command line.
void add_transport_plugins(CLI::App& command);

/// The transports of plug-ins that are loaded.
std::vector<std::string> transports_of_plugins();

}  // namespace orbweaver::tools
