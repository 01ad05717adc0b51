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
#include "orb/flushable.h"
#include "orb/fragmented_message.h"
#include "orb/outgoing_connections.h"
#include "platform/timed_lock.h"
#include "transport/transport.h"

namespace orbweaver {

namespace orb {
class Reactor;
}

/// The client's end of a connection: sends requests, and brings each reply to the thread that waits for it.
///
/// There is no thread of its own: whoever waits for a reply reads the channel itself (the *reader*), hands
/// replies of others over, and passes the role on when its own has come. With one caller at a time, no
/// thread is ever switched to. Any thread; counted, because references and calls in progress share it.
///
/// The thread that serves a single-threaded ORB serves on while it waits here: what it waits for may be an answer
/// that its own servants have to give first.
class ClientConnection final : public orb::Flushable {
 public:
  using Deadline = transport::Deadline;

  /// `reactor`: of an ORB whose threads do not belong to connections; it outlives all calls. Else null. `budget`, if any,
  /// counts replies of which fragments are missing.
  ClientConnection(std::unique_ptr<transport::Channel> channel, std::string description, std::size_t max_message_bytes,
                   orb::Reactor* reactor = nullptr, std::shared_ptr<ReceiveBudget> budget = nullptr);

  /// Message and reply header of a GIOP 1.2 reply without contexts; what follows is aligned to 8.
  static constexpr std::size_t kPlainReplyBytes = 24;

  /// A reply or locate reply, in the channel's or in its own storage until `release`.
  struct Reply {
    giop::MessageHeader header;
    Bytes message;
    bool plain = false;                  ///< NO_EXCEPTION without contexts; the results begin at kPlainReplyBytes.
    bool reading = false;                ///< This thread is the reader, and `message` lies in the channel.
    std::vector<std::uint8_t> handed_over;  ///< Otherwise the bytes are here.
  };

  /// Before the first call.
  void batch(const Batching& batching) noexcept { batching_ = batching; }
  /// Before the first call: its transport is not reliable.
  void may_lose_messages() noexcept { loses_messages_ = true; }
  /// Before the first call: counted there, and closed where no call uses it.
  void take(std::unique_ptr<orb::OutgoingConnections::Place> place) noexcept {
    place_ = std::move(place);
    if (place_ != nullptr) place_->watch(*this);
  }

  /// Takes the send lock and room for one message, both until `deadline`. On success the lock is held until
  /// `commit` or `abandon`. Where the connection was idle, the end of the server is noticed first.
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline);
  std::uint32_t next_request_id() noexcept { return ++last_request_id_; }  ///< Between claim and commit.
  /// Where in all that was sent the next message begins. Between claim and commit.
  std::uint64_t position() const noexcept { return committed_.load(std::memory_order_relaxed); }
  /// Sends; a one-way call may be queued instead. `two_way`: a reply will be awaited. A message whose commit fails, for
  /// whatever reason, is never received whole. Remedy::wait: the connection is as before where nothing of the message has
  /// left, and no longer usable where a part has.
  Result<void> commit(std::size_t bytes, bool two_way, Deadline deadline);
  void abandon() noexcept;
  /// May a message be sent in fragments? After `claim` of a fragment's room, instead of the whole message's, the encoder
  /// is given what `send_in_fragments` returns; `commit` or `abandon` ends the message as any other.
  bool takes_fragments() const noexcept { return takes_fragments_; }
  cdr::Overflow& send_in_fragments(MutableBytes room, std::uint32_t request_id, bool two_way, Deadline deadline);
  /// Has the encoder stopped because a fragment could not be sent? Then `commit` tells why.
  bool fragment_failed() const noexcept { return fragments_ && fragments_->failure() != nullptr; }
  /// Sends what is queued. Remedy::wait: it stays queued.
  Result<void> flush(Deadline deadline);
  /// How many one-way calls that were queued are known to be lost, at most: they were not sent, or not taken by the
  /// server's host. 0 while the connection is usable. Any thread.
  std::uint64_t lost_calls() const noexcept;
  std::int64_t flush_due() override;
  /// Between claim and commit: see Channel.
  void put_head(MutableBytes room, const transport::Head& head) noexcept { channel_->put_head(room, head); }
  /// May a large block of the arguments stay apart from the room that was claimed? Before commit, `borrow` tells of it.
  bool borrows(bool two_way) const noexcept { return (two_way || batching_.delay_ns == 0) && channel_->borrows(); }
  void borrow(std::size_t at, Bytes bytes) noexcept { channel_->borrow(at, bytes); }
  /// To be used between claim and commit or abandon.
  BlockSender* block_sender() noexcept { return block_sender_; }

  /// The reply to `request_id`, in the calling thread. After an error the request is forgotten: its reply,
  /// should it still come, is dropped.
  Result<void> await(std::uint32_t request_id, Deadline deadline, Reply& reply);
  void release(Reply& reply) noexcept;
  /// After `await` has failed: is it known that the server was gone before the message at that position came?
  bool never_arrived(std::uint64_t position) const noexcept {
    const std::size_t not_taken = bytes_not_taken();
    return not_taken != 0 && position + not_taken >= committed_.load(std::memory_order_acquire);
  }

  /// Does the server still owe a reply, so that a further two-way call would be served behind another? Without a lock.
  bool awaits_replies() const noexcept {
    if (owed_replies() <= withdrawn_count_.load(std::memory_order_relaxed)) [[likely]] return false;
    return !loses_messages_ || owes_more_than_lost();
  }
  /// Has it failed, or has the server closed it? Such a connection is replaced by a new one.
  bool usable() const noexcept { return usable_.load(std::memory_order_acquire); }
  /// The server said CloseConnection: what it has not answered it has not done, and may be sent again.
  bool closed_in_order() const noexcept { return closed_in_order_.load(std::memory_order_acquire); }
  const std::string& description() const noexcept { return description_; }
  void close() noexcept;
  /// Where no call uses it, so that nothing is queued and no reply awaited by anybody: it is closed, and no longer usable.
  /// Its channel, whose end gives the descriptors back; null where a call uses it. Any thread.
  std::unique_ptr<transport::Channel> close_if_unused();
  /// Another number than before where something was sent or a reply came meanwhile.
  std::uint64_t messages_seen() const noexcept {
    return committed_.load(std::memory_order_relaxed) + answered_.load(std::memory_order_relaxed);
  }
  /// When a request was sent last; 0 where that is not known.
  std::int64_t used_ns() const noexcept { return looks_ ? used_ns_.load(std::memory_order_relaxed) : 0; }
  /// Notices, without waiting, that the server has closed or died since anybody called it. Any thread.
  void look_for_end();

  /// Whether the CodeSets context has been sent; true from the first call on. Between claim and commit.
  bool code_sets_sent() noexcept {
    if (!code_sets_sent_) code_sets_request_ = last_request_id_;
    return std::exchange(code_sets_sent_, true);
  }
  /// They were in a request that is abandoned. Before that.
  void code_sets_unsent() noexcept { code_sets_sent_ = false; }

 private:
  struct Waiter {
    std::uint32_t request_id;
    Reply* reply;
    bool ready = false;
  };
  struct Unclaimed {  // arrived before the thread that sent the request came to wait for it
    std::uint32_t request_id;
    giop::MessageHeader header;
    std::vector<std::uint8_t> bytes;
  };

  ~ClientConnection() override;
  Result<void> lock_to_send(Deadline deadline);
  void look_after_pause();
  void read_what_is_there();
  Result<void> queue(std::size_t bytes, Deadline deadline);
  Result<void> not_sent(std::size_t bytes, bool two_way, bool begun, Error error);
  bool is_open() noexcept;
  Error end_sending(Error error);
  void all_left() noexcept;
  void lose_queued(const std::string& why) noexcept;
  void end(const std::string& why);
  void cancel_fragments() noexcept;
  void withdraw(std::uint32_t request_id) noexcept;
  std::size_t find_withdrawn(std::uint32_t request_id) const noexcept;
  bool is_owed(std::uint32_t request_id) const noexcept;
  void count_request(int requests) noexcept {
    asked_.store(asked_.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(requests), std::memory_order_release);
  }
  Result<MutableBytes> claim_now(std::size_t bytes, Deadline deadline);
  Result<MutableBytes> claim_serving(std::size_t bytes, Deadline deadline);
  Result<void> await_idle(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<void> await_serving(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<bool> take_if_there(std::uint32_t request_id, Reply& reply);
  void sleep_serving(Deadline deadline);
  Result<bool> follow(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<void> read_until(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<void> read_frames(std::uint32_t request_id, Deadline deadline, Reply& reply, bool& has_frame);
  bool claim_arrived(std::uint32_t request_id, Reply& reply);
  bool claim_arrived_locked(std::uint32_t request_id, Reply& reply);
  void hand_over(std::uint32_t request_id, const giop::MessageHeader& header, Bytes message);
  Result<void> control(const giop::MessageHeader& header);
  void stop_reading() noexcept;
  Error end_reading(Error error) noexcept;
  Error fail(Error error) noexcept;
  void forget(std::uint32_t request_id) noexcept;
  bool owes_more_than_lost() const noexcept;
  /// Two-way requests sent that have no reply yet. Replies first: their number is never ahead of the requests'.
  std::uint64_t owed_replies() const noexcept {
    const std::uint64_t answered = answered_.load(std::memory_order_relaxed);
    const std::uint64_t asked = asked_.load(std::memory_order_acquire);
    return asked > answered ? asked - answered : 0;
  }
  void count_reply() noexcept;

  std::size_t bytes_not_taken() const noexcept;

  // Replaced once, by `close_if_unused`, with the send lock, the reader's role and this mutex: who has none of the first
  // two takes the third.
  mutable std::mutex channel_mutex_;
  std::unique_ptr<transport::Channel> channel_;
  std::unique_ptr<orb::OutgoingConnections::Place> place_;
  const bool takes_fragments_;
  BlockSender* const block_sender_;  // the channel's
  const std::string description_;
  orb::Reactor* const reactor_;

  platform::TimedLock sending_;
  std::uint32_t last_request_id_ = 0;
  bool code_sets_sent_ = false;
  std::uint32_t code_sets_request_ = 0;  // with which they were
  bool loses_messages_ = false;
  Batching batching_;
  std::size_t queued_bytes_ = 0;        // with sending_, like those that follow
  std::int64_t queued_since_ns_ = 0;
  std::uint64_t queued_end_ = 0;        // of them, in committed_
  bool flusher_knows_ = false;
  std::atomic<std::uint64_t> unsent_calls_{0};  // that are queued; where the connection is no longer usable, lost
  const bool looks_;                    // before sending after a pause: else nobody would notice the server's end
  std::atomic<std::int64_t> used_ns_{0};  // written with sending_
  std::optional<orb::FragmentedMessage> fragments_;  // which is being sent
  bool fragments_counted_ = false;      // among asked_
  std::atomic<std::uint64_t> committed_{0};  // bytes of all messages; counted before they are sent

  // The reader's role: whoever turns it from false to true reads.
  std::atomic<bool> reading_{false};
  ReceiveBudget::Share share_;  // of what is in the assembler
  giop::Assembler assembler_;   // the reader's

  // Two-way requests sent (the sender's) and replies received (the reader's): the server cannot make us
  // store more replies than there were requests.
  std::atomic<std::uint64_t> asked_{0};
  std::atomic<std::uint64_t> answered_{0};
  std::atomic<std::uint32_t> unclaimed_count_{0};
  std::atomic<std::uint32_t> followers_{0};
  mutable std::mutex wait_mutex_;  // guards the rest
  std::condition_variable wake_;
  std::vector<Waiter*> waiters_;
  std::vector<Unclaimed> unclaimed_;
  std::unordered_set<std::uint32_t> forgotten_;
  // Batches that have left, the newest: how many calls, and where in committed_ they end.
  struct Batch {
    std::uint64_t end = 0, calls = 0;
  };
  static constexpr std::size_t kBatchesKept = 64;
  std::array<Batch, kBatchesKept> batches_;
  std::size_t next_batch_ = 0;
  // Requests among asked_ that the server has not all of. It may answer them all the same, by an exception; of the oldest
  // no answer is expected any more.
  static constexpr std::size_t kMaxWithdrawn = 64;
  std::array<std::uint32_t, kMaxWithdrawn> withdrawn_;
  std::atomic<std::uint32_t> withdrawn_count_{0};

  std::atomic<bool> usable_{true};
  std::atomic<bool> closed_in_order_{false};
};

using ClientConnectionPtr = CORBA::object_reference<ClientConnection>;

}  // namespace orbweaver
