#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orb/client/connection_state.h"
#include "orb/client/queued_calls.h"
#include "orb/client/queued_request_sender.h"
#include "orb/client/reply_table.h"
#include "orb/flushable.h"
#include "orb/fragmented_message.h"
#include "platform/timed_mutex.h"

namespace orbweaver::orb {

class OwnListenPoints;
class Reactor;
class ReplyReader;

/// Sends the requests of a client connection: in order, at once or in batches, whole or in fragments.
///
/// Lock rule: `claim` takes the send lock, which `commit` and `abandon` release; functions marked "between
/// claim and commit" need it, all others may be called by any thread. With the send lock, the mutexes of
/// ReplyTable, QueuedCalls and SendQueue may be taken, and the reader role if it is free.
///
/// Requests with SYNC_NONE that cannot be sent at once are queued: see QueuedRequestSender.
class RequestSender {
 public:
  using Deadline = transport::Deadline;

  /// `connection`: the owner, which the flusher calls. `reactor`: as of ClientConnection.
  RequestSender(ConnectionState& state, ReplyTable& replies, ReplyReader& reader, Flushable& connection,
                Reactor* reactor);

  /// Sets the batching of one-way calls. Before the first call.
  void set_batching(const Batching& batching) noexcept {
    batching_ = batching;
    set_special(kBatches, batching.delay_ns != 0);
  }
  /// The transport may lose messages. Before the first call.
  void set_unreliable() noexcept { is_unreliable_ = true; }

  /// Offers the connection, in BI_DIR_IIOP contexts, to its server for calls of this process: requests have
  /// even ids (CORBA 3.3 part 2, 9.8). `points` outlives this. Before the first call.
  void offer(const OwnListenPoints& points, bool secure) noexcept;
  /// Of a connection that the peer has opened: requests have odd ids. Before the first call.
  void use_odd_ids() noexcept {
    last_request_id_ = ~std::uint32_t{0};
    id_step_ = 2;
  }

  /// Takes the send lock and claims a buffer for one message, both until `deadline`. On success the lock is
  /// held until `commit` or `abandon`. After an idle time it is first checked whether the server has closed
  /// the connection.
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) {
    return has_any(kClaimsSpecially | kHasSendQueue) || !lock_.try_lock() ? claim_special(bytes, deadline)
                                                                          : claim_locked(bytes, deadline);
  }
  /// As `claim`, for a request with SYNC_NONE, whose commit has a deadline of 0. ErrorKind::timed_out if
  /// sending might wait for the transport or another thread, both after `until`, or for requests in the
  /// SendQueue. A ring without known space needs some time until its reader has told what it has read.
  Result<MutableBytes> claim_at_once(std::size_t bytes, Deadline until = Deadline{0});
  /// For a request with SYNC_NONE, after `claim_at_once` has failed with ErrorKind::timed_out.
  QueuedRequestSender& queued_requests() noexcept { return queued_requests_; }
  /// Sends the claimed message; a one-way call may be queued instead. `two_way`: a reply will be awaited. A
  /// message whose commit fails is never received completely. After ErrorKind::timed_out the connection is
  /// unchanged if nothing of the message was sent, and no longer usable if a part was.
  Result<void> commit(std::size_t bytes, bool two_way, Deadline deadline) {
    return commits_specially() ? commit_special(bytes, two_way, deadline)
                               : commit_plain(bytes, two_way, deadline);
  }
  /// Releases the claimed buffer and the send lock without sending.
  void abandon() noexcept;
  /// Takes the send lock, until `send`, for a request that this thread has encoded and sends whole, at once
  /// and without the CodeSets context. False: `claim` is to be used, as another thread sends, the ORB has a
  /// reactor, requests are batched, or the context is still to be sent. After an idle time as `claim`.
  bool try_lock_to_send(bool server_has_code_sets) {
    // Before the lock: only this thread's own queued requests matter, the other bits never change, and no
    // message is being sent in fragments once the lock is taken.
    if (has_any(kBatches | kHasSendQueue | kHasReactor | kOffers) || !lock_.try_lock()) [[unlikely]]
      return false;
    if (server_has_code_sets && !code_sets_sent_) [[unlikely]] {
      lock_.unlock();
      return false;
    }
    if (checks_after_idle_) check_after_idle();
    return true;
  }
  /// Releases the send lock after `try_lock_to_send`, without a request.
  void unlock() noexcept { lock_.unlock(); }
  /// Whether `send` of so many bytes sends all or nothing.
  bool sends_undivided(std::size_t bytes) const noexcept {
    return bytes <= state_.channel->capabilities().undivided_bytes;
  }
  /// Sends a whole request, with the send lock, which is released. `two_way` and errors: as of `commit`.
  /// After ErrorKind::unavailable, too, the connection is unchanged.
  Result<void> send(Bytes request, bool two_way, Deadline deadline) {
    count(request.size());
    if (two_way) replies_.count_request();
    auto sent = state_.channel->send(request, deadline);
    if (sent) [[likely]]
      lock_.unlock();
    else
      sent = handle_send_failure(request.size(), two_way, sent.take_error());
    return sent;
  }

  /// Sends a CancelRequest for a request that was sent, and whose reply is ignored (CORBA 3.3 part 2, 9.4.4).
  /// Not if that needs a wait, or the server may lose it: the server then executes the request. Any thread.
  void cancel(giop::Version version, std::uint32_t request_id) noexcept;

  // ---- between claim and commit, or with the send lock ----

  std::uint32_t next_request_id() noexcept { return last_request_id_ += id_step_; }
  /// Stream position of the next message, in bytes.
  std::uint64_t send_position() const noexcept { return committed_.load(std::memory_order_relaxed); }
  /// Whether the CodeSets context has been sent; sets it to true.
  bool exchange_code_sets_sent() noexcept {
    if (code_sets_sent_) [[likely]]
      return true;
    code_sets_request_ = last_request_id_;
    code_sets_sent_ = true;
    return false;
  }
  /// Undoes `exchange_code_sets_sent` for a request that is about to be abandoned.
  void clear_code_sets_sent() noexcept { code_sets_sent_ = false; }
  /// Whether a large block of the arguments may be sent from its own memory; `attach_segment` announces it
  /// before commit.
  bool gathers(bool two_way) const noexcept {
    return (two_way || batching_.delay_ns == 0) && state_.channel->capabilities().gathering != nullptr;
  }
  void attach_segment(std::size_t at, Bytes bytes) noexcept {
    state_.channel->capabilities().gathering->attach_segment(at, bytes);
  }
  /// Starts a message in fragments, after `claim` of one fragment's buffer. The encoder is given the result;
  /// `commit` or `abandon` ends the message as usual.
  cdr::OverflowHandler& send_in_fragments(MutableBytes room, std::uint32_t request_id, bool two_way,
                                          Deadline deadline);
  /// Whether encoding stopped because a fragment could not be sent; `commit` then returns the error.
  bool fragment_failed() const noexcept { return fragments_ && fragments_->failure() != nullptr; }

  // ---- any time ----

  /// Whether requests may need a BI_DIR_IIOP context.
  bool offers() const noexcept { return has_any(kOffers); }
  /// The listen points that have not been sent yet.
  struct UnsentOffer {
    std::uint32_t number = 0;           ///< For `mark_offered`; 0: all have been sent.
    std::vector<std::uint8_t> context;  ///< Data of the context.
  };
  UnsentOffer unsent_offer() const;
  /// Called after a request with the context has been sent.
  void mark_offered(std::uint32_t number) noexcept { offered_.store(number, std::memory_order_relaxed); }

  /// Whether messages can be sent in fragments.
  bool allows_fragments() const noexcept { return allows_fragments_; }
  /// Sender of shared blocks, used between claim and commit or abandon; null if the channel has none.
  BlockSender* block_sender() const noexcept { return block_sender_; }
  /// Whether the CodeSets context is known to have been sent, as no thread is sending.
  bool has_sent_code_sets() noexcept;
  /// Sends the queued messages. After ErrorKind::timed_out they stay queued.
  Result<void> flush(Deadline deadline);
  /// See Flushable.
  std::int64_t flush_due();
  /// Sends the queued messages of a connection that is about to be closed until `deadline`, those of a batch
  /// for 100 ms at most, and drops the rest. Does nothing if another call is still sending at
  /// `lock_deadline`.
  void flush_before_close(Deadline lock_deadline, Deadline deadline) noexcept;
  /// Takes the send lock of a connection that no call uses: no other thread sends, and nothing is queued. The
  /// result owns no lock if a call uses it.
  std::unique_lock<platform::TimedMutex> lock_if_unused();

  /// Bytes of all messages sent or queued.
  std::uint64_t committed() const noexcept { return committed_.load(std::memory_order_acquire); }
  /// Whether the server's host is known not to have received the message at `send_position`. After the
  /// connection has failed.
  bool was_not_received(std::uint64_t send_position) const noexcept {
    const std::size_t undelivered = state_.undelivered_bytes();
    return undelivered != 0 && send_position + undelivered >= committed();
  }
  /// Upper bound of the queued one-way calls known to be lost: not sent, or not received by the server's
  /// host. 0 while the connection is usable.
  std::uint64_t lost_calls() const noexcept;
  /// Time of the last request (now_ns); 0 if it is not recorded.
  std::int64_t used_ns() const noexcept {
    return checks_after_idle_ ? last_used_ns_.load(std::memory_order_relaxed) : 0;
  }

 private:
  Result<MutableBytes> claim_locked(std::size_t bytes, Deadline deadline) {
    auto room = state_.channel->claim(bytes, deadline);
    if (!room) [[unlikely]]
      room = claim_failed(room.take_error());
    return room;
  }
  Result<void> commit_plain(std::size_t bytes, bool two_way, Deadline deadline) {
    count(bytes);
    if (two_way) replies_.count_request();
    auto sent = state_.channel->commit(bytes, deadline);
    if (sent) [[likely]]
      lock_.unlock();
    else
      sent = handle_failure(bytes, two_way, false, sent.take_error());
    return sent;
  }
  // Bits of special_.
  static constexpr std::uint8_t kSendsFragments = 1, kBatches = 2, kHasSendQueue = 4, kClaimsSpecially = 8,
                                kHasReactor = 16, kOffers = 32;
  bool has_any(std::uint8_t bits) const noexcept {
    return (special_.load(std::memory_order_relaxed) & bits) != 0;
  }
  bool commits_specially() const noexcept { return has_any(kSendsFragments | kBatches | kHasSendQueue); }
  void set_special(std::uint8_t bit, bool on) noexcept {
    if (on)
      special_.fetch_or(bit, std::memory_order_relaxed);
    else
      special_.fetch_and(static_cast<std::uint8_t>(~bit), std::memory_order_relaxed);
  }

  friend class QueuedRequestSender;
  bool commits_at_once(std::size_t bytes) const noexcept;
  Result<MutableBytes> claim_special(std::size_t bytes, Deadline deadline);
  Result<MutableBytes> claim_blocking(std::size_t bytes, Deadline deadline);
  Result<MutableBytes> claim_while_serving(std::size_t bytes, Deadline deadline);
  [[gnu::cold]] Result<MutableBytes> claim_failed(Error error);
  Result<void> commit_special(std::size_t bytes, bool two_way, Deadline deadline);
  bool lock_until(Deadline deadline) noexcept;
  Result<void> lock_to_send(Deadline deadline);
  Result<void> lock_in_order(Deadline deadline);
  void let_others_lock() noexcept;
  Result<void> queue(std::size_t bytes, Deadline deadline);
  [[gnu::cold]] Result<void> handle_failure(std::size_t bytes, bool two_way, bool has_sent, Error error);
  [[gnu::cold]] Error handle_send_failure(std::size_t bytes, bool two_way, Error error);
  Error close_sending(Error error);
  Result<void> flush_channel(Deadline deadline) noexcept;
  Result<void> flush_locked(Deadline deadline);
  void check_after_idle();
  bool is_open() noexcept;
  void lose_queued_calls(const std::string& why) noexcept;
  void cancel_fragments() noexcept;
  /// Counted before a reply can arrive; written only with the send lock.
  void count(std::size_t bytes) noexcept {
    committed_.store(send_position() + bytes, std::memory_order_release);
  }
  void end_fragments() noexcept {
    fragments_.reset();
    set_special(kSendsFragments, false);
  }

  ConnectionState& state_;
  ReplyTable& replies_;
  ReplyReader& reader_;
  Flushable& connection_;
  Reactor* const reactor_;
  const bool allows_fragments_;
  BlockSender* const block_sender_;  // the channel's
  // before sending after an idle time: the channel does not detect a disconnect itself
  const bool checks_after_idle_;
  // Bits: the message in fragments, batching, requests in the SendQueue; idle check, or an ORB with a
  // reactor. Bits of the sending thread are set with the send lock. kHasSendQueue is set by the thread that
  // queues a request, whose own later calls must see it, and cleared with the send lock: relaxed suffices.
  std::atomic<std::uint8_t> special_;
  bool is_unreliable_ = false;
  bool offers_secure_ = false;
  const OwnListenPoints* listen_points_ = nullptr;  // null: the connection is not offered
  std::atomic<std::uint32_t> offered_{0};           // OwnListenPoints::number of those sent
  Batching batching_;

  platform::TimedMutex lock_;  // the send lock; guards the rest
  bool code_sets_sent_ = false;
  std::uint32_t last_request_id_ = 0;
  std::uint32_t id_step_ = 1;
  std::uint32_t code_sets_request_ = 0;      // request that carried the CodeSets context
  std::atomic<std::uint64_t> committed_{0};  // bytes of all messages; counted before they are sent
  QueuedCalls queued_;
  bool flush_scheduled_ = false;
  std::atomic<std::int64_t> last_used_ns_{0};
  std::optional<FragmentedMessage> fragments_;  // the message being sent in fragments
  bool fragmented_is_two_way_ = false;          // counted in the reply table
  std::atomic<int> waiting_{0};                 // threads that wait for the send lock
  QueuedRequestSender queued_requests_;
};

}  // namespace orbweaver::orb
