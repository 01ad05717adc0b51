#include "orb/core.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <utility>

#include "base/log.h"
#include "giop/codesets.h"
#include "giop/components.h"
#include "orb/limits_watch.h"
#include "orb/listener.h"
#include "orb/minor_codes.h"
#include "orb/reactor.h"
#include "orb/system_exceptions.h"
#include "orb/thread_pool.h"
#include "platform/process_identity.h"
#include "platform/socket_file.h"
#include "transport/stream/lingering.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;

namespace {
thread_local int serving = 0;       // inside of a connection's thread
thread_local int direct_calls = 0;  // inside of servants called without one
thread_local const Peer* served = nullptr;  // the connection's other end

constexpr std::int64_t kPatience_ms = 500;  // at the shutdown, with clients that do not take the goodbye

/// "host:port" or "[v6]:port" taken apart.
void split_host_port(const std::string& address, std::string& host, std::uint16_t& port) {
  const std::size_t colon = address.rfind(':');
  host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[') host = host.substr(1, host.size() - 2);
  port = static_cast<std::uint16_t>(std::stoul(address.substr(colon + 1)));
}

/// References carry it to other processes, where it must not be taken for one of theirs.
std::string unique_name() {
  std::random_device random;
  return std::to_string(platform::process_id()) + "-" + std::to_string(random()) + "-" + std::to_string(random());
}
}  // namespace

bool in_upcall() noexcept { return serving > 0 || direct_calls > 0; }
bool serves_connection() noexcept { return serving > 0; }
void begin_direct_call() noexcept { ++direct_calls; }
void end_direct_call() noexcept { --direct_calls; }
UpcallScope::UpcallScope(const Peer& peer) noexcept
    : peer_before_(std::exchange(served, &peer)), direct_calls_before_(std::exchange(direct_calls, 0)) {
  ++serving;
}
UpcallScope::~UpcallScope() {
  --serving;
  served = peer_before_;
  direct_calls = direct_calls_before_;
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
  throw CORBA::BAD_INV_ORDER(minor::kOrbShutDown, CompletionStatus::COMPLETED_NO, "the ORB has been shut down");
}

Result<ClientConnectionPtr> Core::connect(transport::Transport& transport, const std::string& address,
                                          transport::Deadline deadline) {
  const std::string name = std::string(transport.name()) + " " + address;
  std::shared_ptr<Peer> peer;
  {
    const std::lock_guard lock(peers_mutex_);
    std::shared_ptr<Peer>& known = peers_[name];
    if (!known) known = std::make_shared<Peer>();
    peer = known;
  }
  // Held while connecting: two threads that call the same server for the first time share a connection,
  // without which their calls could overtake each other.
  const std::lock_guard lock(peer->mutex);
  if (peer->connection && peer->connection->usable()) return peer->connection;
  peer->connection = nullptr;
  auto opened = open(transport, address, name, deadline);
  if (!opened) {
    const std::lock_guard forgetting(peers_mutex_);
    const auto known = peers_.find(name);
    if (known != peers_.end() && known->second == peer && peer.use_count() == 2) peers_.erase(known);
    return opened.take_error();
  }
  peer->connection = *opened;
  return peer->connection;
}

Result<ClientConnectionPtr> Core::open(transport::Transport& transport, const std::string& address,
                                       const std::string& name, transport::Deadline deadline,
                                       std::size_t most_ring_bytes) {
  if (!running()) return Error{Remedy::give_up, "the ORB has been shut down"};
  drop_ended();
  auto place = outgoing_->take_place(transport);
  if (!place) return place.take_error();
  const transport::Deadline patience{
      std::min(deadline.ns, transport::Deadline::in_ms(options_.connect_timeout_ms).ns)};
  transport::ChannelOptions options = channel_options(transport);
  options.ring_bytes = std::min(options.ring_bytes, most_ring_bytes);
  auto channel = transport.connect(address, options, patience);
  if (!channel) return channel.take_error();
  log::debug([&] { return "connected: " + name; });
  auto connection = CORBA::make_reference<ClientConnection>(std::move(*channel), name, options_.max_message_bytes,
                                                            reactor_.get(), budget_);
  if (!transport.reliable()) connection->may_lose_messages();
  connection->batch(batching());
  connection->take(std::move(*place));
  return connection;
}

void Core::drop_ended() {
  spares_->drop_ended();
  std::vector<std::shared_ptr<Peer>> ended;  // destroyed behind the lock
  const std::lock_guard lock(peers_mutex_);
  for (auto at = peers_.begin(); at != peers_.end();) {
    const auto known = at++;
    Peer& peer = *known->second;
    // Where somebody connects just now, or is about to, it is looked at another time.
    if (known->second.use_count() != 1) continue;
    const std::unique_lock mine(peer.mutex, std::try_to_lock);
    if (!mine || !peer.connection) continue;
    peer.connection->look_for_end();
    if (peer.connection->usable()) continue;
    ended.push_back(known->second);
    peers_.erase(known);
  }
}

Result<ClientConnectionPtr> Core::connect_privately(transport::Transport& transport, const std::string& address,
                                                    transport::Deadline deadline) {
  auto opened = open(transport, address, std::string(transport.name()) + " " + address + " (private)", deadline);
  if (!opened) return opened;
  const std::lock_guard lock(peers_mutex_);
  // Registered before the shutdown collects them, or closed here: what is made after it has no owner to close it.
  if (!running()) {
    (*opened)->close();
    return Error{Remedy::give_up, "the ORB has been shut down"};
  }
  private_connections_.push_back(*opened);
  return opened;
}

void Core::end_private(const ClientConnectionPtr& connection) noexcept {
  connection->close();
  const std::lock_guard lock(peers_mutex_);
  std::erase(private_connections_, connection);  // the caller holds another count: nothing is destroyed here
}

void Core::listen() {
  const std::lock_guard lock(listen_mutex_);
  if (!listeners_.empty()) return;
  check_running();
  std::vector<std::unique_ptr<Listener>> opened;
  for (const Options::Endpoint& endpoint : options_.listen) {
    transport::Transport* transport = find_transport(endpoint.transport);
    const bool unnamed = endpoint.address.empty() && transport == &transport::inproc();
    auto channel_options = this->channel_options(*transport);
    // Asked before the handshake, when no more is known of a peer than its address: the access rules wait for
    // the rest.
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
    if (transport == &transport::inproc()) inproc_address_ = opened.back()->address();
    log::info([&] { return "listening: " + endpoint.transport + " " + opened.back()->address(); });
  }
  const bool is_reachable = std::any_of(opened.begin(), opened.end(), [](const auto& listener) {
    return listener->transport().reach() == transport::Reach::anywhere;
  });
  if (is_reachable) {
    limits_.tell_what_descriptors_allow();
  } else {
    log::info([] {
      return std::string("references name no TCP address: for other ORBs and other hosts add tcp or tcp:HOST:PORT to "
                         "-ORBListen");
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
  giop::LocalRoads local{platform::host_identity(), static_cast<std::uint32_t>(platform::user_id()), {}};
  std::vector<giop::IiopAddress> others, datagrams, secured;
  const std::lock_guard lock(listen_mutex_);
  for (const auto& listener : listeners_) {
    if (&listener->transport() == &transport::udp()) {
      giop::IiopAddress address;
      split_host_port(listener->address(), address.host, address.port);
      if (!options_.publish_host.empty()) address.host = options_.publish_host;
      datagrams.push_back(address);
      continue;
    }
    const bool tls = std::strcmp(listener->transport().name(), "tls") == 0;
    if (&listener->transport() != &transport::tcp() && !tls) {
      local.roads.push_back({listener->transport().name(), listener->address()});
      if (&listener->transport() == &transport::unix_sockets() && listener->address().front() == '/') {
        profile.components.push_back({giop::component_tag::kOmniOrbUnix,
                                      giop::encode_omniorb_unix({platform::machine_name(), listener->address()})});
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
  // An SSL component is a port of its profile's host, and there is one: further addresses are further profiles.
  std::vector<giop::IiopProfile> more;
  for (const giop::IiopAddress& address : secured) {
    const bool here = address.host == profile.host && giop::find(profile.components, kSslSecTrans) == nullptr;
    if (!here) more.push_back({profile.version, address.host, 0, profile.object_key, {}});
    giop::IiopProfile& at = here ? profile : more.back();
    at.components.push_back({kSslSecTrans, giop::encode_ssl_address(protection(address.port, at.port == 0 && datagrams.empty()))});
  }
  profile.components.push_back({kOrbType, giop::encode_orb_type(kOurOrbType)});
  profile.components.push_back({kCodeSets, giop::encode_code_sets(giop::own_code_sets())});
  for (const auto& other : others) profile.components.push_back({kAlternateIiopAddress, giop::encode_alternate_address(other)});
  for (const auto& address : datagrams) profile.components.push_back({kUdpAddress, giop::encode_alternate_address(address)});
  if (!local.roads.empty() && !local.host_identity.empty()) {
    profile.components.push_back({kLocalRoads, giop::encode_local_roads(local)});
  }
  giop::Ior ior{type_id, {{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)}}};
  for (const giop::IiopProfile& each : more) ior.profiles.push_back({giop::profile_tag::kIiop, giop::encode_iiop_profile(each)});
  return ior;
}

/// Of our TLS endpoint at that port; `alone`: there is no TCP or UDP in the clear beside it.
giop::SslAddress Core::protection(std::uint16_t port, bool alone) const {
  using namespace giop::association;
  std::string verify;
  if (const auto given = options_.parameters.find("tls"); given != options_.parameters.end()) {
    if (const auto value = given->second.find("verify"); value != given->second.end()) verify = value->second;
  }
  giop::SslAddress said{kIntegrity | kConfidentiality | kDetectReplay | kDetectMisordering | kEstablishTrustInTarget, 0, port};
  if (verify != "none") said.target_supports |= kEstablishTrustInClient;
  if (!alone) {
    said.target_supports |= kNoProtection;
    return said;
  }
  said.target_requires = kIntegrity | kConfidentiality;
  if (verify.empty() || verify == "required") said.target_requires |= kEstablishTrustInClient;
  return said;
}

bool Core::is_own(const Road& road) const {
  const std::lock_guard lock(listen_mutex_);
  return road.transport == &transport::inproc() && road.address == inproc_address_;
}

void Core::request_shutdown() {
  {
    const std::lock_guard lock(shutdown_mutex_);
    running_.store(false, std::memory_order_release);
    shutdown_changed_.notify_all();
  }
  if (finder_ != nullptr) finder_->wake();
  // Threads of a pool serve on until the end, as those of connections do.
  if (reactor_ != nullptr && reactor_->single()) reactor_->wake();
}

bool Core::serves_here() const noexcept { return reactor_ != nullptr && reactor_->serves_here(); }

void Core::serve_while_waiting(transport::Deadline deadline) { reactor_->serve_while_waiting(deadline); }

void Core::try_held_again() {
  if (reactor_ != nullptr) reactor_->resume_all();
}

void Core::run() {
  if (reactor_ != nullptr && reactor_->single()) reactor_->run();  // else, or if another thread does that: just wait
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
  if (ending_ != Ending::no) {
    shutdown_changed_.wait(lock, [&] { return ending_ == Ending::done; });
    return;
  }
  ending_ = Ending::under_way;
  lock.unlock();
  {
    // Nothing is added any more. Without the lock: requests that are still served may ask for it.
    const std::span<std::unique_ptr<Listener>> ending = [&] {
      const std::lock_guard listening(listen_mutex_);
      return std::span(listeners_);
    }();
    // The requests of one connection may wait for those of another: all are told before any is waited for. All clients
    // together are waited for as long as one is.
    const auto patience = transport::Deadline::in_ms(kPatience_ms);
    for (auto& listener : ending) listener->stop_accepting();
    limits_watch_->stop();
    for (auto& listener : ending) listener->close_connections(patience);
    if (reactor_ != nullptr) reactor_->stop(patience);
    for (; pool_ != nullptr && !pool_->ended(); platform::sleep_ms(1)) reactor_->end_stuck();
    if (pool_ != nullptr) pool_->join();
    if (reactor_ != nullptr) reactor_->finish();
    for (bool all = ending.empty(); !all;) {
      all = true;
      for (auto& listener : ending) all = listener->join_ended() && all;
      if (!all) platform::sleep_ms(1);
    }
    const std::lock_guard listening(listen_mutex_);
    listeners_.clear();
  }
  flusher_.stop();
  std::map<std::string, std::shared_ptr<Peer>> peers;
  std::vector<ClientConnectionPtr> private_connections;
  {
    const std::lock_guard connecting(peers_mutex_);
    peers.swap(peers_);
    private_connections.swap(private_connections_);
  }
  for (const ClientConnectionPtr& connection : private_connections) connection->close();
  spares_->close();
  for (auto& [name, peer] : peers) {
    // Waits for a connection that is just being made; what is made after this finds the ORB not running.
    const std::lock_guard connecting(peer->mutex);
    if (peer->connection) peer->connection->close();
    peer->connection = nullptr;
  }
  log::report_left_out();
  transport::wait_for_lingering();  // the program may end next
  lock.lock();
  ending_ = Ending::done;
  shutdown_changed_.notify_all();
}

}  // namespace orbweaver::orb

namespace orbweaver {

const Peer* peer() noexcept {
  if (orb::direct_calls == 0) return orb::served;  // counted since the thread began to serve
  // Never destroyed: threads of an ORB may still use it while the program ends.
  static const Peer& ourselves =
      *new Peer{"this process", platform::process_id(), platform::user_id(), {}, {}, "inproc"};
  return &ourselves;
}

}  // namespace orbweaver
