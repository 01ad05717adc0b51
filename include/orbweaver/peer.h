#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orbweaver {

/// Identity of the peer of a connection, as reported by the operating system or authenticated by the
/// transport. A plain value.
struct Peer {
  std::string address;    ///< For messages: "127.0.0.1:4711", "pid 812".
  std::int64_t pid = -1;  ///< Process id; 0: not known, of a process on this host; -1: unknown.
  std::int64_t uid = -1;  ///< User id of a process on this host, from the kernel; -1: unknown.
  /// Subject of its certificate (RFC 2253), "CN=radio-7,O=Navy"; empty if it has not been authenticated by
  /// TLS.
  std::string subject = {};
  /// Alternative names of that certificate: "DNS:radio-7.example", "IP:10.0.0.7".
  std::vector<std::string> names = {};
  std::string transport = {};  ///< Transport of the connection: "shm", "tcp", "tls". Set by `peer()` only.
};

/// Returns the caller of the upcall that this thread executes, over any transport; this process itself for a
/// collocated call. Valid until the upcall returns. Null outside of upcalls, and in threads that a servant
/// starts. Raises nothing. A TLS peer without `subject` has not been authenticated.
const Peer* peer() noexcept;

}  // namespace orbweaver
