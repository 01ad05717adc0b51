#pragma once

#include <orbweaver/result.h>

#include "server/server_options.h"

namespace orbweaver::naming {

/// Serves names until SIGINT, SIGTERM or SIGHUP; prints a line on standard output when it serves. Called in
/// main(), before any thread. Errors: as open_naming_file(); unavailable if it cannot listen, or a file
/// cannot be written; invalid for an ORB option.
Result<void> serve_names(const server::ServerOptions& options);

}  // namespace orbweaver::naming
