#pragma once

#include <orbweaver/reference.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "giop/fragment.h"
#include "giop/locate.h"
#include "giop/reply.h"
#include "orb/client/outgoing_connections.h"
#include "orb/flushable.h"
#include "orb/fragmented_message.h"
#include "platform/timed_mutex.h"
#include "transport/transport.h"

namespace orbweaver {

namespace orb {
class Reactor;
}

/// Client end of a connection: sends requests and delivers each reply to the thread that waits for it.
///
/// Has no thread of its own: a thread that waits for a reply reads the channel itself (the *reader*),
/// delivers the replies of other threads, and passes the role on when its own reply has arrived
/// (leader/followers). With one caller at a time there is no thread switch. Thread-safe; reference-counted,
/// because references and calls in progress share it.
///
/// The thread of a single-threaded ORB serves requests while it waits: the reply may depend on an upcall in
/// this ORB.
class ClientConnection final : public orb::Flushable {
 public:
  using Deadline = transport::Deadline;

  /// `reactor`: the reactor of -ORBThreads single or pool:N, else null; it outlives all calls. `budget`, if
  /// not null, counts the bytes of incomplete replies.
  ClientConnection(std::unique_ptr<transport::Channel> channel, std::string description,
                   std::size_t max_message_bytes, orb::Reactor* reactor = nullptr,
                   std::shared_ptr<ReceiveBudget> budget = nullptr);

  /// Size of the message and reply header of a GIOP 1.2 reply without contexts; the body follows, aligned to
  /// 8.
  static constexpr std::size_t kPlainReplyBytes = 24;

  /// A reply or locate reply. `message` is valid until `release`.
  struct Reply {
    giop::MessageHeader header;
    Bytes message;
    bool plain = false;       ///< NO_EXCEPTION without contexts; the body begins at kPlainReplyBytes.
    bool in_channel = false;  ///< This thread is the reader, and `message` is in the channel's buffer.
    std::vector<std::uint8_t> copied_message;  ///< Storage of `message` otherwise.
  };

  /// Sets the batching of one-way calls. Before the first call.
  void set_batching(const Batching& batching) noexcept { batching_ = batching; }
  /// Marks the transport as unreliable. Before the first call.
  void set_unreliable() noexcept { is_unreliable_ = true; }
  /// Takes the registration with the limits of outgoing connections, which may close this connection while no
  /// call uses it. Null: none. Before the first call.
  void take(std::unique_ptr<orb::OutgoingConnections::Place> place) noexcept {
    place_ = std::move(place);
    if (place_ != nullptr) place_->watch(*this);
  }

  /// Takes the send lock and claims a buffer for one message, both until `deadline`. On success the lock is
  /// held until `commit` or `abandon`. After an idle time it is first checked whether the server has closed
  /// the connection.
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline);
  std::uint32_t next_request_id() noexcept { return ++last_request_id_; }  ///< Between claim and commit.
  /// Stream position of the next message, in bytes. Between claim and commit.
  std::uint64_t send_position() const noexcept { return committed_.load(std::memory_order_relaxed); }
  /// Sends the claimed message; a one-way call may be queued instead. `two_way`: a reply will be awaited. A
  /// message whose commit fails is never received completely. After ErrorKind::timed_out the connection is
  /// unchanged if nothing of the message was sent, and no longer usable if a part was.
  Result<void> commit(std::size_t bytes, bool two_way, Deadline deadline);
  /// Releases the claimed buffer and the send lock without sending.
  void abandon() noexcept;
  /// Whether messages can be sent in fragments. After `claim` of one fragment's buffer the encoder is given
  /// the result of `send_in_fragments`; `commit` or `abandon` ends the message as usual.
  bool allows_fragments() const noexcept { return takes_fragments_; }
  cdr::OverflowHandler& send_in_fragments(MutableBytes room, std::uint32_t request_id, bool two_way,
                                          Deadline deadline);
  /// Whether encoding stopped because a fragment could not be sent; `commit` then returns the error.
  bool fragment_failed() const noexcept { return fragments_ && fragments_->failure() != nullptr; }
  /// Sends the queued messages. After ErrorKind::timed_out they stay queued.
  Result<void> flush(Deadline deadline);
  /// Upper bound of the queued one-way calls known to be lost: not sent, or not received by the server's
  /// host. 0 while the connection is usable. Any thread.
  std::uint64_t lost_calls() const noexcept;
  /// See Flushable.
  std::int64_t flush_due() override;
  /// See Channel::put_prefix. Between claim and commit.
  void put_prefix(MutableBytes room, const transport::FramePrefix& head) noexcept {
    channel_->put_prefix(room, head);
  }
  /// Whether a large block of the arguments may be sent from its own memory; `attach_segment` announces it
  /// before commit.
  bool gathers(bool two_way) const noexcept {
    return (two_way || batching_.delay_ns == 0) && channel_->gathers();
  }
  void attach_segment(std::size_t at, Bytes bytes) noexcept { channel_->attach_segment(at, bytes); }
  /// Sender of shared blocks; null if the channel has none. Used between claim and commit or abandon.
  BlockSender* block_sender() noexcept { return block_sender_; }

  /// Waits for the reply to `request_id`. After an error a later reply to it is ignored.
  Result<void> await(std::uint32_t request_id, Deadline deadline, Reply& reply);
  /// Releases the message of `reply` and, if it is in the channel, the reader role.
  void release(Reply& reply) noexcept;
  /// Whether the server's host is known not to have received the message at `send_position`. After `await`
  /// has failed.
  bool was_not_received(std::uint64_t send_position) const noexcept {
    const std::size_t undelivered = undelivered_bytes();
    return undelivered != 0 && send_position + undelivered >= committed_.load(std::memory_order_acquire);
  }

  /// Whether a reply is outstanding, so that a further two-way call would wait behind another. Lock-free on
  /// reliable transports.
  bool has_outstanding_replies() const noexcept {
    if (outstanding_replies() <= incomplete_count_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    return !is_unreliable_ || has_outstanding_beyond_lost();
  }
  /// False once the connection has failed or was closed by the server. It is then replaced by a new one.
  bool usable() const noexcept { return usable_.load(std::memory_order_acquire); }
  /// Whether the server sent CloseConnection: requests without a reply were not executed and may be repeated
  /// (CORBA 3.3 part 2, 9.4.7).
  bool closed_orderly() const noexcept { return closed_orderly_.load(std::memory_order_acquire); }
  const std::string& description() const noexcept { return description_; }
  void close() noexcept;
  /// Closes the connection if no call uses it: nothing is queued and no reply awaited. Returns the channel,
  /// whose destruction closes the descriptors; null if a call uses it. Any thread.
  std::unique_ptr<transport::Channel> close_if_unused();
  /// Activity counter: changes when a message is sent or a reply received.
  std::uint64_t messages_seen() const noexcept {
    return committed_.load(std::memory_order_relaxed) + replies_received_.load(std::memory_order_relaxed);
  }
  /// Time of the last request (now_ns); 0 if it is not recorded.
  std::int64_t used_ns() const noexcept {
    return checks_after_idle_ ? last_used_ns_.load(std::memory_order_relaxed) : 0;
  }
  /// Checks without blocking whether the server has closed the connection. Any thread.
  void check_for_close();

  /// Whether the CodeSets context has been sent; sets it to true. Between claim and commit.
  bool exchange_code_sets_sent() noexcept {
    if (!code_sets_sent_) code_sets_request_ = last_request_id_;
    return std::exchange(code_sets_sent_, true);
  }
  /// Undoes `exchange_code_sets_sent` for a request that is about to be abandoned.
  void clear_code_sets_sent() noexcept { code_sets_sent_ = false; }

 private:
  struct PendingReply {
    std::uint32_t request_id;
    Reply* reply;
    bool ready = false;
  };
  struct EarlyReply {  // arrived before the thread that sent the request came to wait for it
    std::uint32_t request_id;
    giop::MessageHeader header;
    std::vector<std::uint8_t> bytes;
  };

  ~ClientConnection() override;
  Result<void> lock_to_send(Deadline deadline);
  void check_after_idle();
  void read_pending();
  Result<void> queue(std::size_t bytes, Deadline deadline);
  Result<void> handle_send_failure(std::size_t bytes, bool two_way, bool begun, Error error);
  bool is_open() noexcept;
  Error close_sending(Error error);
  void mark_queue_sent() noexcept;
  void fail_queued_calls(const std::string& why) noexcept;
  void end(const std::string& why);
  void cancel_fragments() noexcept;
  void mark_incomplete(std::uint32_t request_id) noexcept;
  std::size_t find_incomplete(std::uint32_t request_id) const noexcept;
  bool is_reply_expected(std::uint32_t request_id) const noexcept;
  void count_request(int requests) noexcept {
    requests_sent_.store(
        requests_sent_.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(requests),
        std::memory_order_release);
  }
  Result<MutableBytes> claim_blocking(std::size_t bytes, Deadline deadline);
  Result<MutableBytes> claim_while_serving(std::size_t bytes, Deadline deadline);
  Result<void> await_blocking(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<void> await_while_serving(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<bool> poll_reply(std::uint32_t request_id, Reply& reply);
  void wait_while_serving(Deadline deadline);
  Result<bool> wait_as_follower(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<void> read_until(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<void> read_frames(std::uint32_t request_id, Deadline deadline, Reply& reply, bool& has_frame);
  bool take_early_reply(std::uint32_t request_id, Reply& reply);
  bool take_early_reply_locked(std::uint32_t request_id, Reply& reply);
  void deliver_reply(std::uint32_t request_id, const giop::MessageHeader& header, Bytes message);
  Result<void> control(const giop::MessageHeader& header);
  void release_reader_role() noexcept;
  Error end_reading(Error error) noexcept;
  Error fail(Error error) noexcept;
  void ignore_reply(std::uint32_t request_id) noexcept;
  bool has_outstanding_beyond_lost() const noexcept;
  /// Two-way requests without a reply. The replies are loaded first, so that their number never exceeds that
  /// of the requests.
  std::uint64_t outstanding_replies() const noexcept {
    const std::uint64_t received = replies_received_.load(std::memory_order_relaxed);
    const std::uint64_t sent = requests_sent_.load(std::memory_order_acquire);
    return sent > received ? sent - received : 0;
  }
  void count_reply() noexcept;

  std::size_t undelivered_bytes() const noexcept;

  // Replaced once, by `close_if_unused`, which holds the send lock, the reader role and this mutex. A thread
  // that has neither of the first two takes the mutex.
  mutable std::mutex channel_mutex_;
  std::unique_ptr<transport::Channel> channel_;
  std::unique_ptr<orb::OutgoingConnections::Place> place_;
  const bool takes_fragments_;
  BlockSender* const block_sender_;  // the channel's
  const std::string description_;
  orb::Reactor* const reactor_;

  platform::TimedMutex send_lock_;
  std::uint32_t last_request_id_ = 0;
  bool code_sets_sent_ = false;
  std::uint32_t code_sets_request_ = 0;  // request that carried the CodeSets context
  bool is_unreliable_ = false;
  Batching batching_;
  std::size_t queued_bytes_ = 0;  // guarded by send_lock_, like the members that follow
  std::int64_t queued_since_ns_ = 0;
  std::uint64_t queued_end_ = 0;  // end of the queued messages, as a position in committed_
  bool flush_scheduled_ = false;
  // queued one-way calls; lost if the connection is no longer usable
  std::atomic<std::uint64_t> unsent_calls_{0};
  // before sending after an idle time: the channel does not detect a disconnect itself
  const bool checks_after_idle_;
  std::atomic<std::int64_t> last_used_ns_{0};        // written with send_lock_
  std::optional<orb::FragmentedMessage> fragments_;  // the message being sent in fragments
  bool fragmented_is_two_way_ = false;               // counted in requests_sent_
  std::atomic<std::uint64_t> committed_{0};          // bytes of all messages; counted before they are sent

  // Reader role: held by the thread that changed this from false to true.
  std::atomic<bool> has_reader_{false};
  ReceiveBudget::Share share_;         // for the bytes in the assembler
  giop::FragmentAssembler assembler_;  // used by the reader

  // Two-way requests sent (written by the sender) and replies received (written by the reader): the server
  // cannot make this end store more replies than there were requests.
  std::atomic<std::uint64_t> requests_sent_{0};
  std::atomic<std::uint64_t> replies_received_{0};
  std::atomic<std::uint32_t> early_reply_count_{0};
  std::atomic<std::uint32_t> followers_{0};
  mutable std::mutex reply_mutex_;  // guards the rest
  std::condition_variable reply_changed_;
  std::vector<PendingReply*> pending_replies_;
  std::vector<EarlyReply> early_replies_;
  std::unordered_set<std::uint32_t> ignored_replies_;
  // The last batches sent: number of calls, and their end as a position in committed_.
  struct Batch {
    std::uint64_t end = 0, calls = 0;
  };
  static constexpr std::size_t kBatchesKept = 64;
  std::array<Batch, kBatchesKept> batches_;
  std::size_t next_batch_ = 0;
  // Requests counted in requests_sent_ that were not sent completely. The server may reply to them with an
  // exception; replies to the oldest beyond the limit are not expected.
  static constexpr std::size_t kMaxIncompleteRequests = 64;
  std::array<std::uint32_t, kMaxIncompleteRequests> incomplete_requests_;
  std::atomic<std::uint32_t> incomplete_count_{0};

  std::atomic<bool> usable_{true};
  std::atomic<bool> closed_orderly_{false};
};

using ClientConnectionPtr = CORBA::object_reference<ClientConnection>;

}  // namespace orbweaver
