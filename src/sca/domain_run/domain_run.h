#pragma once

#include <orbweaver/result.h>

#include <string>
#include <utility>
#include <vector>

#include "sca/launch/launcher.h"

namespace orbweaver::sca {

/// The options of `orbweaver run` through a domain.
struct DomainRunOptions {
  LaunchOptions launch;  ///< Without transports.
  /// The DCDs of the nodes; one that is there twice makes two nodes. Empty: one node, for this machine.
  std::vector<std::string> nodes;
  /// The devices that are to execute components: their ids, by those of the components.
  std::vector<std::pair<std::string, std::string>> assignments;
  std::string node_program;  ///< Path of `orbweaver`, whose subcommand `node` runs a node.
};

/// Runs an assembly to its end as launch() does, but in a domain of its own: a domain manager in this
/// process, which is bound in its own naming service, and the nodes, each a process. They listen on local
/// transports only, and on TCP on loopback at a free port if a component is a program of another ORB. The
/// assembly is deployed on the devices of the nodes as `orbweaver domain` would deploy it. When it returns,
/// no process of the run is left, and the copies of code that the devices have made are removed.
///
/// Call on the main thread while no other thread runs. Fails with ErrorKind::invalid for mistakes in profiles
/// or options, ErrorKind::unavailable if the domain cannot be run; no component has been started then.
Result<LaunchResult> run_in_domain(const DomainRunOptions& options);

}  // namespace orbweaver::sca
