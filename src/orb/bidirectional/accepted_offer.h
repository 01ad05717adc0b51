#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "giop/bidirectional.h"
#include "giop/message.h"
#include "giop/service_context.h"
#include "orb/bidirectional/reference_source.h"
#include "orb/bidirectional/split_channel.h"
#include "orb/client/client_connection.h"

namespace orbweaver::orb {

/// The offer of one accepted connection to be used for calls of its peer: reads the BI_DIR_IIOP contexts of
/// its requests (CORBA 3.3 part 2, 9.8.1), and registers the connection with ListenPointClaims. Also the
/// source of the references in its requests. Shared by the server connections of the channel. Thread-safe.
class AcceptedOffer final : public ReferenceSource, public std::enable_shared_from_this<AcceptedOffer> {
 public:
  using AddLane = std::function<bool(const std::shared_ptr<AcceptedOffer>& offer)>;
  /// `peer`: that of the channel. `secure`: whether its transport is. `add_lane`: see
  /// SplitChannel::serve_concurrently; empty: there is one lane.
  AcceptedOffer(Core& core, std::shared_ptr<SplitChannel> split, Peer peer, bool secure, AddLane add_lane);
  /// Ends the offer; calls in progress over the connection fail.
  ~AcceptedOffer();

  /// Takes the offer of a request. Contexts of GIOP 1.0 and 1.1 have no effect (9.8). Fails with
  /// ErrorKind::disconnected if it is malformed or too large; the connection is to be closed.
  Result<void> take(const giop::ServiceContexts& contexts, giop::Version version);
  /// Whether an offer has been taken, with at least one address: the peer may be called, and keeps the
  /// connection open for that. Any thread.
  bool is_taken() const noexcept { return is_taken_.load(std::memory_order_relaxed); }
  SplitChannel& split() const noexcept { return *split_; }

  /// Server connections register their peer, as returned by orbweaver::peer in their upcalls.
  void add_peer(const Peer& peer);
  void remove_peer(const Peer& peer) noexcept;
  bool has_peer(const Peer* peer) noexcept;

  std::shared_ptr<cdr::Broker> hold() override;
  std::shared_ptr<Core> core_of_references() override;
  const std::string& offering_peer() const noexcept override { return identity_; }

 private:
  ClientConnectionPtr connect();
  void warn_of_others(const std::vector<giop::ListenPoint>& points) const;

  Core& core_;
  const std::shared_ptr<SplitChannel> split_;
  const Peer peer_;
  const bool secure_;
  const std::string identity_;
  const AddLane add_lane_;
  std::mutex peers_mutex_;
  std::vector<const Peer*> peers_;  // guarded by peers_mutex_
  std::mutex mutex_;                // guards the rest; locked before that of ListenPointClaims
  std::vector<std::uint8_t> last_context_;
  std::vector<giop::ListenPoint> points_;
  ClientConnectionPtr connection_;
  std::atomic<bool> is_taken_{false};
};

}  // namespace orbweaver::orb
