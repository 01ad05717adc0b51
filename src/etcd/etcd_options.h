#pragma once

#include <orbweaver/result.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::etcd {

/// The port of an etcd server for its clients.
inline constexpr int kDefaultPort = 2379;

/// How the servers of an etcd are called.
struct EtcdOptions {
  std::vector<std::string> servers;  ///< "192.0.2.1:2379", "[::1]:2379": members of one etcd.
  bool tls = false;
  std::string user;  ///< Empty: none.
  std::string password;
  std::string ca_file;           ///< Certificates that sign those of the servers; empty: those of the system.
  std::string certificate, key;  ///< Files of the client's certificate and key; empty: none.
  std::chrono::milliseconds attempt{2'000};  ///< Time limit of a call of one server.
};

/// Whether the text has the scheme of an etcd: "etcd://" or "etcds://".
bool is_etcd_url(std::string_view text);

/// Parses "etcd://HOST[:PORT][,HOST[:PORT]…]", or "etcds://…" for TLS. Errors: invalid.
Result<EtcdOptions> parse_etcd_url(const std::string& url);

}  // namespace orbweaver::etcd
