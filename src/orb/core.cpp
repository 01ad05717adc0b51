#include "orb/core.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <utility>

#include "base/log.h"
#include "giop/codesets.h"
#include "giop/tagged_components.h"
#include "orb/minor_codes.h"
#include "orb/server/limits_watch.h"
#include "orb/server/listener.h"
#include "orb/server/reactor.h"
#include "orb/server/thread_pool.h"
#include "orb/system_exceptions.h"
#include "platform/process_identity.h"
#include "platform/socket_file.h"
#include "transport/stream/lingering.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;

namespace {
thread_local int upcall_depth = 0;      // upcalls of connections
thread_local int collocated_depth = 0;  // collocated calls in progress, since the innermost upcall began
thread_local const Peer* current_peer = nullptr;  // other end of the connection

constexpr std::int64_t kCloseTimeoutMs = 500;  // at shutdown, for clients that do not read CloseConnection

/// Splits "host:port" or "[v6]:port".
void split_host_port(const std::string& address, std::string& host, std::uint16_t& port) {
  const std::size_t colon = address.rfind(':');
  host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[') host = host.substr(1, host.size() - 2);
  port = static_cast<std::uint16_t>(std::stoul(address.substr(colon + 1)));
}

/// Creates an inproc address. References carry it to other processes, where it must not equal one of their
/// own.
std::string unique_name() {
  std::random_device random;
  return std::to_string(platform::process_id()) + "-" + std::to_string(random()) + "-" +
         std::to_string(random());
}
}  // namespace

bool in_upcall() noexcept { return upcall_depth > 0 || collocated_depth > 0; }
bool in_connection_upcall() noexcept { return upcall_depth > 0; }
void begin_collocated_call() noexcept { ++collocated_depth; }
void end_collocated_call() noexcept { --collocated_depth; }
UpcallScope::UpcallScope(const Peer& peer) noexcept
    : peer_before_(std::exchange(current_peer, &peer)),
      collocated_depth_before_(std::exchange(collocated_depth, 0)) {
  ++upcall_depth;
}
UpcallScope::~UpcallScope() {
  --upcall_depth;
  current_peer = peer_before_;
  collocated_depth = collocated_depth_before_;
}

Core::Core(Options options) : options_(std::move(options)) {
  if (options_.threads != Options::Threads::connection) reactor_ = std::make_unique<Reactor>();
  if (options_.threads == Options::Threads::single) reactor_->set_single();
  if (options_.threads == Options::Threads::pool) pool_ = std::make_unique<ThreadPool>(options_, *reactor_);
  limits_watch_ = std::make_unique<LimitsWatch>(limits_, *outgoing_, reactor_.get());
}

Core::~Core() { finish_shutdown(); }

std::vector<std::string> Core::preference() const {
  const ClientPolicies policies = policy_manager_->policies();
  return policies.transports() != nullptr ? *policies.transports() : options_.preference;
}

void Core::check_running() const {
  if (running()) return;
  throw CORBA::BAD_INV_ORDER(minor::kOrbShutDown, CompletionStatus::COMPLETED_NO,
                             "the ORB has been shut down");
}

Result<ClientConnectionPtr> Core::connect(transport::Transport& transport, const std::string& address,
                                          transport::Deadline deadline) {
  const std::string name = std::string(transport.name()) + " " + address;
  std::shared_ptr<Peer> peer;
  {
    const std::lock_guard lock(connections_mutex_);
    std::shared_ptr<Peer>& known = connections_[name];
    if (!known) known = std::make_shared<Peer>();
    peer = known;
  }
  // Held while connecting, so that two threads that call the same server for the first time share a
  // connection. Over two connections their calls could be reordered.
  const std::lock_guard lock(peer->mutex);
  if (peer->connection && peer->connection->usable()) return peer->connection;
  peer->connection = nullptr;
  auto opened = open(transport, address, name, deadline);
  if (!opened) {
    const std::lock_guard forgetting(connections_mutex_);
    const auto known = connections_.find(name);
    if (known != connections_.end() && known->second == peer && peer.use_count() == 2)
      connections_.erase(known);
    return opened.take_error();
  }
  peer->connection = *opened;
  return peer->connection;
}

Result<ClientConnectionPtr> Core::open(transport::Transport& transport, const std::string& address,
                                       const std::string& name, transport::Deadline deadline,
                                       std::size_t max_ring_bytes) {
  if (!running()) return Error{ErrorKind::unavailable, "the ORB has been shut down"};
  drop_closed_connections();
  auto place = outgoing_->take_place(transport);
  if (!place) return place.take_error();
  const transport::Deadline connect_deadline{
      std::min(deadline.ns, transport::Deadline::in_ms(options_.connect_timeout_ms).ns)};
  transport::ChannelOptions options = channel_options(transport);
  options.ring_bytes = std::min(options.ring_bytes, max_ring_bytes);
  auto channel = transport.connect(address, options, connect_deadline);
  if (!channel) return channel.take_error();
  log::debug([&] { return "connected: " + name; });
  auto connection = CORBA::make_reference<ClientConnection>(
      std::move(*channel), name, options_.max_message_bytes, reactor_.get(), budget_);
  if (!transport.reliable()) connection->set_unreliable();
  connection->set_batching(batching());
  connection->take(std::move(*place));
  return connection;
}

void Core::drop_closed_connections() {
  auxiliary_connections_->drop_closed_connections();
  std::vector<std::shared_ptr<Peer>> ended;  // destroyed after the lock is released
  const std::lock_guard lock(connections_mutex_);
  for (auto at = connections_.begin(); at != connections_.end();) {
    const auto known = at++;
    Peer& peer = *known->second;
    // Skipped while another thread connects or is about to.
    if (known->second.use_count() != 1) continue;
    const std::unique_lock connection_lock(peer.mutex, std::try_to_lock);
    if (!connection_lock || !peer.connection) continue;
    peer.connection->check_for_close();
    if (peer.connection->usable()) continue;
    ended.push_back(known->second);
    connections_.erase(known);
  }
}

Result<ClientConnectionPtr> Core::connect_private(transport::Transport& transport, const std::string& address,
                                                  transport::Deadline deadline) {
  auto opened =
      open(transport, address, std::string(transport.name()) + " " + address + " (private)", deadline);
  if (!opened) return opened;
  const std::lock_guard lock(connections_mutex_);
  // Either registered before the shutdown collects the connections, or closed here: no other owner would
  // close it.
  if (!running()) {
    (*opened)->close();
    return Error{ErrorKind::unavailable, "the ORB has been shut down"};
  }
  private_connections_.push_back(*opened);
  return opened;
}

void Core::close_private(const ClientConnectionPtr& connection) noexcept {
  connection->close();
  const std::lock_guard lock(connections_mutex_);
  std::erase(private_connections_, connection);  // the caller shares ownership: nothing is destroyed here
}

void Core::listen() {
  const std::lock_guard lock(listen_mutex_);
  if (!listeners_.empty()) return;
  check_running();
  std::vector<std::unique_ptr<Listener>> opened;
  for (const Options::ListenEndpoint& endpoint : options_.listen) {
    transport::Transport* transport = find_transport(endpoint.transport);
    const bool unnamed = endpoint.address.empty() && transport == &transport::inproc_transport();
    auto channel_options = this->channel_options(*transport);
    // Evaluated before the handshake, when only the address of the peer is known; the access rules are
    // evaluated afterwards.
    if (transport->secure()) {
      channel_options.admits = [this, transport](const orbweaver::Peer& peer) {
        return limits_.has_room(*transport, peer);
      };
    }
    auto acceptor = transport->listen(unnamed ? unique_name() : endpoint.address, channel_options);
    if (!acceptor) {
      throw CORBA::INITIALIZE(minor::kCannotListen, CompletionStatus::COMPLETED_NO,
                              endpoint.transport + ": " + acceptor.error().message);
    }
    opened.push_back(std::make_unique<Listener>(*this, *transport, std::move(*acceptor)));
    if (transport == &transport::inproc_transport()) inproc_address_ = opened.back()->address();
    log::info([&] { return "listening: " + endpoint.transport + " " + opened.back()->address(); });
  }
  const bool is_reachable = std::any_of(opened.begin(), opened.end(), [](const auto& listener) {
    return listener->transport().reach() == transport::Reach::anywhere;
  });
  if (is_reachable) {
    limits_.tell_what_descriptors_allow();
  } else {
    log::info([] {
      return std::string(
          "references have no TCP address; for other ORBs and other hosts add tcp or "
          "tcp:HOST:PORT to -ORBListen");
    });
  }
  limits_watch_->start();
  for (auto& listener : opened) listener->start();
  if (pool_ != nullptr) pool_->start();
  listeners_ = std::move(opened);
}

giop::Ior Core::make_ior(const std::string& type_id, Bytes object_key) {
  listen();
  giop::IiopProfile profile;
  profile.host = options_.publish_host;
  profile.object_key.assign(object_key.begin(), object_key.end());
  giop::LocalEndpoints local{platform::host_identity(), static_cast<std::uint32_t>(platform::user_id()), {}};
  std::vector<giop::IiopAddress> others, datagrams, secured;
  const std::lock_guard lock(listen_mutex_);
  for (const auto& listener : listeners_) {
    if (&listener->transport() == &transport::udp_transport()) {
      giop::IiopAddress address;
      split_host_port(listener->address(), address.host, address.port);
      if (!options_.publish_host.empty()) address.host = options_.publish_host;
      datagrams.push_back(address);
      continue;
    }
    const bool tls = std::strcmp(listener->transport().name(), "tls") == 0;
    if (&listener->transport() != &transport::tcp_transport() && !tls) {
      local.endpoints.push_back({listener->transport().name(), listener->address()});
      if (&listener->transport() == &transport::unix_transport() && listener->address().front() == '/') {
        profile.components.push_back(
            {giop::component_tag::kOmniOrbUnix,
             giop::encode_omniorb_unix({platform::host_name(), listener->address()})});
      }
      continue;
    }
    giop::IiopAddress address;
    split_host_port(listener->address(), address.host, address.port);
    if (!options_.publish_host.empty()) address.host = options_.publish_host;
    if (profile.port != 0 || tls) {
      (tls ? secured : others).push_back(address);
      continue;
    }
    profile.host = address.host;
    profile.port = address.port;
  }
  if (profile.host.empty()) profile.host = secured.empty() ? "localhost" : secured.front().host;
  using namespace giop::component_tag;
  // An SSL component has a port for the host of its profile, and a profile has one such component: each
  // further address gets a profile of its own.
  std::vector<giop::IiopProfile> further_profiles;
  for (const giop::IiopAddress& address : secured) {
    const bool fits_first_profile =
        address.host == profile.host && giop::find(profile.components, kSslSecTrans) == nullptr;
    if (!fits_first_profile) {
      further_profiles.push_back({profile.version, address.host, 0, profile.object_key, {}});
    }
    giop::IiopProfile& at = fits_first_profile ? profile : further_profiles.back();
    at.components.push_back({kSslSecTrans, giop::encode_ssl_address(make_ssl_component(
                                               address.port, at.port == 0 && datagrams.empty()))});
  }
  profile.components.push_back({kOrbType, giop::encode_orb_type(kOurOrbType)});
  profile.components.push_back({kCodeSets, giop::encode_code_sets(giop::own_code_sets())});
  for (const auto& other : others)
    profile.components.push_back({kAlternateIiopAddress, giop::encode_alternate_address(other)});
  for (const auto& address : datagrams)
    profile.components.push_back({kUdpAddress, giop::encode_alternate_address(address)});
  if (!local.endpoints.empty() && !local.host_identity.empty()) {
    profile.components.push_back({kLocalEndpoints, giop::encode_local_endpoints(local)});
  }
  giop::Ior ior{type_id, {{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)}}};
  for (const giop::IiopProfile& further : further_profiles) {
    ior.profiles.push_back({giop::profile_tag::kIiop, giop::encode_iiop_profile(further)});
  }
  return ior;
}

/// Creates the SSL component of the TLS endpoint at `port`. `alone`: the ORB has no TCP or UDP endpoint
/// beside it.
giop::SslAddress Core::make_ssl_component(std::uint16_t port, bool alone) const {
  using namespace giop::association;
  std::string verify;
  if (const auto given = options_.parameters.find("tls"); given != options_.parameters.end()) {
    if (const auto value = given->second.find("verify"); value != given->second.end()) verify = value->second;
  }
  giop::SslAddress component{
      kIntegrity | kConfidentiality | kDetectReplay | kDetectMisordering | kEstablishTrustInTarget, 0, port};
  if (verify != "none") component.target_supports |= kEstablishTrustInClient;
  if (!alone) {
    component.target_supports |= kNoProtection;
    return component;
  }
  component.target_requires = kIntegrity | kConfidentiality;
  if (verify.empty() || verify == "required") component.target_requires |= kEstablishTrustInClient;
  return component;
}

bool Core::is_own_endpoint(const Endpoint& endpoint) const {
  const std::lock_guard lock(listen_mutex_);
  return endpoint.transport == &transport::inproc_transport() && endpoint.address == inproc_address_;
}

void Core::request_shutdown() {
  {
    const std::lock_guard lock(shutdown_mutex_);
    running_.store(false, std::memory_order_release);
    shutdown_changed_.notify_all();
  }
  if (finder_ != nullptr) finder_->wake();
  // Pool threads continue until `finish_shutdown`, like those of connections.
  if (reactor_ != nullptr && reactor_->single()) reactor_->wake();
}

bool Core::must_serve_while_waiting() const noexcept {
  return reactor_ != nullptr && reactor_->must_serve_while_waiting();
}

void Core::serve_while_waiting(transport::Deadline deadline) { reactor_->serve_while_waiting(deadline); }

void Core::retry_held_requests() {
  if (reactor_ != nullptr) reactor_->resume_all();
}

void Core::run() {
  // otherwise, or if another thread runs the reactor, only wait
  if (reactor_ != nullptr && reactor_->single()) reactor_->run();
  wait_for_shutdown();
  finish_shutdown();
}

void Core::wait_for_shutdown() {
  std::unique_lock lock(shutdown_mutex_);
  shutdown_changed_.wait(lock, [&] { return !running(); });
}

void Core::finish_shutdown() {
  request_shutdown();
  std::unique_lock lock(shutdown_mutex_);
  if (shutdown_state_ != ShutdownState::no) {
    shutdown_changed_.wait(lock, [&] { return shutdown_state_ == ShutdownState::done; });
    return;
  }
  shutdown_state_ = ShutdownState::in_progress;
  lock.unlock();
  {
    // No listener is added any more. The lock is not held: requests in progress may need it.
    const std::span<std::unique_ptr<Listener>> ending = [&] {
      const std::lock_guard listening(listen_mutex_);
      return std::span(listeners_);
    }();
    // Requests of one connection may wait for those of another: all are notified before any is joined. The
    // timeout is for all clients together.
    const auto deadline = transport::Deadline::in_ms(kCloseTimeoutMs);
    for (auto& listener : ending) listener->stop_accepting();
    limits_watch_->stop();
    for (auto& listener : ending) listener->close_connections(deadline);
    if (reactor_ != nullptr) reactor_->stop(deadline);
    for (; pool_ != nullptr && !pool_->ended(); platform::sleep_ms(1)) reactor_->end_stuck();
    if (pool_ != nullptr) pool_->join();
    if (reactor_ != nullptr) reactor_->finish();
    for (bool all = ending.empty(); !all;) {
      all = true;
      for (auto& listener : ending) all = listener->join_finished() && all;
      if (!all) platform::sleep_ms(1);
    }
    const std::lock_guard listening(listen_mutex_);
    listeners_.clear();
  }
  flusher_.stop();
  std::map<std::string, std::shared_ptr<Peer>> peers;
  std::vector<ClientConnectionPtr> private_connections;
  {
    const std::lock_guard connecting(connections_mutex_);
    peers.swap(connections_);
    private_connections.swap(private_connections_);
  }
  for (const ClientConnectionPtr& connection : private_connections) connection->close();
  auxiliary_connections_->close();
  for (auto& [name, peer] : peers) {
    // Waits for a connect in progress. Later ones fail because the ORB is not running.
    const std::lock_guard connecting(peer->mutex);
    if (peer->connection) peer->connection->close();
    peer->connection = nullptr;
  }
  log::report_suppressed();
  transport::wait_for_lingering_sockets();  // the program may exit after this call
  lock.lock();
  shutdown_state_ = ShutdownState::done;
  shutdown_changed_.notify_all();
}

}  // namespace orbweaver::orb

namespace orbweaver {

const Peer* peer() noexcept {
  if (orb::collocated_depth == 0) return orb::current_peer;  // counted within the current upcall
  // Never destroyed: threads of an ORB may still use it while the program ends.
  static const Peer& ourselves =
      *new Peer{"this process", platform::process_id(), platform::user_id(), {}, {}, "inproc"};
  return &ourselves;
}

}  // namespace orbweaver
