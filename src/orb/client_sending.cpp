// How requests leave by a connection: one after the other, at once or in batches, whole or not at all.
#include "base/contained.h"
#include "base/log.h"
#include "orb/client_connection.h"
#include "orb/flusher.h"
#include "platform/socket.h"

namespace orbweaver {
namespace {

/// Idle for so long, a connection is looked at before it is used: by one system call, which is a fraction of what the
/// pause costs. A server that closes later than that is told from by what its host takes.
constexpr std::int64_t kPause_ns = 100'000;

}  // namespace

/// Behind a sender whom the server holds up: each waits until its own deadline, not until those before it add up.
Result<void> ClientConnection::lock_to_send(Deadline deadline) {
  if (sending_.lock(deadline)) [[likely]] return {};
  return Error{Remedy::wait, description_ + ": other requests waited to be sent until the deadline"};
}

Result<MutableBytes> ClientConnection::claim(std::size_t bytes, Deadline deadline) {
  if (reactor_ == nullptr) [[likely]] return claim_now(bytes, deadline);
  return claim_serving(bytes, deadline);
}

Result<MutableBytes> ClientConnection::claim_now(std::size_t bytes, Deadline deadline) {
  if (auto locked = lock_to_send(deadline); !locked) [[unlikely]] return locked.take_error();
  look_after_pause();
  auto room = channel_->claim(bytes, deadline);
  if (!room) {
    sending_.unlock();
    return fail(room.take_error());
  }
  return room;
}

/// With the send lock. What the server has said or done since it was used last is seen before anything is sent
/// to it. Not while one-way calls are queued: they have begun to leave.
void ClientConnection::look_after_pause() {
  if (!looks_ || queued_bytes_ != 0) return;
  const std::int64_t now = now_ns();
  const bool paused = now - used_ns_.load(std::memory_order_relaxed) >= kPause_ns;
  used_ns_.store(now, std::memory_order_relaxed);
  if (!paused || reading_.exchange(true, std::memory_order_seq_cst)) return;  // who reads will see it
  const int fd = channel_->descriptor();
  platform::PollItem item{fd, platform::kReadable};
  const bool nothing = fd >= 0 && channel_->arm() && platform::poll(std::span(&item, 1), Deadline{0}) == 0;
  if (nothing) return stop_reading();
  read_what_is_there();
}

Result<void> ClientConnection::commit(std::size_t bytes, bool two_way, Deadline deadline) {
  // Before the request can be answered; only the holder of the send lock writes it.
  committed_.store(committed_.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
  bool begun = false;
  if (fragments_) [[unlikely]] {
    begun = fragments_->begun();
    const Error* const failure = fragments_->failure();
    if (begun) all_left();
    if (failure != nullptr) {
      Error error = *failure;
      fragments_.reset();
      return not_sent(bytes, two_way, begun, std::move(error));
    }
    fragments_.reset();
  } else if (two_way) {
    count_request(1);
  }
  if (!two_way && batching_.delay_ns != 0 && !begun) [[unlikely]] return queue(bytes, deadline);
  Result<void> sent = channel_->commit(bytes, deadline);
  if (!sent) [[unlikely]] return not_sent(bytes, two_way, begun, sent.take_error());
  all_left();
  sending_.unlock();
  return {};
}

/// The last `bytes` have not left as a whole, and never will. `begun`: a fragment before them has.
Result<void> ClientConnection::not_sent(std::size_t bytes, bool two_way, bool begun, Error error) {
  if (error.remedy == Remedy::wait && !begun && is_open()) {  // nothing of it has left: as if it had never been
    committed_.store(committed_.load(std::memory_order_relaxed) - bytes, std::memory_order_release);
    if (two_way) withdraw(last_request_id_);
    if (code_sets_request_ == last_request_id_) code_sets_sent_ = false;
    if (loses_messages_) all_left();  // what was queued before it was dropped with it
    sending_.unlock();
    return error;
  }
  usable_.store(false, std::memory_order_release);
  lose_queued(error.message);
  return end_sending(std::move(error));
}

/// With the send lock, after Remedy::wait: nothing is claimed.
bool ClientConnection::is_open() noexcept {
  const auto room = channel_->claim(1, Deadline{0});
  if (room) channel_->abandon();
  return room || room.error().remedy != Remedy::reconnect;
}

Error ClientConnection::end_sending(Error error) {
  usable_.store(false, std::memory_order_release);
  sending_.unlock();
  // A server that closes in order says so before it goes. Where sending fails at once (a Unix socket), that is
  // still to be read, and decides whether the call may be made again.
  if (error.remedy == Remedy::reconnect) look_for_end();
  return error;
}

/// With the send lock.
void ClientConnection::all_left() noexcept {
  if (queued_bytes_ == 0) [[likely]] return;
  queued_bytes_ = 0;
  const std::lock_guard lock(wait_mutex_);
  batches_[next_batch_] = {queued_end_, unsent_calls_.exchange(0, std::memory_order_acq_rel)};
  next_batch_ = (next_batch_ + 1) % kBatchesKept;
}

std::uint64_t ClientConnection::lost_calls() const noexcept {
  if (usable()) return 0;
  std::uint64_t lost = unsent_calls_.load(std::memory_order_acquire);
  const std::size_t not_taken = bytes_not_taken();
  if (not_taken == 0) return lost;
  const std::uint64_t taken = committed_.load(std::memory_order_acquire) - not_taken;
  const std::lock_guard lock(wait_mutex_);
  for (const Batch& batch : batches_) {
    if (batch.end > taken) lost += batch.calls;
  }
  return lost;
}

/// With the send lock. What is queued will not be sent: `lost_calls` has their number from now on.
void ClientConnection::lose_queued(const std::string& why) noexcept {
  if (queued_bytes_ == 0) return;
  queued_bytes_ = 0;
  contained("one-way calls that were queued are lost", [&] {
    log::write_limited(log::Level::warn, "queued calls lost", log::origin(channel_->peer()), [&] {
      return description_ + ": one-way calls that were queued are lost, " + std::to_string(unsent_calls_.load()) +
             " at most: " + why;
    });
  });
}

/// The one that makes the batch full takes the others along. So does one that the flusher cannot be told of.
Result<void> ClientConnection::queue(std::size_t bytes, Deadline deadline) {
  if (queued_bytes_ == 0) {
    queued_since_ns_ = now_ns();
    if (!flusher_knows_) flusher_knows_ = batching_.flusher->add(*this, queued_since_ns_ + batching_.delay_ns);
  }
  const bool full = queued_bytes_ + bytes >= batching_.bytes || !flusher_knows_;
  Result<void> sent = full ? channel_->commit(bytes, deadline) : channel_->queue(bytes, deadline);
  // It stays here, where the server has just said that it takes nothing more.
  if (sent && !full && !usable()) [[unlikely]] sent = Error{Remedy::reconnect, description_ + ": the server closed the connection"};
  if (!sent) [[unlikely]] return not_sent(bytes, false, false, sent.take_error());
  if (full) {
    all_left();
  } else {
    queued_bytes_ += bytes;
    queued_end_ = position();
    unsent_calls_.fetch_add(1, std::memory_order_release);
  }
  sending_.unlock();
  return {};
}

Result<void> ClientConnection::flush(Deadline deadline) {
  if (auto locked = lock_to_send(deadline); !locked) return locked.take_error();
  if (queued_bytes_ == 0 || !usable()) {
    lose_queued("the connection has ended");
    sending_.unlock();
    return {};
  }
  Result<void> sent = channel_->flush(deadline);
  if (!sent && sent.error().remedy != Remedy::wait) {
    usable_.store(false, std::memory_order_release);
    lose_queued(sent.error().message);
    return end_sending(sent.take_error());
  }
  if (sent) all_left();  // else it stays queued, and the connection good
  sending_.unlock();
  return sent;
}

std::int64_t ClientConnection::flush_due() {
  constexpr std::int64_t kSoon_ns = 100'000, kLater_ns = 1'000'000;
  const std::unique_lock lock(sending_, std::try_to_lock);
  if (!lock) return now_ns() + kSoon_ns;
  flusher_knows_ = false;
  if (queued_bytes_ == 0) return 0;
  if (!usable()) {
    lose_queued("the connection has ended");
    return 0;
  }
  flusher_knows_ = true;
  const std::int64_t due_ns = queued_since_ns_ + batching_.delay_ns;
  if (now_ns() < due_ns) return due_ns;  // those that were meant have left with others
  const Result<void> sent = channel_->flush(Deadline::in_ns(0));
  if (!sent && sent.error().remedy == Remedy::wait) return now_ns() + kLater_ns;
  flusher_knows_ = false;
  if (sent) {
    all_left();
  } else {
    usable_.store(false, std::memory_order_release);
    lose_queued(sent.error().message);
  }
  return 0;
}

void ClientConnection::abandon() noexcept {
  channel_->abandon();
  if (fragments_) [[unlikely]] cancel_fragments();
  sending_.unlock();
}

}  // namespace orbweaver
