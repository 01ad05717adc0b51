#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "giop/bidirectional.h"
#include "orb/client/client_connection.h"
#include "orb/options.h"

namespace orbweaver {
struct Endpoint;
}

namespace orbweaver::orb {

class AcceptedOffer;

/// Accepted connections over which their peers may be called, by the listen points that the peers have
/// claimed in BI_DIR_IIOP contexts (CORBA 3.3 part 2, 9.8.1). Thread-safe.
///
/// Nothing proves a claim: a peer can claim an address of another process. Which references are called over
/// the connection of a claim therefore depends on -ORBAcceptBidirectional: those that the same peer has
/// handed over, or also all others. For the latter a claim counts if `may_claim` permits it, and of these the
/// first one of an address, until its last connection ends.
class ListenPointClaims {
 public:
  /// Claims of all connections together. Further ones have no effect.
  static constexpr std::size_t kMaxClaims = 10'000;
  /// Those of one peer.
  static constexpr std::size_t kMaxClaimsOfPeer = kMaxClaims / 2;

  /// A peer, for comparisons: its certificate's subject, else its user on this host over any transport, else
  /// its network address.
  static std::string identity_of(const Peer& peer);
  /// Whether references that others have handed over may be called over the connection of `peer` if it claims
  /// this address: its own IP address, a name of its certificate, or a name that nobody can guess. Users of
  /// this host share its addresses: all addresses of the user of this process and of root, who could end it
  /// as well, none of others.
  static bool may_claim(const Peer& peer, const giop::ListenPoint& point);

  /// The connection over which `points` were claimed, until `remove`.
  struct Claimant {
    ClientConnectionPtr connection;  ///< For calls of the peer.
    std::string identity;            ///< As of identity_of.
    AcceptedOffer* offer = nullptr;  ///< Of that connection.
    bool secure = false;             ///< See TransportTraits::secure.
    Peer peer = {};                  ///< As of may_claim.
  };
  /// Adds claims of one connection. False, and adds none, if there would be more than kMaxClaims, or more
  /// than kMaxClaimsOfPeer.
  bool add(const Claimant& claimant, const std::vector<giop::ListenPoint>& points);
  /// Removes the claims of a connection.
  void remove(const ClientConnection& connection) noexcept;
  /// Waits until the queued one-way calls of all these connections are sent, at most until `deadline`.
  void wait_until_sent(transport::Deadline deadline);

  /// The connection for calls to `endpoint` of a reference that `offering_peer` has handed over (empty: no
  /// peer); null: none. In an upcall, that of its request is preferred. Without a lock if there are no
  /// claims.
  ClientConnectionPtr find(const Endpoint& endpoint, const std::string& offering_peer,
                           Options::AcceptBidirectional accepted);

 private:
  struct Claim {
    std::string address;  // "host:port" or "[v6]:port"
    bool is_for_all;      // see may_claim
    Claimant by;
  };
  template <class Fits>
  ClientConnectionPtr best(const Fits& fits) const;

  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;         // guards the rest
  std::list<Claim> claims_;  // in the order of `add`
};

/// "host:port", or "[v6]:port", as in Endpoint::address.
std::string address_of(const giop::ListenPoint& point);

}  // namespace orbweaver::orb
