#pragma once

#include <orbweaver/result.h>

#include <string>
#include <vector>

namespace orbweaver::naming {

/// Options of `orbweaver naming`.
struct ServerOptions {
  std::string listen;                    ///< As -ORBListen; empty: local transports, and TCP on loopback.
  int port = 2809;                       ///< The port of corbaloc URLs without one. 0: any free one.
  std::string publish_host;              ///< As -ORBPublishHost.
  std::vector<std::string> allow, deny;  ///< As -ORBAllow and -ORBDeny.
  std::vector<std::string> orb;          ///< Further ORB options: "-ORBTune", "…".
  std::string state_file;                ///< Empty: the names end with the process.
  std::string ior_file;                  ///< Where to write the root's IOR; empty: nowhere.
  bool print_ior = false;
};

/// The state file if none is named: orbweaver/naming.sqlite in $XDG_STATE_HOME or ~/.local/state. Creates its
/// folder. Errors: unavailable if there is no such folder.
Result<std::string> default_state_file();

/// Serves names until SIGINT, SIGTERM or SIGHUP; prints a line on standard output when it serves. Called in
/// main(), before any thread. Errors: as open_naming_file(); unavailable if it cannot listen, or a file
/// cannot be written; invalid for an ORB option.
Result<void> serve_names(const ServerOptions& options);

}  // namespace orbweaver::naming
