#include "orb/bidirectional/listen_point_claims.h"

#include <algorithm>

#include "base/fair_eviction.h"
#include "base/peer_address.h"
#include "orb/bidirectional/accepted_offer.h"
#include "orb/bidirectional/own_listen_points.h"
#include "orb/reference/reference.h"
#include "platform/process_identity.h"

namespace orbweaver::orb {

std::string address_of(const giop::ListenPoint& point) {
  const bool is_v6 = point.host.find(':') != std::string::npos && point.host.front() != '[';
  return (is_v6 ? "[" + point.host + "]" : point.host) + ":" + std::to_string(point.port);
}

std::string ListenPointClaims::identity_of(const Peer& peer) {
  if (!peer.subject.empty()) return "subject " + peer.subject;
  return peer.uid >= 0 ? "user " + std::to_string(peer.uid) : counted_as(peer);
}

bool ListenPointClaims::may_claim(const Peer& peer, const giop::ListenPoint& point) {
  if (is_unreachable_address(address_of(point))) return true;
  const auto is_named = [&](const std::string& name) {
    return name == "DNS:" + point.host || name == "IP:" + point.host;
  };
  if (!peer.subject.empty() && std::any_of(peer.names.begin(), peer.names.end(), is_named)) return true;
  if (is_on_this_host(peer)) return peer.uid == 0 || peer.uid == platform::user_id();
  const auto claimed = platform::parse_ip_address(point.host), own = ip_address_of(peer);
  return claimed && own && claimed->bytes == own->bytes;
}

bool ListenPointClaims::add(const Claimant& claimant, const std::vector<giop::ListenPoint>& points) {
  std::list<Claim> added;
  for (const giop::ListenPoint& point : points)
    added.push_back({address_of(point), may_claim(claimant.peer, point), claimant});
  const std::lock_guard lock(mutex_);
  const auto of_peer =
      static_cast<std::size_t>(std::count_if(claims_.begin(), claims_.end(), [&](const Claim& claim) {
        return claim.by.identity == claimant.identity;
      }));
  if (claims_.size() + added.size() > kMaxClaims || of_peer + added.size() > kMaxClaimsOfPeer) return false;
  claims_.splice(claims_.end(), added);
  count_.store(claims_.size(), std::memory_order_release);
  return true;
}

void ListenPointClaims::remove(const ClientConnection& connection) noexcept {
  std::list<Claim> removed;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  for (auto at = claims_.begin(); at != claims_.end();) {
    const auto claim = at++;
    if (claim->by.connection.get() == &connection) removed.splice(removed.end(), claims_, claim);
  }
  count_.store(claims_.size(), std::memory_order_release);
}

void ListenPointClaims::wait_until_sent(transport::Deadline deadline) {
  std::vector<ClientConnectionPtr> connections;
  {
    const std::lock_guard lock(mutex_);
    for (const Claim& claim : claims_) {
      if (connections.empty() || connections.back() != claim.by.connection)
        connections.push_back(claim.by.connection);
    }
  }
  for (const auto& each : connections) each->sender().queued_requests().wait_until_sent(deadline);
}

/// The usable connection of the claims that fit: that of the upcall in progress, else the last one. Called
/// with the lock.
template <class Fits>
ClientConnectionPtr ListenPointClaims::best(const Fits& fits) const {
  const Peer* const caller = orbweaver::peer();
  ClientConnectionPtr found;
  for (const Claim& claim : claims_) {
    if (!claim.by.connection->usable() || !fits(claim)) continue;
    found = claim.by.connection;
    if (caller != nullptr && claim.by.offer->has_peer(caller)) break;
  }
  return found;
}

ClientConnectionPtr ListenPointClaims::find(const Endpoint& endpoint, const std::string& offering_peer,
                                            Options::AcceptBidirectional accepted) {
  if (count_.load(std::memory_order_acquire) == 0) return nullptr;
  const transport::TransportTraits& traits = endpoint.transport->traits();
  if (traits.form != transport::EndpointForm::iiop && traits.form != transport::EndpointForm::ssl)
    return nullptr;
  const std::lock_guard lock(mutex_);
  const auto is_at = [&](const Claim& claim) {
    return claim.address == endpoint.address && (claim.by.secure || !traits.secure);
  };
  const auto of = [&](const std::string& identity) {
    return best([&](const Claim& claim) { return is_at(claim) && claim.by.identity == identity; });
  };
  if (!offering_peer.empty()) {
    if (auto own = of(offering_peer); own) return own;
  }
  if (accepted != Options::AcceptBidirectional::any) return nullptr;
  const auto first = std::find_if(claims_.begin(), claims_.end(),
                                  [&](const Claim& claim) { return claim.is_for_all && is_at(claim); });
  return first == claims_.end() ? nullptr : of(first->by.identity);
}

}  // namespace orbweaver::orb
