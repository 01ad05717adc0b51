#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sca/deploy/plan.h"
#include "sca/deploy/run_result.h"

namespace orbweaver::sca {

struct LaunchOptions {
  std::string sad;
  std::string root;  ///< Where absolute file names of profiles start; empty: the host's own.
  std::vector<Override> overrides;
  bool realtime = false;
  bool quiet = false;
  std::string transports;    ///< The roads that all processes listen on and take, as in -ORBListen; empty: the usual.
  std::string host_program;  ///< orbweaver-host
};

/// Exit statuses of `orbweaver run`.
inline constexpr int kExitFailed = 1;    ///< A component died or refused.
inline constexpr int kExitBadInput = 2;  ///< Nothing was started.

struct Launched {
  RunResult result;
  int exit_status = 0;  ///< 0, kExitFailed, or 128 + the signal that stopped it.
};

/// Runs an assembly to its end, or until a signal or a component's death ends it. By the main thread, with
/// no other running: the processes that it starts die with it. Progress, what components print, and what
/// went wrong go to standard error. When it returns, no process of the run is left.
/// Fails with Remedy::mend where the assembly cannot be deployed; nothing has been started then.
Result<Launched> launch(const LaunchOptions& options);

}  // namespace orbweaver::sca
