#pragma once

#include <orbweaver/result.h>

#include <string>
#include <vector>

namespace orbweaver::sca {

/// Options of `orbweaver node`.
struct NodeOptions {
  std::string dcd;   ///< Empty: a node with one device, of this machine.
  std::string name;  ///< Label of the node, and part of the ids of node and devices. Empty: those of the DCD.
  std::string root;  ///< Folder of the node's file system; empty: that of the DCD, which is then readonly.
  std::string naming;  ///< Reference of the naming service.
  std::string domain;  ///< Name of the domain manager there, instead of that of the DCD; empty: that one.
  std::string listen;  ///< As -ORBListen, for the node and its devices; empty: local transports.
  std::string publish_host;      ///< As -ORBPublishHost.
  std::vector<std::string> orb;  ///< Further ORB options, for the node and its devices.
};

/// The DCD of a node with one device, which is installed with the program: NodeOptions::dcd if that is empty.
std::string default_dcd();

/// Runs a node until SIGINT, SIGTERM or SIGHUP, or shutdown() of its device manager: starts the devices and
/// services of its DCD as processes, registers with its domain, and ends in reverse order. Called in main(),
/// before any thread. Returns 0. Errors: invalid for a DCD or option; unavailable if it cannot begin.
Result<int> run_node(const NodeOptions& options);

/// The endpoints of another process on the same host, for a list of -ORBListen: "tcp:HOST:PORT" becomes
/// "tcp:HOST:0".
std::string without_ports(const std::string& listen);

}  // namespace orbweaver::sca
