#include "orb/server/endpoint_registry.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "base/log.h"
#include "orb/bidirectional/listen_point_claims.h"
#include "orb/bidirectional/offered_connections.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/real_time.h"
#include "orb/server/limits_watch.h"
#include "orb/server/listener.h"
#include "orb/server/reactor.h"
#include "orb/server/request_queue.h"
#include "orb/server/thread_pool.h"
#include "orb/system_exceptions.h"
#include "platform/process_identity.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;

namespace {

// At shutdown, for clients that do not read CloseConnection.
constexpr std::int64_t kCloseConnectionTimeoutMs = 500;
constexpr std::int64_t kSendQueuedMs = 500;  // at shutdown, for clients that do not read one-way calls

}  // namespace

EndpointRegistry::EndpointRegistry(Core& core, Reactor* reactor, OutgoingConnections& outgoing)
    : core_(core), reactor_(reactor), incoming_(core.options(), core.receive_budget()),
      limits_watch_(std::make_unique<LimitsWatch>(incoming_, outgoing, reactor)),
      request_queues_(std::make_shared<RequestQueues>(core.options(), reactor)),
      pool_(core.options().has_pool() ? std::make_unique<ThreadPool>(core.options(), *reactor) : nullptr) {}

EndpointRegistry::~EndpointRegistry() = default;

void EndpointRegistry::listen() try {
  const std::lock_guard lock(mutex_);
  if (!listeners_.empty()) return;
  core_.check_running();
  const Options& options = core_.options();
  std::vector<std::unique_ptr<Listener>> opened;
  std::vector<PublishedEndpoint> published;
  for (const Options::ListenEndpoint& endpoint : options.listen) {
    transport::Transport* transport = find_transport(endpoint.transport);
    if (!transport::is_supported(*transport)) {
      log::info([&] { return "not listening: " + endpoint.transport + ": " + transport::kUnsupported; });
      continue;
    }
    auto channel_options = options.channel(*transport, core_.receive_budget());
    // Evaluated before the handshake, when only the address of the peer is known; the access rules are
    // evaluated afterwards.
    if (transport->traits().secure) {
      channel_options.admits = [this, transport](const orbweaver::Peer& peer) {
        return incoming_.has_room(*transport, peer);
      };
    }
    auto acceptor = transport->listen(endpoint.address, channel_options);
    if (!acceptor) {
      throw CORBA::INITIALIZE(minor::kCannotListen, CompletionStatus::COMPLETED_NO,
                              endpoint.transport + ": " + acceptor.error().message);
    }
    opened.push_back(std::make_unique<Listener>(core_, *transport, std::move(*acceptor)));
    published.push_back({transport, opened.back()->address(),
                         transport->protection(channel_options.parameters ? *channel_options.parameters
                                                                          : transport::Parameters())});
    log::info([&] { return "listening: " + endpoint.transport + " " + opened.back()->address(); });
  }
  if (opened.empty() && !options.listen.empty()) {
    throw CORBA::INITIALIZE(minor::kCannotListen, CompletionStatus::COMPLETED_NO,
                            options.listen.front().transport + ": " + transport::kUnsupported);
  }
  const bool is_reachable = std::any_of(opened.begin(), opened.end(), [](const auto& listener) {
    return listener->transport().traits().reach == transport::Reach::anywhere;
  });
  if (is_reachable) {
    incoming_.tell_what_descriptors_allow();
  } else {
    log::info([] {
      return std::string(
          "references have no TCP address; for other ORBs and other hosts add tcp or "
          "tcp:HOST:PORT to -ORBListen");
    });
  }
  if (const std::string unusable = unusable_addresses(published, options.publish_host); !unusable.empty()) {
    log::warn("references contain " + unusable +
              ", an address that other hosts cannot use: add -ORBPublishHost NAME, with a name or an address "
              "of this host");
  }
  if (const std::string missing = unpublished_endpoints(published, platform::host_identity());
      !missing.empty()) {
    log::warn("references do not contain the endpoints " + missing +
              ": this host cannot be identified; mount /proc (/proc/sys/kernel/random/boot_id, "
              "/proc/self/ns/net)");
  }
  limits_watch_->start();
  for (auto& listener : opened) listener->start();
  if (pool_ != nullptr) pool_->start();
  listeners_ = std::move(opened);
  published_ = std::move(published);
} catch (const std::bad_alloc&) {
  raise_no_memory();
}

giop::Ior EndpointRegistry::make_ior(const std::string& type_id, Bytes object_key, bool bidirectional) {
  listen();
  const std::lock_guard lock(mutex_);
  const std::string& host = core_.options().publish_host;
  if (!bidirectional) return orb::make_ior(type_id, object_key, published_, host);
  if (!unreachable_ && orb::listen_points(published_, host, false).empty())
    unreachable_ = make_unreachable_address();
  core_.offered().listen_points().make_available();
  return orb::make_ior(type_id, object_key, published_, host, unreachable_ ? &*unreachable_ : nullptr);
}

std::vector<giop::ListenPoint> EndpointRegistry::listen_points(bool secure) const {
  const std::lock_guard lock(mutex_);
  auto points = orb::listen_points(published_, core_.options().publish_host, secure);
  if (unreachable_) points.push_back(*unreachable_);
  return points;
}

bool EndpointRegistry::is_own_endpoint(const Endpoint& endpoint) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(published_.begin(), published_.end(), [&](const PublishedEndpoint& own) {
    return own.transport->traits().reach == transport::Reach::process &&
           own.transport == endpoint.transport && own.address == endpoint.address;
  });
}

void EndpointRegistry::close() {
  // No listener is added any more. The lock is not held: requests in progress may need it.
  const std::span<std::unique_ptr<Listener>> listeners = [&] {
    const std::lock_guard lock(mutex_);
    return std::span(listeners_);
  }();
  for (auto& listener : listeners) listener->stop_accepting();
  limits_watch_->stop();
  const auto sent_by = transport::Deadline::in_ms(kSendQueuedMs);
  core_.claims().wait_until_sent(sent_by);
  if (reactor_ != nullptr) core_.offered().wait_until_sent(sent_by);
  // Requests of one connection may wait for those of another: all are notified before any is joined. The
  // timeouts are for all clients together.
  const auto deadline = transport::Deadline::in_ms(kCloseConnectionTimeoutMs);
  for (auto& listener : listeners) listener->close_connections(deadline);
  if (reactor_ != nullptr) reactor_->close_orderly(deadline);
  // The thread of a connection waits for its requests in thread pools of Real-time CORBA, but a reactor does
  // not. With -ORBThreads single they may wait for this thread, and end when connections are closed.
  RealTime* const real_time = pool_ == nullptr ? nullptr : core_.real_time();
  for (; real_time != nullptr && !real_time->is_idle(); platform::sleep_ms(1)) reactor_->end_stuck();
  // By the threads of the pool: requests in different queues may wait for each other.
  for (; pool_ != nullptr && request_queues_->bytes() != 0; platform::sleep_ms(1)) reactor_->end_stuck();
  if (reactor_ != nullptr) reactor_->stop(deadline);
  for (; pool_ != nullptr && !pool_->ended(); platform::sleep_ms(1)) reactor_->end_stuck();
  if (pool_ != nullptr) pool_->join();
  if (reactor_ != nullptr) reactor_->finish();
  for (bool all = listeners.empty(); !all;) {
    all = true;
    for (auto& listener : listeners) all = listener->join_finished() && all;
    if (!all) platform::sleep_ms(1);
  }
  request_queues_->stop();
  const std::lock_guard lock(mutex_);
  listeners_.clear();
}

}  // namespace orbweaver::orb
