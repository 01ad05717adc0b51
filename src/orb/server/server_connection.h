#pragma once

#include <orbweaver/detail/cdr/scratch.h>

#include <atomic>
#include <memory>
#include <optional>

#include "giop/fragment.h"
#include "giop/request.h"
#include "orb/server/concurrent_requests.h"
#include "orb/server/deferred_replies.h"
#include "orb/server/incoming_connections.h"
#include "orb/server/reply_sender.h"
#include "orb/server/request_header_cache.h"
#include "orb/server/request_queue.h"
#include "orb/server/served_request.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class AcceptedOffer;
class Core;
class ReferenceSource;
class SplitChannel;

/// Server end of a connection: one thread at a time reads requests, serves them and sends the replies, in
/// order of arrival. Requests for objects with a RequestQueue are put into their queues; with -ORBThreads
/// unordered:N, the other requests are served by several threads, in any order. A protocol violation of the
/// peer closes its connection and nothing else.
class ServerConnection final {
 public:
  using MayBlock = orb::MayBlock;
  /// `transport`: name of the channel's transport. `admission` may be null. `handler`: of the connection, in
  /// the reactor of `core`; null if the connection has a thread of its own.
  ServerConnection(Core& core, std::unique_ptr<transport::Channel> channel, const char* transport,
                   std::unique_ptr<IncomingConnections::Admission> admission,
                   MayBlock may_block = MayBlock::yes, EventHandler* handler = nullptr);
  ~ServerConnection();

  /// Lets the peer be called over the connection if it offers that. Before the first request.
  void accept_offers(std::shared_ptr<AcceptedOffer> offer);
  /// Only objects of POAs whose BidirectionalPolicy is BOTH are served: this process has opened the
  /// connection. Before the first request.
  /// `split`: the divided channel of the connection.
  void serve_bidirectional_only(SplitChannel& split) noexcept;

  /// Serves until the peer disconnects or `close_orderly` is called. Called by the connection's own thread.
  void serve();

  /// Result of `serve_one`.
  enum class ServeResult : std::uint8_t {
    request,         ///< A message was served.
    no_message,      ///< No message has arrived.
    parked,          ///< A POA manager is holding, or a queue is full. The next call tries again.
    reply_deferred,  ///< Served, but the client does not read; `send_deferred_reply` sends the reply.
    detached,        ///< A request was read; `serve_detached` serves it.
    ended,           ///< The connection is unusable.
  };
  /// Serves one message if one has arrived. For MayBlock::no; one thread at a time, like the functions of
  /// deferred replies.
  ServeResult serve_one();
  /// Serves a request that `serve_one` has detached; called once for each. Any thread.
  void serve_detached() noexcept;
  /// Sends the deferred reply; blocks until the client has read it. Any one thread.
  void send_deferred_reply() { replies_.send_deferred_reply(); }
  /// Called after `send_deferred_reply`. Returns false if the connection is unusable.
  bool finish_deferred_reply();

  transport::Channel& channel() noexcept { return *channel_; }
  /// Null: the channel cannot be polled.
  transport::Readiness* readiness() noexcept { return readiness_; }
  /// Sends CloseConnection, which tells the client that requests without a reply were not executed (CORBA 3.3
  /// part 2, 9.4.7), and closes: at once, or after the request in progress. A client that does not read is
  /// waited for until `deadline`. Any thread.
  void close_orderly(transport::Deadline deadline);
  /// Calls `close_orderly` if no message has arrived for `first_ns` since the connection was accepted, or for
  /// `idle_ns` since the last message; 0: no limit. Called periodically, by one thread at a time.
  void close_if_idle(std::int64_t now_ns, std::int64_t first_ns, std::int64_t idle_ns);
  /// Calls `close_orderly` if the access rules do not admit the peer and it has kept the connection open for
  /// `timeout_ns`. Called as `close_if_idle`.
  void close_if_rejected(std::int64_t now_ns, std::int64_t timeout_ns);
  /// Closes the connection if the client has not read a reply, or a fragment of one, within the time of
  /// reply_time_limit_ns, or if a bidirectional connection is blocked; 0: no limit. Called as
  /// `close_if_idle`.
  void close_if_reply_unread(std::int64_t now_ns, std::int64_t timeout_ns);
  /// Returns when no request of this connection is in the queue of an object, and no reply of one waits for
  /// the client. For the connection's thread.
  void wait_for_queued() noexcept;
  /// Completes the shutdown of concurrent service, when no request is in work: drops the requests held by POA
  /// managers, waits until `deadline` for replies that the client does not read, and sends CloseConnection.
  void close_concurrent_by(transport::Deadline deadline) noexcept;
  /// Closes the connection at shutdown, with a warning, because the client does not read its reply.
  void leave_behind() noexcept;
  /// Sends CloseConnection on a channel that will not be served and closes it. Never blocks.
  static void reject(transport::Channel& channel) noexcept;
  void close() noexcept { channel_->close(); }
  /// Closes the channel when its handler or thread ends, unless CloseConnection has been sent, or is about to
  /// be: that closes it.
  void end() noexcept {
    if (!close_connection_sent_.load()) close();
  }
  /// See ReplySender::sequence. Any thread.
  std::uint32_t send_sequence() const noexcept { return replies_.sequence(); }

 private:
  friend class Upcall;

  /// For the first frame of a message that is not served, as the connection is closing.
  void put_back(Bytes frame) noexcept;
  /// Called when a request is executed outside of the turn that has read it, or is answered later.
  void owe_replies() noexcept;
  ServeResult serve_frame(Bytes frame);
  /// As `serve_frame`, without `begin_serving`.
  ServeResult serve_begun_frame(Bytes frame);
  ServeResult serve_uncached_frame(Bytes frame);
  ServeResult serve_parked();
  ServeResult handle_parked_message();
  // Replies that are given later:
  /// Any thread that executes a request of this connection.
  std::shared_ptr<DeferredReplies> deferred_replies();
  bool awaits_deferred_replies() const noexcept;
  ServeResult begin_deferring(bool is_usable);
  /// Replies to all such requests with COMM_FAILURE, since the connection is about to be closed.
  void reply_to_deferred();
  // Concurrent service:
  bool is_unordered() const noexcept;
  std::unique_ptr<ConcurrentRequests> make_concurrent_requests();
  /// Executes a turn: reads a message until `deadline`, or tries the parked one again.
  ServeResult serve_turn(transport::Deadline deadline);
  ServeResult serve_parked_turn();
  /// Begins to serve a message. Returns false if the connection is to close.
  bool begin_turn();
  /// The end of a turn of a connection that is to close: the reactor keeps the handler until the replies of
  /// its requests are sent.
  ServeResult end_closing();
  /// Ends a turn, unless its message is parked.
  class TurnEnd {
   public:
    explicit TurnEnd(ServerConnection& connection) : connection_(connection) { connection.detached_ = false; }
    ~TurnEnd() {
      if (connection_.turn_is_parked_) return;
      if (connection_.space_ != nullptr) connection_.space_->cancel();  // after an error
      connection_.concurrent_->end_turn();
    }
    TurnEnd(const TurnEnd&) = delete;
    TurnEnd& operator=(const TurnEnd&) = delete;
    /// Returns the result of the turn.
    ServeResult of(ServeResult result) {
      connection_.turn_is_parked_ = result == ServeResult::parked;
      if (connection_.turn_is_parked_) connection_.concurrent_parked_.store(true, std::memory_order_relaxed);
      return connection_.detached_ && result == ServeResult::request ? ServeResult::detached : result;
    }

   private:
    ServerConnection& connection_;
  };
  ServeResult serve_read_message(Bytes frame);
  /// Serves messages in a thread of the connection, after a request has been put into a queue.
  void serve_with_queues();
  /// Puts the parked message into `target_queue_`; the first one of the connection begins concurrent service.
  ServeResult queue_message();
  ServeResult queue_first_message();
  /// Counts the parked message, which waits for space. Returns false beyond -ORBTune service-bytes.
  bool count_waiting();
  /// Rejects the parked message with TRANSIENT.
  ServeResult reject_parked_message();
  class RequestInQueue;
  /// Returns false if a POA manager is holding.
  bool serve_queued(DetachedRequest& request) noexcept;
  /// Waits a second at most for replies that the client does not read. For the thread of a queue or a thread
  /// pool.
  void wait_for_unread_replies() noexcept;
  /// The request queue of an object, in which requests are to be put; null: none.
  std::shared_ptr<RequestQueue> queue_of(const giop::Target& target);
  /// Whether the object has a request queue; then the message is held, to be put into that queue.
  /// `pools`: also if its requests are passed on to a thread pool.
  enum class Pools : bool { no, yes };
  bool holds_for_queue(const giop::Target& target, Pools pools = Pools::yes);
  /// Priority of the parked request, for the pool of `target_queue_`.
  std::int16_t parked_priority() noexcept;
  /// Detaches a request. Returns false if it exceeds -ORBTune service-bytes.
  bool detach(Bytes message, const giop::MessageHeader& header);
  /// Serves a detached request. Returns false if the connection is unusable.
  bool serve(DetachedRequest& request);
  /// Begins to serve a message. Returns false if the connection is to close; CloseConnection has been sent.
  bool begin_serving();
  ServeResult complete_message(bool is_usable);
  ServeResult complete_unusual_message(bool is_usable);
  /// Marks the connection idle. Returns false if it is to close; CloseConnection has been sent.
  bool become_idle();
  /// Sends CloseConnection. Returns false.
  bool close_between_requests();

  bool handle(Bytes message, const giop::MessageHeader& header);
  bool cancel(cdr::Decoder& in);
  bool request(cdr::Decoder& in, Bytes message, const giop::MessageHeader& header);
  bool locate(cdr::Decoder& in, const giop::MessageHeader& header, ServedRequest& served);
  /// GIOP version of CloseConnection and MessageError: that of the client, as a GIOP 1.0 client need not
  /// accept 1.2 messages. Any thread.
  giop::Version client_version() const noexcept {
    return {1, minor_version_.load(std::memory_order_relaxed)};
  }
  void send_close_connection(transport::Deadline deadline);
  void send_message_error();
  [[gnu::cold]] void log_end(const Error& error) const;
  void close_with_warning(const std::string& why) { orb::close_with_warning(*channel_, peer_, why); }

  /// Whether a request for an object would be served.
  bool serves(Bytes object_key);
  /// Takes the offer in the contexts of a request. Returns false if it violates the protocol.
  bool take_offer(const giop::RequestHeader& request, giop::Version version);
  /// Raises NO_PERMISSION if the access rules do not admit the peer, and closes the connection after the
  /// reply. Raises TRANSIENT if -ORBTune service-bytes is reached, unless the request will be queued.
  void check_admission(const giop::Target& target);
  /// Raises TRANSIENT if the client has cancelled this request, which was not served in its turn.
  void check_cancelled(std::uint32_t request_id);
  /// Counts a request of `bytes` bytes in the service budget.
  void count_request(std::size_t bytes) noexcept;
  /// Whether unread input is waiting, as far as another thread can tell without side effects. Any thread.
  bool has_input() noexcept;

  Core& core_;
  const MayBlock may_block_;
  std::unique_ptr<transport::Channel> channel_;
  transport::Readiness* const readiness_;
  ReferenceSource* source_;               // of the references in requests
  std::shared_ptr<AcceptedOffer> offer_;  // null: the connection is not bidirectional
  // Of a bidirectional connection; channel_ keeps it alive. The thread of the time limits loads it.
  std::atomic<SplitChannel*> split_{nullptr};
  bool bidirectional_only_ = false;
  bool owes_replies_ = false;  // `owe_replies` was called
  Peer peer_;                  // as returned by orbweaver::peer in upcalls
  bool admitted_ = true;       // by the access rules; false: the first request is answered NO_PERMISSION
  std::atomic<bool> is_concurrent_;             // concurrent_ is set
  std::atomic<bool> concurrent_parked_{false};  // used by share_, which outlives concurrent_
  ReceiveBudget::Share share_;                  // for fragments
  ServiceBudget::Share service_;                // for the request and the reply
  bool over_budget_ = false;                    // the request is rejected
  bool pool_is_full_ = false;                   // by a thread pool
  giop::FragmentAssembler assembler_;
  RequestHeaderCache header_cache_;
  cdr::Scratch scratch_;
  EventHandler* const handler_;                     // null: the connection has a thread of its own
  std::unique_ptr<ConcurrentRequests> concurrent_;  // null: requests are served one at a time
  std::mutex deferred_mutex_;                       // for the creation of deferred_
  std::shared_ptr<DeferredReplies> deferred_;       // null: none yet
  std::atomic<bool> has_deferred_{false};           // deferred_ is set, and changes no more
  bool detached_ = false;                           // the message of this turn is a detached request
  bool turn_is_parked_ = false;                     // a turn of concurrent_ that has not ended
  std::shared_ptr<RequestQueue> target_queue_;      // of the object of the parked message
  std::unique_ptr<RequestQueue::Space> space_;      // for that message; null before the first one
  std::unique_ptr<ServiceBudget::Share> waiting_;   // counts that message while it waits; null: not counted
  ReplySender replies_;
  // No request needs more than its reply: the peer is admitted, the sender is plain, no request is parked.
  bool is_plain_connection_;
  // The request being served in a turn; `is_plain`: also, its bytes are not counted.
  ServedRequest served_;
  // For MayBlock::no: the parked message, in the channel or the assembler until it is served.
  Bytes parked_message_;
  giop::MessageHeader parked_header_;
  const bool polls_descriptor_;
  // Right to send: the serving thread while the state is `serving`, else the closing thread. One of the two
  // sees the other (platform/asymmetric_fence.h), and only one sends CloseConnection. In the other states
  // close_if_idle may set `seen_idle`; the next message replaces it at no extra cost.
  enum class State : std::uint8_t { fresh, serving, idle, seen_idle, parked };
  std::atomic<State> state_{State::fresh};
  std::atomic<bool> closing_{false};
  std::atomic<bool> close_connection_sent_{false};
  std::atomic<std::uint8_t> minor_version_{giop::kGiop12.minor};  // of the last GIOP message received
  // Used by the thread of the time limits: when the connection was first seen idle, and when it was first
  // seen sending this reply.
  std::int64_t idle_since_ns_;
  std::int64_t reply_unsent_since_ns_ = 0;
  std::uint32_t seen_send_sequence_ = 0;
  std::unique_ptr<IncomingConnections::Admission> admission_;
};

}  // namespace orbweaver::orb
