#pragma once

#include <orbweaver/result.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sca/cf222/applications.h"
#include "sca/cf222/domain_facade.h"
#include "server/server_options.h"
#include "state/shared_state.h"

namespace orbweaver::sca {

class Domain;

/// Set in the environment of a domain manager that has led its domain and lost the leadership.
inline constexpr const char* kStandByVariable = "ORBWEAVER_DOMAIN_STANDS_BY";

/// Options of `orbweaver domain`.
struct DomainServerOptions {
  server::ServerOptions server;  ///< Its IOR is that of the domain manager.
  std::string name = "orbweaver";
  std::string root;                   ///< Folder of the domain's files; empty: the current one.
  std::string profile;                ///< Its DMD, a file name in that folder; empty: none.
  std::string naming;                 ///< Reference of a naming service; empty: the domain manager hosts one.
  std::vector<DomainFacade> facades;  ///< Objects of other editions of the SCA.
  bool redeploy = false;              ///< Applications of lost nodes are created again.
  /// Makes the state that domain managers share, instead of the state file; empty: the file.
  std::function<std::unique_ptr<state::SharedState>()> shared_state;
  /// Called when the domain has started; what it returns is destroyed before the domain ends. Empty: nothing.
  std::function<Result<std::shared_ptr<void>>(Domain&)> attach;
};

/// Runs a domain manager until SIGINT, SIGTERM or SIGHUP; prints a line on standard output when it serves.
/// Nodes and applications continue when it ends. With a shared state it stands by while another process
/// leads, listens only while it leads, and when it has lost the leadership, executes its program again: calls
/// in progress end, as if it had been killed. Called in main(), before any thread. Errors: invalid for an
/// option, or if the state is damaged; permission_denied if the shared state rejects this process;
/// unavailable if it cannot listen, the state or the naming service cannot be used, or a file cannot be
/// written.
Result<void> serve_domain(const DomainServerOptions& options, const DeploymentFunctions& functions);

}  // namespace orbweaver::sca
