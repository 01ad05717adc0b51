#pragma once

#include <orbweaver/peer.h>

#include <string>

namespace orbweaver::sca {

/// The caller of an operation of the domain manager, as far as the operating system or TLS has identified it.
struct Caller {
  /// In the words of access rules (docs/options.md): "subject:CN=radio-7" if TLS has authenticated it,
  /// "user:1000" for a process of this host, else "net:192.0.2.7"; empty for this process.
  std::string identity;
  /// It is this process, or one of the same user or root on this host: it can control the domain manager in
  /// any case.
  bool is_administrator = false;
};

/// `peer` is that of the upcall (orbweaver::peer()); null: this process.
Caller caller_of(const Peer* peer);

}  // namespace orbweaver::sca
