#pragma once

#include <orbweaver/reference.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "orb/client/connection_state.h"
#include "orb/client/outgoing_connections.h"
#include "orb/client/reply_reader.h"
#include "orb/client/reply_table.h"
#include "orb/client/request_sender.h"
#include "orb/flushable.h"
#include "platform/fd.h"
#include "transport/transport.h"

namespace orbweaver {

namespace orb {
class AsyncReplies;
class Core;
}  // namespace orb

/// Client end of a connection: a RequestSender and a ReplyReader over one channel, with the ReplyTable
/// between them. Thread-safe; reference-counted, because references and calls in progress share it.
///
/// Lock order: send lock, reader role (tried only), mutexes of the ReplyTable and of QueuedCalls. A thread
/// with the reader role takes the send lock only to close the connection, if it is free.
class ClientConnection final : public orb::Flushable {
 public:
  using Deadline = transport::Deadline;
  using Reply = orb::Reply;

  /// `reactor`: the reactor of -ORBThreads single or pool:N, else null; it outlives all calls. `budget`, if
  /// not null, counts the bytes of incomplete replies.
  ClientConnection(std::unique_ptr<transport::Channel> channel, std::string description,
                   std::size_t max_message_bytes, orb::Reactor* reactor = nullptr,
                   std::shared_ptr<ReceiveBudget> budget = nullptr);

  /// Sets the batching of one-way calls. Before the first call.
  void set_batching(const Batching& batching) noexcept { sender_.set_batching(batching); }
  /// Sets the limits of queued calls with SYNC_NONE. Before the first call.
  void set_queueing(orb::SendQueueing& queueing) noexcept { sender_.queued_requests().set(queueing); }
  /// Marks the transport as unreliable. Before the first call.
  void set_unreliable() noexcept {
    sender_.set_unreliable();
    replies_.set_unreliable();
  }
  /// Takes the registration with the limits of outgoing connections, which may close this connection while no
  /// call uses it. Null: none. Before the first call.
  void take(std::unique_ptr<orb::OutgoingConnections::Place> place) noexcept {
    place_ = std::move(place);
    if (place_ != nullptr) place_->watch(*this);
  }

  /// Takes the registration with the limits of outgoing connections, without being closed while no call uses
  /// this connection: its peer may call over it. Before the first call.
  void keep(std::unique_ptr<orb::OutgoingConnections::Place> place) noexcept { place_ = std::move(place); }

  /// Marks a connection that the peer has opened, and offered for calls. Before the first call.
  void set_opened_by_peer() noexcept {
    is_opened_by_peer_ = true;
    sender_.use_odd_ids();
  }
  bool is_opened_by_peer() const noexcept { return is_opened_by_peer_; }

  orb::RequestSender& sender() noexcept { return sender_; }
  const orb::RequestSender& sender() const noexcept { return sender_; }
  orb::ReplyReader& reader() noexcept { return reader_; }
  orb::ReplyTable& replies() noexcept { return replies_; }

  /// False once the connection has failed or was closed by the server. It is then replaced by a new one.
  bool usable() const noexcept { return state_.usable.load(std::memory_order_acquire); }
  /// Whether the server sent CloseConnection: requests without a reply were not executed and may be repeated
  /// (CORBA 3.3 part 2, 9.4.7).
  bool closed_orderly() const noexcept { return state_.closed_orderly.load(std::memory_order_acquire); }
  const std::string& description() const noexcept { return state_.description; }
  /// Sends what is queued, for 100 ms at most, and closes the channel: at once if another call is sending.
  /// Any thread.
  void close() noexcept;
  /// As `close`, but waits until `deadline` for a thread that is sending, and for the transport.
  void close_until(Deadline deadline) noexcept;
  /// Closes the connection if no call uses it: nothing is queued and no reply awaited. Returns the channel,
  /// whose destruction closes the descriptors; null if a call uses it. Any thread.
  std::unique_ptr<transport::Channel> close_if_unused();
  /// Activity counter: changes when a message is sent or a reply received.
  std::uint64_t messages_seen() const noexcept {
    return sender_.send_position() + replies_.replies_received();
  }
  /// The asynchronous calls of this connection. `core`: its ORB, which outlives it.
  orb::AsyncReplies& async_replies(orb::Core& core) {
    orb::AsyncReplies* const replies = replies_.async();
    return replies != nullptr ? *replies : make_async_replies(core);
  }
  /// Another descriptor of the channel's Readiness, for the reactor; -1 once the connection is closed, or if
  /// no descriptor is left.
  platform::Fd duplicate_descriptor() const noexcept;
  /// The channel's; null: none. Called by the reader.
  transport::Readiness* readiness_as_reader() const noexcept {
    return state_.channel->capabilities().readiness;
  }
  /// See Flushable.
  std::int64_t async_due() override;
  std::int64_t flush_due() override { return sender_.flush_due(); }
  std::int64_t send_queued_due() override { return sender_.queued_requests().send_due(); }
  void send_queued_waiting() override { sender_.queued_requests().send_waiting(); }
  void end_send_queued_waiting() noexcept override { state_.close(); }

 private:
  ~ClientConnection() override;
  void close_for_limit(const std::string& why);
  orb::AsyncReplies& make_async_replies(orb::Core& core);

  std::unique_ptr<orb::OutgoingConnections::Place> place_;
  bool is_opened_by_peer_ = false;
  orb::ConnectionState state_;
  orb::ReplyTable replies_;
  orb::RequestSender sender_;
  orb::ReplyReader reader_;  // its share of the receive budget calls back
  int descriptor_ = -1;      // of the channel, in an ORB with a reactor; guarded by state_.channel_mutex
  std::mutex async_mutex_;   // for the creation of the next one
  std::unique_ptr<orb::AsyncReplies> async_replies_;
};

using ClientConnectionPtr = CORBA::object_reference<ClientConnection>;

}  // namespace orbweaver
