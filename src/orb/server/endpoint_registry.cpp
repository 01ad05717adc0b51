#include "orb/server/endpoint_registry.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <utility>

#include "base/log.h"
#include "giop/codesets.h"
#include "giop/tagged_components.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/limits_watch.h"
#include "orb/server/listener.h"
#include "orb/server/reactor.h"
#include "orb/server/thread_pool.h"
#include "platform/process_identity.h"
#include "platform/socket_file.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;

namespace {

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

EndpointRegistry::EndpointRegistry(Core& core, Reactor* reactor, OutgoingConnections& outgoing)
    : core_(core), reactor_(reactor), limits_(core.options(), core.receive_budget()),
      limits_watch_(std::make_unique<LimitsWatch>(limits_, outgoing, reactor)),
      pool_(core.options().threads == Options::Threads::pool
                ? std::make_unique<ThreadPool>(core.options(), *reactor)
                : nullptr) {}

EndpointRegistry::~EndpointRegistry() = default;

void EndpointRegistry::listen() {
  const std::lock_guard lock(mutex_);
  if (!listeners_.empty()) return;
  core_.check_running();
  const Options& options = core_.options();
  std::vector<std::unique_ptr<Listener>> opened;
  for (const Options::ListenEndpoint& endpoint : options.listen) {
    transport::Transport* transport = find_transport(endpoint.transport);
    const bool unnamed = endpoint.address.empty() && transport == &transport::inproc_transport();
    auto channel_options = options.channel(*transport, core_.receive_budget());
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
    opened.push_back(std::make_unique<Listener>(core_, *transport, std::move(*acceptor)));
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

giop::Ior EndpointRegistry::make_ior(const std::string& type_id, Bytes object_key) {
  listen();
  const Options& options = core_.options();
  giop::IiopProfile profile;
  profile.host = options.publish_host;
  profile.object_key.assign(object_key.begin(), object_key.end());
  giop::LocalEndpoints local{platform::host_identity(), static_cast<std::uint32_t>(platform::user_id()), {}};
  std::vector<giop::IiopAddress> others, datagrams, secured;
  const std::lock_guard lock(mutex_);
  for (const auto& listener : listeners_) {
    if (&listener->transport() == &transport::udp_transport()) {
      giop::IiopAddress address;
      split_host_port(listener->address(), address.host, address.port);
      if (!options.publish_host.empty()) address.host = options.publish_host;
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
    if (!options.publish_host.empty()) address.host = options.publish_host;
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
giop::SslAddress EndpointRegistry::make_ssl_component(std::uint16_t port, bool alone) const {
  using namespace giop::association;
  const Options& options = core_.options();
  std::string verify;
  if (const auto given = options.parameters.find("tls"); given != options.parameters.end()) {
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

bool EndpointRegistry::is_own_endpoint(const Endpoint& endpoint) const {
  const std::lock_guard lock(mutex_);
  return endpoint.transport == &transport::inproc_transport() && endpoint.address == inproc_address_;
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
  if (reactor_ != nullptr) reactor_->stop(deadline);
  for (; pool_ != nullptr && !pool_->ended(); platform::sleep_ms(1)) reactor_->end_stuck();
  if (pool_ != nullptr) pool_->join();
  if (reactor_ != nullptr) reactor_->finish();
  for (bool all = listeners.empty(); !all;) {
    all = true;
    for (auto& listener : listeners) all = listener->join_finished() && all;
    if (!all) platform::sleep_ms(1);
  }
  const std::lock_guard lock(mutex_);
  listeners_.clear();
}

}  // namespace orbweaver::orb
