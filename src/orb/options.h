#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "orb/flushable.h"
#include "orb/server/access_rules.h"
#include "platform/thread.h"
#include "transport/transport.h"

namespace orbweaver::orb {

inline constexpr std::int64_t kUdpCallTimeout_ms = 2'000;

/// Values of the -ORB options. docs/options.md documents them.
struct Options {
  struct ListenEndpoint {
    std::string transport;  ///< Its name.
    std::string address;    ///< Empty: the transport chooses.
  };

  std::vector<ListenEndpoint> listen = default_listen();       ///< -ORBListen tcp:host:port,shm
  std::vector<std::string> preference = default_preference();  ///< -ORBTransportPreference shm,tcp
  std::string publish_host;  ///< -ORBPublishHost: the host name in references
  /// Threads that execute upcalls: one for each connection, a pool, a pool that serves the requests of a
  /// connection concurrently, or the thread that calls ORB::run or perform_work.
  enum class Threads : std::uint8_t { connection, pool, unordered, single };
  Threads threads = Threads::connection;  ///< -ORBThreads connection|pool:N|unordered:N|single
  std::size_t pool_threads = 0;           ///< N of pool:N and unordered:N
  bool has_pool() const noexcept { return threads == Threads::pool || threads == Threads::unordered; }
  platform::Schedule schedule;  ///< -ORBThreadPriority, -ORBThreadAffinity
  transport::WaitStrategy wait = transport::WaitStrategy::adaptive;  ///< -ORBWait spin|adaptive|block
  std::size_t max_message_bytes = limits::kDefaultMessageBytes;      ///< -ORBMaxMessageBytes
  std::size_t max_fragment_bytes = std::size_t{2}
                                   << 20;  ///< -ORBTune fragment-bytes, a multiple of 8; 0: none
  // Server limits; 0: no limit, except for those in bytes.
  std::size_t max_receive_bytes = 0;           ///< -ORBTune receive-bytes; 0: four times the largest message
  std::int64_t message_timeout_ms = 60'000;    ///< -ORBTune message-timeout-ms
  std::int64_t handshake_timeout_ms = 10'000;  ///< -ORBTune handshake-timeout-ms
  std::int64_t idle_timeout_ms = 180'000;      ///< -ORBTune idle-timeout-ms
  std::int64_t reply_timeout_ms = 60'000;      ///< -ORBTune reply-timeout-ms
  std::size_t max_served_bytes =
      0;  ///< -ORBTune service-bytes; 0: four times the largest message, of replies sixteen times
  std::size_t max_queue_bytes = 0;  ///< -ORBTune request-queue-bytes; 0: four times the largest message
  std::size_t max_bidirectional_bytes =
      0;  ///< -ORBTune bidirectional-queue-bytes; 0: four times the largest message
  std::size_t bidirectional_lanes = 2'000;     ///< -ORBTune bidirectional-lanes; 0: no limit
  std::size_t max_connections = 1'000;         ///< -ORBTune max-connections
  std::size_t max_connections_per_peer = 500;  ///< -ORBTune max-connections-per-peer
  std::size_t reserved_descriptors = 64;       ///< -ORBTune reserved-descriptors
  // Limits of outgoing connections; 0: no limit.
  static constexpr std::size_t kDefaultOutgoingConnections = 1'000;
  /// -ORBTune max-outgoing-connections; not set: kDefaultOutgoingConnections, or half of the descriptors if
  /// that is less.
  std::optional<std::size_t> max_outgoing_connections;
  std::int64_t outgoing_idle_timeout_ms = 120'000;  ///< -ORBTune outgoing-idle-timeout-ms
  std::size_t ring_bytes = std::size_t{1} << 20;    ///< -ORBTune ring-bytes
  std::int64_t call_timeout_ms = 0;                 ///< -ORBCallTimeout; 0: none
  /// -ORBTune udp-call-timeout-ms: timeout of a call over an unreliable transport if -ORBCallTimeout is not
  /// set.
  std::int64_t udp_call_timeout_ms = kUdpCallTimeout_ms;
  /// -ORBTune reply-handler-timeout-ms: timeout of the calls of reply handlers in other processes that have
  /// none.
  std::int64_t reply_handler_timeout_ms = 10'000;
  std::int64_t batch_delay_us = 0;  ///< -ORBTune batch-delay-us; 0: one-way calls are sent at once
  std::size_t batch_bytes = std::size_t{16} << 10;  ///< -ORBTune batch-bytes
  // Limits of the requests with SYNC_NONE that wait in the ORB.
  std::size_t oneway_queue_requests = 1'024;              ///< -ORBTune oneway-queue-requests, of a connection
  std::size_t oneway_queue_bytes = std::size_t{4} << 20;  ///< -ORBTune oneway-queue-bytes, of a connection
  /// -ORBTune oneway-queue-total-bytes, of all connections
  std::size_t oneway_queue_total_bytes = std::size_t{64} << 20;
  std::size_t deferred_requests = 200'000;  ///< -ORBTune deferred-requests: whose servants reply later
  std::size_t async_calls = 200'000;        ///< -ORBTune async-calls: asynchronous calls in progress
  /// -ORBTune connections-per-peer: concurrent two-way calls to one peer from threads outside of upcalls; the
  /// next call waits for a reply.
  std::size_t connections_per_peer = 1;
  /// -ORBTune auxiliary-connections: auxiliary connections to one peer for two-way calls within upcalls.
  std::size_t auxiliary_connections = 100;
  std::int64_t auxiliary_idle_ms =
      10'000;  ///< -ORBTune auxiliary-idle-ms: idle time after which they are closed.
  std::int64_t connect_timeout_ms = 10'000;               ///< -ORBTune connect-timeout-ms
  std::map<std::string, std::string> initial_references;  ///< -ORBInitRef Name=reference

  std::shared_ptr<AccessRules> access = std::make_shared<AccessRules>();  ///< -ORBAllow, -ORBDeny
  /// Which references are called over connections that peers have opened, if these claim their addresses.
  enum class AcceptBidirectional : std::uint8_t {
    off,       ///< None.
    received,  ///< Those that the peer has handed over.
    any,       ///< All.
  };
  AcceptBidirectional accept_bidirectional =
      AcceptBidirectional::off;  ///< -ORBAcceptBidirectional off|received|any
  /// -ORBInsecureFallback: use an unprotected endpoint after a TLS endpoint has failed.
  bool insecure_fallback = false;
  /// -ORBExceptionDetail full: what() of C++ exceptions is sent to clients.
  bool send_exception_text = false;
  std::map<std::string, transport::Parameters> parameters;  ///< -ORBTransportOption transport.key=value

  /// The transports that listen by default, in the order of their rank.
  static std::vector<ListenEndpoint> default_listen();
  /// The transports that have a rank, in its order. A program that loads TLS prefers it to TCP where both
  /// ends have it.
  static std::vector<std::string> default_preference();
  /// Names the calling thread and applies -ORBThreadPriority and -ORBThreadAffinity. Called first in each
  /// thread of the ORB.
  void set_up_thread(const std::string& name) const noexcept;
  /// Options of a channel of `transport`, which counts received bytes in `budget`.
  transport::ChannelOptions channel(const transport::Transport& transport,
                                    std::shared_ptr<ReceiveBudget> budget) const;
  /// Batching of messages: -ORBTune batch-delay-us, -ORBTune batch-bytes.
  Batching batching(Flusher& flusher) const noexcept {
    if (batch_delay_us == 0) return {};
    return {batch_delay_us * 1000, batch_bytes, &flusher};
  }
  std::size_t receive_bytes() const noexcept {
    return max_receive_bytes != 0 ? max_receive_bytes : limits::multiple(4, max_message_bytes);
  }
  /// Limit of request bytes in service. The values decoded from them can take several times as much (decision
  /// 30).
  std::size_t served_bytes() const noexcept {
    return max_served_bytes != 0 ? max_served_bytes : limits::multiple(4, max_message_bytes);
  }
  /// Limit of the memory of all request queues.
  std::size_t queue_bytes() const noexcept {
    return max_queue_bytes != 0 ? max_queue_bytes : limits::multiple(4, max_message_bytes);
  }
  /// Limit of the requests in the queues of bidirectional connections.
  std::size_t bidirectional_bytes() const noexcept {
    return max_bidirectional_bytes != 0 ? max_bidirectional_bytes : limits::multiple(4, max_message_bytes);
  }
  /// Limit of reply bytes that clients have not read yet.
  std::size_t reply_bytes() const noexcept {
    return max_served_bytes != 0 ? max_served_bytes : limits::multiple(16, max_message_bytes);
  }
};

/// Parses and removes the -ORB options of argv[1…]. When all of them are valid, registers the transports of
/// the plug-ins that they and ORBWEAVER_TRANSPORT_PLUGINS name, and applies the settings of the process:
/// pool, huge pages, reserved descriptors, log level. Errors: invalid for an unknown option or a bad value;
/// `argv` and the process are unchanged then.
Result<Options> parse_options(int& argc, char* argv[]);

/// The transport of this name, or null.
transport::Transport* find_transport(const std::string& name);

}  // namespace orbweaver::orb
