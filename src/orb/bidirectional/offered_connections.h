#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "orb/bidirectional/own_listen_points.h"
#include "orb/bidirectional/split_channel.h"
#include "orb/client/client_connection.h"
#include "orb/server/served_connections.h"

namespace orbweaver::orb {

/// The connections that this process has opened and offered to their servers: serves the requests that
/// arrive over them, by a thread for each connection, or by the reactor of the ORB. Thread-safe.
class OfferedConnections {
 public:
  explicit OfferedConnections(Core& core);

  OwnListenPoints& listen_points() noexcept { return points_; }
  /// Whether a new connection with this channel can be offered.
  bool can_offer(const transport::Transport& transport, const transport::Channel& channel) const noexcept;
  /// Divides the channel of a new connection, which can be offered.
  std::shared_ptr<SplitChannel> divide(std::unique_ptr<transport::Channel> channel);
  /// Serves the requests that arrive over `connection`, which uses the caller's end of `split`. Fails with
  /// ErrorKind::unavailable if there is no thread, or no descriptor, for it.
  Result<void> serve(const std::shared_ptr<SplitChannel>& split, const ClientConnectionPtr& connection,
                     const transport::Transport& transport);
  /// Waits until the queued one-way calls of all connections are sent, at most until `deadline`.
  void wait_until_sent(transport::Deadline deadline);
  /// Sends the queued one-way calls, completes the requests in progress and sends CloseConnection, at the
  /// shutdown. With a reactor, that has done so.
  void close();

 private:
  std::unique_ptr<ServerConnection> make_lane(SplitChannel& split, const transport::Transport& transport);
  bool add_polled_lane(SplitChannel& split, const transport::Transport& transport);

  Core& core_;
  OwnListenPoints points_;
  ServedConnections served_;
  std::mutex mutex_;  // guards the rest
  std::list<CORBA::weak_object_reference<ClientConnection>> connections_;
};

}  // namespace orbweaver::orb
