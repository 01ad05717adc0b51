#pragma once

#include <orbweaver/transport.h>

#include <vector>

/// Built-in transports; others are plug-ins (plugins.h). A new one is declared and listed here.
namespace orbweaver::transport {

Transport& inproc_transport();  ///< address: a name, unique in the process
Transport& shm_transport();     ///< address: a rendezvous name in the host's abstract socket space
Transport& mqueue_transport();  ///< address: a rendezvous name, as for shm, with a separate prefix
Transport& unix_transport();    ///< "unix"; address: a path, or "@name" in the host's abstract socket space
Transport& tcp_transport();     ///< address: "host:port" or "[v6]:port"
Transport& udp_transport();     ///< address: as tcp's; not reliable

/// All of them.
inline std::vector<Transport*> builtin_transports() {
  return {&inproc_transport(), &shm_transport(), &unix_transport(),
          &mqueue_transport(), &tcp_transport(), &udp_transport()};
}

}  // namespace orbweaver::transport
