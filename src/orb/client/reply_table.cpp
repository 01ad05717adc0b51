#include "orb/client/reply_table.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "orb/client/async_replies.h"

namespace orbweaver::orb {

bool ReplyTable::take_early(std::uint32_t request_id, Reply& reply) {
  const std::lock_guard lock(mutex_);
  return take_early_locked(request_id, reply);
}

bool ReplyTable::take_early_locked(std::uint32_t request_id, Reply& reply) {
  for (auto entry = early_.begin(); entry != early_.end(); ++entry) {
    if (entry->request_id != request_id) continue;
    reply.header = entry->header;
    reply.copied_message = std::move(entry->bytes);
    reply.message = reply.copied_message;
    early_.erase(entry);
    early_reply_count_.store(static_cast<std::uint32_t>(early_.size()), std::memory_order_relaxed);
    return true;
  }
  return false;
}

Result<bool> ReplyTable::follow(std::uint32_t request_id, Deadline deadline, Reply& reply, ReaderRole& role) {
  std::unique_lock lock(mutex_);
  if (take_early_locked(request_id, reply)) return true;
  PendingReply waiter{request_id, &reply};
  pending_.push_back(&waiter);
  // seq_cst, as the role's release: either the releasing thread sees this follower in `wake_followers`, or
  // this follower sees the free role.
  followers_.fetch_add(1, std::memory_order_seq_cst);
  bool reads = false, late = false;
  while (!waiter.ready) {
    reads = role.try_take();
    if (reads) break;
    if (deadline.is_never()) {
      changed_.wait(lock);
    } else if (deadline.passed()) {
      late = true;
      break;
    } else {
      changed_.wait_for(lock, std::chrono::nanoseconds(deadline.ns - now_ns()));
    }
  }
  followers_.fetch_sub(1, std::memory_order_relaxed);
  pending_.erase(std::find(pending_.begin(), pending_.end(), &waiter));
  if (late) return Error{ErrorKind::timed_out, "deadline exceeded while waiting for the reply"};
  return !reads;
}

void ReplyTable::wake_all_followers() noexcept {
  {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  if (AsyncReplies* const replies = async()) replies->role_released();
}

bool ReplyTable::expects(std::uint32_t request_id) const noexcept {
  const std::uint64_t number = outstanding();
  if (number > incomplete_count_.load(std::memory_order_relaxed)) [[likely]]
    return true;
  const std::lock_guard lock(mutex_);
  return number != 0 && find_incomplete(request_id) != kMaxIncompleteRequests;
}

/// Index of `request_id` in incomplete_requests_, kMaxIncompleteRequests if it is not there. Called with the
/// mutex.
std::size_t ReplyTable::find_incomplete(std::uint32_t request_id) const noexcept {
  const auto end = incomplete_requests_.begin() + incomplete_count_.load(std::memory_order_relaxed);
  const auto at = std::find(incomplete_requests_.begin(), end, request_id);
  return at == end ? kMaxIncompleteRequests : static_cast<std::size_t>(at - incomplete_requests_.begin());
}

bool ReplyTable::has_outstanding_beyond_lost() const noexcept {
  const std::lock_guard lock(mutex_);
  return outstanding() > ignored_.size() + incomplete_count_.load(std::memory_order_relaxed);
}

void ReplyTable::deliver(std::uint32_t request_id, const giop::MessageHeader& header, Bytes message) {
  const std::lock_guard lock(mutex_);
  if (ignored_.erase(request_id) != 0) return;
  if (const std::size_t at = find_incomplete(request_id); at != kMaxIncompleteRequests) {
    const std::uint32_t remaining = incomplete_count_.load(std::memory_order_relaxed) - 1;
    std::copy(incomplete_requests_.begin() + at + 1, incomplete_requests_.begin() + remaining + 1,
              incomplete_requests_.begin() + at);
    incomplete_count_.store(remaining, std::memory_order_relaxed);
    return;
  }
  for (PendingReply* waiter : pending_) {
    if (waiter->request_id != request_id || waiter->ready) continue;
    waiter->reply->header = header;
    waiter->reply->copied_message.assign(message.begin(), message.end());
    waiter->reply->message = waiter->reply->copied_message;
    waiter->ready = true;
    changed_.notify_all();
    return;
  }
  // The thread of the request does not wait yet. The number of stored replies is limited by that of the
  // requests: see requests_sent_.
  early_.push_back({request_id, header, {message.begin(), message.end()}});
  early_reply_count_.store(static_cast<std::uint32_t>(early_.size()), std::memory_order_relaxed);
}

bool ReplyTable::ignore(std::uint32_t request_id) noexcept try {
  const std::lock_guard lock(mutex_);
  Reply arrived;
  if (take_early_locked(request_id, arrived)) return true;
  ignored_.insert(request_id);
  return ignored_.size() <= kMaxIgnoredReplies;
} catch (const std::bad_alloc&) {
  return false;
}

void ReplyTable::mark_incomplete(std::uint32_t request_id) noexcept {
  const std::lock_guard lock(mutex_);
  Reply early;
  if (take_early_locked(request_id, early)) return;
  const std::uint32_t n = incomplete_count_.load(std::memory_order_relaxed);
  if (n < kMaxIncompleteRequests) {
    incomplete_requests_[n] = request_id;
    incomplete_count_.store(n + 1, std::memory_order_relaxed);
    return;
  }
  std::copy(incomplete_requests_.begin() + 1, incomplete_requests_.end(), incomplete_requests_.begin());
  incomplete_requests_.back() = request_id;
  count_request(-1);
}

}  // namespace orbweaver::orb
