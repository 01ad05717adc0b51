#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orb/access_rules.h"
#include "platform/thread.h"
#include "transport/transport.h"

namespace orbweaver::orb {

inline constexpr std::int64_t kUdpCallTimeout_ms = 2'000;

/// What -ORB options set. docs/options.md is the users' list.
struct Options {
  struct Endpoint {
    std::string transport;  ///< "tcp", "unix", "shm", "inproc"
    std::string address;    ///< Empty: the transport chooses.
  };

  std::vector<Endpoint> listen = {{"inproc", ""}, {"shm", ""}, {"unix", ""}};  ///< -ORBListen tcp:host:port,shm
  std::vector<std::string> preference = {"inproc", "shm", "unix", "tcp"};     ///< -ORBTransportPreference shm,tcp
  std::string publish_host;                          ///< -ORBPublishHost: the host that references name
  /// Who serves: each connection a thread of its own, a pool, or the thread that calls ORB::run or perform_work.
  enum class Threads : std::uint8_t { connection, pool, single };
  Threads threads = Threads::connection;             ///< -ORBThreads connection|pool:N|single
  std::size_t pool_threads = 0;
  platform::Schedule schedule;                       ///< -ORBThreadPriority, -ORBThreadAffinity
  transport::Wait wait = transport::Wait::adaptive;  ///< -ORBWait spin|adaptive|block
  std::size_t max_message_bytes = limits::kDefaultMessageBytes;  ///< -ORBMaxMessageBytes
  std::size_t max_fragment_bytes = std::size_t{2} << 20;     ///< -ORBMaxFragmentBytes, a multiple of 8; 0: none
  // Limits of a server; 0: none, but for the bytes.
  std::size_t max_receive_bytes = 0;                ///< -ORBMaxReceiveBytes; 0: four times the largest message
  std::int64_t message_timeout_ms = 60'000;         ///< -ORBMessageTimeout
  std::int64_t handshake_timeout_ms = 10'000;       ///< -ORBHandshakeTimeout
  std::int64_t idle_timeout_ms = 180'000;           ///< -ORBIdleTimeout
  std::int64_t reply_timeout_ms = 60'000;           ///< -ORBReplyTimeout
  std::size_t max_served_bytes = 0;  ///< -ORBMaxServedBytes; 0: four times the largest message, of replies sixteen times
  std::size_t max_connections = 1'000;              ///< -ORBMaxConnections
  std::size_t max_connections_per_peer = 500;       ///< -ORBMaxConnectionsPerPeer
  std::size_t reserved_descriptors = 64;            ///< -ORBReservedDescriptors
  // Of the connections to others; 0: no limit.
  static constexpr std::size_t kMostOutgoingConnections = 1'000;
  /// -ORBMaxOutgoingConnections; none: as many as that, or half of the descriptors where that is less.
  std::optional<std::size_t> max_outgoing_connections;
  std::int64_t outgoing_idle_timeout_ms = 120'000;  ///< -ORBOutgoingIdleTimeout
  std::size_t ring_bytes = std::size_t{1} << 20;             ///< -ORBRingBytes
  std::int64_t call_timeout_ms = 0;                          ///< -ORBCallTimeout; 0: none
  /// -ORBUdpCallTimeout: of a call over a transport that may lose it, where -ORBCallTimeout gives none.
  std::int64_t udp_call_timeout_ms = kUdpCallTimeout_ms;
  std::int64_t batch_delay_us = 0;                           ///< -ORBBatchDelay; 0: one-way calls leave at once
  std::size_t batch_bytes = std::size_t{16} << 10;           ///< -ORBBatchBytes
  /// -ORBConnectionsPerPeer: how many two-way calls of threads that serve nobody may be under way at once to one
  /// peer before the next waits for the one before.
  std::size_t connections_per_peer = 1;
  /// -ORBNestedConnections: connections that calls from inside of upcalls may take beside the shared one.
  std::size_t nested_connections = 100;
  std::int64_t nested_idle_ms = 10'000;                      ///< -ORBNestedIdle: they are closed after that.
  std::int64_t connect_timeout_ms = 10'000;                  ///< -ORBConnectTimeout
  std::map<std::string, std::string> initial_references;     ///< -ORBInitRef Name=reference

  std::shared_ptr<AccessRules> access = std::make_shared<AccessRules>();  ///< -ORBAllow, -ORBDeny
  bool insecure_fallback = false;  ///< -ORBInsecureFallback: go on in the clear where an endpoint with TLS fails.
  bool send_internals = false;     ///< -ORBExceptionDetail full: what() of C++ exceptions reaches clients.
  std::map<std::string, transport::Parameters> parameters;   ///< -ORBTransportOption transport.key=value

  /// What every thread that the ORB makes does first.
  void begin_thread(const std::string& name) const noexcept;
  transport::ChannelOptions channel(const transport::Transport& transport) const;
  std::size_t receive_bytes() const noexcept {
    return max_receive_bytes != 0 ? max_receive_bytes : 4 * max_message_bytes;
  }
  /// Of requests. What is decoded from them can take several times as much (decision 30).
  std::size_t served_bytes() const noexcept {
    return max_served_bytes != 0 ? max_served_bytes : 4 * max_message_bytes;
  }
  /// Of replies that wait to be taken.
  std::size_t reply_bytes() const noexcept {
    return max_served_bytes != 0 ? max_served_bytes : 16 * max_message_bytes;
  }
};

/// Takes the -ORB options out of argv, from argv[1] on, and returns what they say. Loads the plug-ins that
/// they and ORBWEAVER_TRANSPORT_PLUGINS name.
/// Fails with Remedy::mend on an unknown one or a bad value.
Result<Options> take_options(int& argc, char* argv[]);

/// The transport of that name, or null.
transport::Transport* find_transport(const std::string& name);

}  // namespace orbweaver::orb
