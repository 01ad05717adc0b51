#pragma once

#include <orbweaver/result.h>

#include <string>

#include "platform/process.h"
#include "server/server_options.h"

namespace orbweaver::server {

/// The path of the state file `name` if none is given: orbweaver/NAME in $XDG_STATE_HOME or ~/.local/state.
/// Creates its folder. Errors: unavailable if there is no such folder.
Result<std::string> default_state_file(const std::string& name);

/// Writes --ior-file, prints the IOR if that is asked for, and then one line: "orbweaver naming: serving
/// TEXT". Errors: unavailable if one of these cannot be written.
Result<void> announce(const ServerOptions& options, const std::string& reference, const std::string& text);

/// Returns at SIGINT, SIGTERM or SIGHUP.
void wait_for_signal(platform::TerminationSignals& signals);

}  // namespace orbweaver::server
