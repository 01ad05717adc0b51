#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "orb/reference/published_endpoints.h"
#include "orb/server/incoming_connections.h"

namespace orbweaver {
struct Endpoint;
}

namespace orbweaver::orb {

class Core;
class LimitsWatch;
class Listener;
class OutgoingConnections;
class Reactor;
class RequestQueues;
class ThreadPool;

/// Listening endpoints of one ORB, with the limits of their connections and the threads that serve these.
/// Thread-safe.
class EndpointRegistry {
 public:
  /// `core` and `reactor` outlive this; `reactor` may be null. Of `core`, only what precedes this member is
  /// used before `listen`.
  EndpointRegistry(Core& core, Reactor* reactor, OutgoingConnections& outgoing);
  ~EndpointRegistry();

  /// Opens the endpoints of -ORBListen; a second call has no effect. Raises INITIALIZE if an endpoint cannot
  /// be opened, BAD_INV_ORDER after the shutdown.
  void listen();
  /// Creates a reference to an object of this ORB. Calls `listen` first. `bidirectional`: of a POA whose
  /// BidirectionalPolicy is BOTH; the reference then has an address also without a TCP endpoint
  /// (orb/bidirectional/own_listen_points.h).
  giop::Ior make_ior(const std::string& type_id, Bytes object_key, bool bidirectional = false);
  /// The addresses in such references; `secure`: of TLS endpoints.
  std::vector<giop::ListenPoint> listen_points(bool secure) const;
  /// Whether `endpoint` is one of this ORB whose transport is limited to the process: calls are collocated.
  bool is_own_endpoint(const Endpoint& endpoint) const;
  /// Completes the requests in progress, closes the connections and joins the threads that serve them. Called
  /// once, after ShutdownState::request.
  void close();

  IncomingConnections& incoming() noexcept { return incoming_; }
  RequestQueues& request_queues() noexcept { return *request_queues_; }

 private:
  Core& core_;
  Reactor* const reactor_;
  IncomingConnections incoming_;  // outlives the connections
  const std::unique_ptr<LimitsWatch> limits_watch_;
  const std::shared_ptr<RequestQueues> request_queues_;
  const std::unique_ptr<ThreadPool> pool_;  // of -ORBThreads pool:N and unordered:N; else null
  mutable std::mutex mutex_;                // guards the rest
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<PublishedEndpoint> published_;      // of the listeners; kept after the shutdown
  std::optional<giop::ListenPoint> unreachable_;  // set by the first bidirectional reference without TCP
};

}  // namespace orbweaver::orb
