#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "giop/message.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class AsyncReplies;

/// A received reply or locate reply.
struct Reply {
  Bytes message;               ///< Valid until ReplyReader::release.
  bool plain = false;          ///< NO_EXCEPTION without contexts; the body begins at kPlainReplyBytes.
  bool in_channel = false;     ///< This thread is the reader, and `message` is in the channel's buffer.
  giop::MessageHeader header;  ///< Not set if `plain`.
  std::vector<std::uint8_t> copied_message;  ///< Storage of `message` if it is not in the channel.
};

/// The role of the thread that reads a connection's channel: held by at most one thread.
class ReaderRole {
 public:
  /// Takes the role if it is free. seq_cst, as `release`: see ReplyTable::follow.
  bool try_take() noexcept { return !taken_.exchange(true, std::memory_order_seq_cst); }
  void release() noexcept { taken_.exchange(false, std::memory_order_seq_cst); }

 private:
  std::atomic<bool> taken_{false};
};

/// Outstanding requests of a connection, and the replies that the reader has received for other threads.
/// Knows neither channel nor sender.
///
/// Lock rule: `count_request` is called with the send lock, and `count_reply` by the reader; any thread may
/// call the other functions. The mutex of the table is taken last: no other lock is taken while it is held.
class ReplyTable {
 public:
  using Deadline = transport::Deadline;

  /// The transport may lose requests and replies. Before the first call.
  void set_unreliable() noexcept { is_unreliable_ = true; }

  /// Counts two-way requests, before they are sent; -1 takes one back.
  void count_request(int requests = 1) noexcept {
    requests_sent_.store(
        requests_sent_.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(requests),
        std::memory_order_release);
  }
  void count_reply() noexcept { replies_received_.store(replies_received() + 1, std::memory_order_relaxed); }
  std::uint64_t replies_received() const noexcept {
    return replies_received_.load(std::memory_order_relaxed);
  }
  /// Two-way requests without a reply. The replies are loaded first, so that their number never exceeds that
  /// of the requests.
  std::uint64_t outstanding() const noexcept {
    const std::uint64_t received = replies_received();
    const std::uint64_t sent = requests_sent_.load(std::memory_order_acquire);
    return sent > received ? sent - received : 0;
  }
  /// Whether a reply is outstanding, so that a further two-way call would wait behind another. Lock-free on
  /// reliable transports.
  bool has_outstanding() const noexcept {
    if (outstanding() <= incomplete_count_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    return !is_unreliable_ || has_outstanding_beyond_lost();
  }
  /// Whether a reply is outstanding that is neither ignored nor incomplete: those may have been lost on an
  /// unreliable transport.
  bool has_outstanding_beyond_lost() const noexcept;
  /// Whether a reply to `request_id` is expected. If only replies to incomplete requests are outstanding,
  /// only those are.
  bool expects(std::uint32_t request_id) const noexcept;

  /// Passes a reply to the thread that waits for it, or stores it for that thread. Called by the reader.
  void deliver(std::uint32_t request_id, const giop::MessageHeader& header, Bytes message);
  /// Whether replies are stored whose threads do not wait yet.
  bool has_early() const noexcept { return early_reply_count_.load(std::memory_order_relaxed) != 0; }
  /// Takes the stored reply to `request_id`. False: there is none.
  bool take_early(std::uint32_t request_id, Reply& reply);
  /// Waits until another thread, the reader, has delivered the reply (true), or this thread has taken the
  /// role (false). Errors: timed_out.
  Result<bool> follow(std::uint32_t request_id, Deadline deadline, Reply& reply, ReaderRole& role);
  /// Wakes the threads in `follow`, so that one of them takes the role. Called after the role was released.
  void wake_followers() noexcept {
    if (followers_.load(std::memory_order_seq_cst) != 0) [[unlikely]]
      wake_all_followers();
  }
  /// Counts a follower of AsyncReplies: it calls try_take afterwards, and its AsyncReplies::role_released is
  /// called when the role is released.
  void add_follower() noexcept { followers_.fetch_add(1, std::memory_order_seq_cst); }
  void remove_follower() noexcept { followers_.fetch_sub(1, std::memory_order_relaxed); }
  /// The asynchronous calls of the connection; null: there have been none.
  AsyncReplies* async() const noexcept { return async_.load(std::memory_order_acquire); }
  void set_async(AsyncReplies* replies) noexcept { async_.store(replies, std::memory_order_release); }

  /// Ignores a later reply to `request_id`. False if so many replies are ignored already that the server does
  /// not reply at all, or without memory: the caller closes the connection.
  [[nodiscard]] bool ignore(std::uint32_t request_id) noexcept;
  /// Records a counted request that was not sent completely: the server may reply to it with an exception,
  /// which is ignored. Called with the send lock.
  void mark_incomplete(std::uint32_t request_id) noexcept;

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

  [[gnu::cold]] void wake_all_followers() noexcept;
  bool take_early_locked(std::uint32_t request_id, Reply& reply);
  std::size_t find_incomplete(std::uint32_t request_id) const noexcept;

  bool is_unreliable_ = false;
  // The server cannot make this end store more replies than there were requests.
  std::atomic<std::uint64_t> requests_sent_{0};
  std::atomic<std::uint64_t> replies_received_{0};
  std::atomic<std::uint32_t> early_reply_count_{0};
  std::atomic<std::uint32_t> followers_{0};
  std::atomic<AsyncReplies*> async_{nullptr};
  mutable std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  std::vector<PendingReply*> pending_;
  std::vector<EarlyReply> early_;
  std::unordered_set<std::uint32_t> ignored_;
  // Requests counted in requests_sent_ that were not sent completely. Replies to the oldest beyond the limit
  // are not expected.
  static constexpr std::size_t kMaxIncompleteRequests = 64;
  std::array<std::uint32_t, kMaxIncompleteRequests> incomplete_requests_;
  std::atomic<std::uint32_t> incomplete_count_{0};
};

/// Replies of abandoned calls that are ignored when they arrive; see ReplyTable::ignore.
inline constexpr std::size_t kMaxIgnoredReplies = 1000;

}  // namespace orbweaver::orb
