#pragma once

#include <orbweaver/transport.h>

#include <atomic>
#include <cstdint>
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

/// Whether processes of this machine can share 64-bit atomic words, which the rings of `shm` consist of. Not
/// on some 32-bit processors (PowerPC, MIPS), where these operations take a lock of the process.
inline constexpr bool kHasSharedMemory = std::atomic<std::uint64_t>::is_always_lock_free;
/// Whether this machine supports the transport. Otherwise options may name it, so that one configuration
/// serves all machines, and it has no effect: nothing listens, and its endpoints are not used.
inline bool is_supported(const Transport& transport) noexcept {
  return kHasSharedMemory || &transport != &shm_transport();
}
inline constexpr const char* kUnsupported = "not supported by this processor";

}  // namespace orbweaver::transport
