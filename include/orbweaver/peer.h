#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orbweaver {

/// Who is at the other end of a connection, as far as the operating system vouches for it, or the transport has
/// proof of it.
struct Peer {
  std::string address;      ///< For messages: "127.0.0.1:4711", "pid 812".
  std::int64_t pid = -1;    ///< Of a process on this host; -1 where not known.
  std::int64_t uid = -1;    ///< Of its user; -1 where not known.
  std::string subject = {};  ///< Of the certificate that the peer has proven to hold, "CN=radio-7,O=Navy" (RFC 2253); empty: none.
  std::vector<std::string> names = {};  ///< That certificate's alternative names: "DNS:radio-7.example", "IP:10.0.0.7".
  std::string transport = {};  ///< "shm", "tcp", "tls": the road that it came by. From `peer()` only.
};

/// In an upcall: who makes the call that this thread serves, by whatever road it came; for a caller in this very
/// process, the process itself. Valid until the upcall returns: copy what is to be kept. Null elsewhere, and in threads
/// that a servant starts. A TLS peer without `subject` has not proven who it is; `uid` is the kernel's word.
const Peer* peer() noexcept;

}  // namespace orbweaver
