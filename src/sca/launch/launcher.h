#pragma once

#include <orbweaver/result.h>

#include <string>
#include <vector>

#include "sca/deploy/plan.h"
#include "sca/deploy/run_result.h"

namespace orbweaver::sca {

/// The options of `orbweaver run`.
struct LaunchOptions {
  std::string sad;   ///< Path of the assembly.
  std::string root;  ///< Folder at which absolute file names in profiles start; empty: "/".
  std::vector<Override> overrides;
  bool realtime = false;
  bool quiet = false;
  std::string transports;    ///< Transports of all processes, as in -ORBListen; empty: the default.
  std::string host_program;  ///< Path of orbweaver-host.
};

/// Exit statuses of `orbweaver run`.
inline constexpr int kExitFailed = 1;    ///< A component died or reported an error.
inline constexpr int kExitBadInput = 2;  ///< Nothing was started.

struct LaunchResult {
  RunResult result;
  int exit_status = 0;  ///< 0, kExitFailed, or 128 + the signal that stopped it.
};

/// Runs an assembly to its end, or until a signal or the death of a component ends it. Call on the main
/// thread while no other thread runs: the started processes are killed when this thread ends. Progress,
/// component output and errors go to standard error. When it returns, no process of the run is left. Fails
/// with ErrorKind::invalid if the assembly cannot be deployed; nothing has been started then.
Result<LaunchResult> launch(const LaunchOptions& options);

}  // namespace orbweaver::sca
