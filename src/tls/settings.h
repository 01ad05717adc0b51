#pragma once

#include <cstdint>
#include <string>

#include "transport/transport.h"

namespace orbweaver::tls {

/// Who has to prove who it is.
enum class Verify : std::uint8_t {
  required,  ///< Both ends.
  optional,  ///< The server always; a client where it can. A proof that is given must hold.
  none,      ///< Nobody: what is sent is hidden from those who listen, and from nobody else.
};

/// What -ORBTransportOption tls.KEY=VALUE says. docs/transports.md is the users' list.
struct Settings {
  std::string certificate;        ///< PEM: this end's certificate, then those between it and its authority.
  std::string key;                ///< PEM: its private key. Not given: in the same file.
  std::string key_password_file;  ///< Whose first line opens the key; empty: the key is not encrypted.
  std::string ca;                 ///< PEM file, or a directory of them by hash: whose certificates are believed.
  std::string peer_name;          ///< The name that servers must have; empty: the host that is called.
  Verify verify = Verify::required;
  std::string ciphers;       ///< OpenSSL's list for TLS 1.2.
  std::string ciphersuites;  ///< And for TLS 1.3.
  bool tls12 = true;         ///< false: nothing below TLS 1.3.
  bool tls13 = true;         ///< false: nothing above TLS 1.2.
  std::int64_t handshake_ms = 10'000;
};

/// Remedy::mend, with what is known, where a key or a value is not.
Result<Settings> read_settings(const transport::Parameters& parameters);

}  // namespace orbweaver::tls
