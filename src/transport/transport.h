#pragma once

#include <orbweaver/transport.h>

/// The transports of the library itself; others are plug-ins (plugins.h).
namespace orbweaver::transport {

Transport& inproc();  ///< address: a name, unique in the process
Transport& shm();     ///< address: a rendezvous name in the host's abstract socket space
Transport& mqueue();  ///< address: a rendezvous name, as for shm, in a space of its own
Transport& unix_sockets();  ///< "unix"; address: a path, or "@name" in the host's abstract socket space
Transport& tcp();     ///< address: "host:port" or "[v6]:port"
Transport& udp();     ///< address: as tcp's; not reliable

}  // namespace orbweaver::transport
