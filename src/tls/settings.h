#pragma once

#include <cstdint>
#include <string>

#include "transport/transport.h"

namespace orbweaver::tls {

/// Which ends must present a certificate.
enum class Verify : std::uint8_t {
  required,  ///< Both ends.
  optional,  ///< The server always; a client may. A certificate that is presented must be valid.
  none,      ///< Neither: traffic is encrypted, but the peer is not authenticated.
};

/// Settings of -ORBTransportOption tls.KEY=VALUE. docs/transports.md lists them for users.
struct Settings {
  /// PEM: this end's certificate, then the intermediate certificates of its authority.
  std::string certificate;
  std::string key;                ///< PEM: its private key. Empty: in the certificate's file.
  std::string key_password_file;  ///< Its first line decrypts the key; empty: the key is not encrypted.
  std::string ca;                 ///< PEM file, or a directory of hashed files: trusted authorities.
  std::string peer_name;          ///< Required name of servers; empty: the host of the address.
  Verify verify = Verify::required;
  std::string ciphers;       ///< OpenSSL's cipher list for TLS 1.2.
  std::string ciphersuites;  ///< The same for TLS 1.3.
  bool tls12 = true;         ///< false: TLS 1.3 only.
  bool tls13 = true;         ///< false: TLS 1.2 only.
  std::int64_t handshake_ms = 10'000;
};

/// Parses the parameters. Errors: invalid for an unknown key, naming the known ones, or for a malformed
/// value.
Result<Settings> read_settings(const transport::Parameters& parameters);

}  // namespace orbweaver::tls
