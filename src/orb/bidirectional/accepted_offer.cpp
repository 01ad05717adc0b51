#include "orb/bidirectional/accepted_offer.h"

#include <algorithm>

#include "base/log.h"
#include "orb/bidirectional/listen_point_claims.h"
#include "orb/core.h"

namespace orbweaver::orb {
namespace {

/// The source of the references in an any, which may outlive the connection.
class HeldSource final : public ReferenceSource, public std::enable_shared_from_this<HeldSource> {
 public:
  HeldSource(std::shared_ptr<Core> core, std::string peer) : core_(std::move(core)), peer_(std::move(peer)) {}
  std::shared_ptr<cdr::Broker> hold() override { return shared_from_this(); }
  std::shared_ptr<Core> core_of_references() override { return core_; }
  const std::string& offering_peer() const noexcept override { return peer_; }

 private:
  const std::shared_ptr<Core> core_;
  const std::string peer_;
};

}  // namespace

AcceptedOffer::AcceptedOffer(Core& core, std::shared_ptr<SplitChannel> split, Peer peer, bool secure,
                             AddLane add_lane)
    : core_(core), split_(std::move(split)), peer_(std::move(peer)), secure_(secure),
      identity_(ListenPointClaims::identity_of(peer_)), add_lane_(std::move(add_lane)) {}

AcceptedOffer::~AcceptedOffer() {
  if (!connection_) return;
  core_.claims().remove(*connection_);
  connection_->close();
}

std::shared_ptr<cdr::Broker> AcceptedOffer::hold() {
  return std::make_shared<HeldSource>(core_.shared_from_this(), identity_);
}

std::shared_ptr<Core> AcceptedOffer::core_of_references() { return core_.shared_from_this(); }

void AcceptedOffer::add_peer(const Peer& peer) {
  const std::lock_guard lock(peers_mutex_);
  peers_.push_back(&peer);
}

void AcceptedOffer::remove_peer(const Peer& peer) noexcept {
  const std::lock_guard lock(peers_mutex_);
  std::erase(peers_, &peer);
}

bool AcceptedOffer::has_peer(const Peer* peer) noexcept {
  const std::lock_guard lock(peers_mutex_);
  return std::find(peers_.begin(), peers_.end(), peer) != peers_.end();
}

/// Makes the connection for the calls of the peer. Called with the lock.
ClientConnectionPtr AcceptedOffer::connect() {
  auto connection = core_.connections().make_connection(split_->make_end(SplitChannel::Role::caller),
                                                        "connection that " + peer_.address + " has opened");
  connection->set_opened_by_peer();
  set_caller(*split_, connection);
  if (!add_lane_) return connection;
  split_->serve_concurrently([weak = weak_from_this(), add = add_lane_] {
    const auto offer = weak.lock();
    return offer == nullptr || add(offer);
  });
  return connection;
}

/// Warns of the addresses that the peer may not claim for references of others.
void AcceptedOffer::warn_of_others(const std::vector<giop::ListenPoint>& points) const {
  if (core_.accepts_bidirectional() != Options::AcceptBidirectional::any) return;
  std::string rejected;
  for (const giop::ListenPoint& point : points) {
    if (!ListenPointClaims::may_claim(peer_, point)) rejected.append(" ").append(address_of(point));
  }
  if (rejected.empty()) return;
  log::write_limited(log::Level::warn, "listen points of others", log::origin(peer_), [&] {
    return "the addresses that " + peer_.address + " claims are not known to be its own:" + rejected +
           "; only references that it has sent itself are called over its connection (docs/bidirectional.md)";
  });
}

Result<void> AcceptedOffer::take(const giop::ServiceContexts& contexts, giop::Version version) {
  const auto context = contexts.find(giop::context_id::kBiDirIiop);
  if (!context || version < giop::kGiop12) return {};
  const std::lock_guard lock(mutex_);
  if (connection_ && std::equal(context->begin(), context->end(), last_context_.begin(), last_context_.end()))
    return {};
  auto points = giop::decode_listen_points(*context);
  if (!points) return Error{ErrorKind::disconnected, points.error().message};
  std::erase_if(*points, [this](const giop::ListenPoint& point) {
    return std::find(points_.begin(), points_.end(), point) != points_.end();
  });
  if (points_.size() + points->size() > giop::kMaxListenPoints) {
    return Error{ErrorKind::disconnected,
                 "over " + std::to_string(giop::kMaxListenPoints) + " listen points in BI_DIR_IIOP contexts"};
  }
  if (points->empty() && points_.empty()) return {};  // nothing can be called
  if (!connection_) connection_ = connect();
  if (!core_.claims().add({connection_, identity_, this, secure_, peer_}, *points)) {
    log::write_limited(log::Level::warn, "listen points", log::origin(peer_), [&] {
      return "listen points of " + peer_.address + " ignored: there are " +
             std::to_string(ListenPointClaims::kMaxClaims) + " of all connections, or " +
             std::to_string(ListenPointClaims::kMaxClaimsOfPeer) + " of this peer";
    });
    last_context_.assign(context->begin(), context->end());  // not looked up again for each request
    return {};
  }
  warn_of_others(*points);
  log::write_limited(log::Level::debug, "listen points", log::origin(peer_), [&] {
    std::string all;
    for (const giop::ListenPoint& point : *points) all.append(" ").append(address_of(point));
    return "objects at" + all + " are called over the connection that " + peer_.address + " has opened";
  });
  is_taken_.store(true, std::memory_order_relaxed);
  points_.insert(points_.end(), points->begin(), points->end());
  last_context_.assign(context->begin(), context->end());
  return {};
}

}  // namespace orbweaver::orb
