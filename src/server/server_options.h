#pragma once

#include <string>
#include <vector>

namespace orbweaver::server {

/// Options that the server programs have in common.
struct ServerOptions {
  std::string program;                   ///< For messages: "orbweaver naming".
  std::string listen;                    ///< As -ORBListen; empty: local transports, and TCP on loopback.
  int port = 2809;                       ///< The port of corbaloc URLs without one. 0: any free one.
  std::string publish_host;              ///< As -ORBPublishHost.
  std::vector<std::string> allow, deny;  ///< As -ORBAllow and -ORBDeny.
  std::size_t ring_bytes = 0;            ///< As -ORBTune ring-bytes; 0: the ORB's default.
  std::vector<std::string> orb;          ///< Further ORB options: "-ORBTune", "…".
  std::string state_file;                ///< Empty: the state ends with the process.
  std::string ior_file;                  ///< Where to write the IOR of the server's object; empty: nowhere.
  bool print_ior = false;
};

}  // namespace orbweaver::server
