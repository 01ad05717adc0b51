#include "orb/server/endpoint_registry.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "base/log.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
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

constexpr std::int64_t kCloseTimeoutMs = 500;  // at shutdown, for clients that do not read CloseConnection

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

giop::Ior EndpointRegistry::make_ior(const std::string& type_id, Bytes object_key) {
  listen();
  const std::lock_guard lock(mutex_);
  return orb::make_ior(type_id, object_key, published_, core_.options().publish_host);
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
  // Requests of one connection may wait for those of another: all are notified before any is joined. The
  // timeout is for all clients together.
  const auto deadline = transport::Deadline::in_ms(kCloseTimeoutMs);
  for (auto& listener : listeners) listener->stop_accepting();
  limits_watch_->stop();
  for (auto& listener : listeners) listener->close_connections(deadline);
  if (reactor_ != nullptr) reactor_->close_orderly(deadline);
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
