#include "orb/server/reply_queue.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/server/reply_sender.h"
#include "platform/steady_time.h"
#include "platform/thread.h"

namespace orbweaver::orb {

using transport::Deadline;

ReplyQueue::ReplyQueue(transport::Channel& channel, const Peer& peer, ServiceBudget::Share& budget,
                       std::size_t full_messages, std::function<void()> on_sent)
    : channel_(channel), peer_(peer), budget_(budget), full_messages_(full_messages),
      on_sent_(std::move(on_sent)) {}

ReplyQueue::~ReplyQueue() { join(); }

void ReplyQueue::join() {
  const std::lock_guard lock(thread_mutex_);
  if (thread_.joinable()) thread_.join();
}

/// Counts `bytes` bytes as unsent. Called with the lock.
void ReplyQueue::count(std::size_t bytes) noexcept {
  bytes_ = bytes;
  if (bytes >= ServiceBudget::kMinCountedBytes)
    budget_.begin_reply(bytes);
  else
    budget_.end_reply();
}

/// Called with the lock, after a message has been queued.
void ReplyQueue::note_length() noexcept {
  if (messages_.size() >= full_messages_) full_.store(true, std::memory_order_release);
}

/// Called with the lock.
void ReplyQueue::drop_all() noexcept {
  messages_.clear();
  count(0);
}

/// Called with the lock.
void ReplyQueue::end_sending() noexcept {
  sending_ = false;
  sent_.notify_all();
}

Result<void> ReplyQueue::send(Message message) {
  std::list<Message> added;
  added.push_back(std::move(message));
  std::unique_lock lock(mutex_);
  count(bytes_ + added.front().size());
  messages_.splice(messages_.end(), added);
  note_length();
  if (std::exchange(sending_, true)) return {};
  return finish(send_queued(lock, false), lock);
}

void ReplyQueue::send_control(Bytes message, Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (sending_ && !deadline.passed()) sent_.wait_until(lock, platform::steady_time(deadline.ns));
  if (std::exchange(sending_, true)) {
    messages_.emplace_back(message.begin(), message.end());
    count(bytes_ + message.size());
    note_length();
    return;
  }
  lock.unlock();
  if (auto room = channel_.claim(message.size(), deadline)) {
    std::memcpy(room->data(), message.data(), message.size());
    static_cast<void>(channel_.commit(message.size(), deadline));
  }
  lock.lock();
  static_cast<void>(finish(send_queued(lock, false), lock));
}

ReplyQueue::Outcome ReplyQueue::send_queued(std::unique_lock<std::mutex>& lock, bool may_block) {
  while (!messages_.empty()) {
    const Message& message = messages_.front();
    lock.unlock();
    const Outcome outcome = may_block ? send_blocking(message) : send_now(message);
    lock.lock();
    if (outcome == Outcome::would_block) return outcome;
    if (outcome == Outcome::failed) {
      drop_all();
      end_sending();
      return outcome;
    }
    count(bytes_ - message.size());
    messages_.pop_front();
  }
  end_sending();
  return Outcome::sent;
}

ReplyQueue::Outcome ReplyQueue::send_now(const Message& message) {
  auto room = channel_.claim(message.size(), Deadline{0});
  if (!room) return room.error().kind == ErrorKind::timed_out ? Outcome::would_block : Outcome::failed;
  const transport::Readiness* const readiness = channel_.capabilities().readiness;
  if (readiness != nullptr && !readiness->commits_without_waiting(message.size())) {
    channel_.abandon();
    return Outcome::would_block;
  }
  std::memcpy(room->data(), message.data(), message.size());
  const auto sent = channel_.commit(message.size(), Deadline::in_ms(kSmallReplyTimeoutMs));
  if (sent) return Outcome::sent;
  if (sent.error().kind == ErrorKind::timed_out) close_after_partial_reply(channel_, peer_);
  return Outcome::failed;
}

ReplyQueue::Outcome ReplyQueue::send_blocking(const Message& message) {
  reply_bytes_.store(message.size(), std::memory_order_relaxed);
  sequence_.fetch_add(1, std::memory_order_relaxed);
  bool sent = false;
  if (auto room = channel_.claim(message.size(), Deadline::never())) {
    std::memcpy(room->data(), message.data(), message.size());
    sent = static_cast<bool>(channel_.commit(message.size(), Deadline::never()));
  }
  sequence_.fetch_add(1, std::memory_order_relaxed);
  return sent ? Outcome::sent : Outcome::failed;
}

Result<void> ReplyQueue::finish(Outcome outcome, std::unique_lock<std::mutex>& lock) {
  if (outcome == Outcome::would_block) {
    waiting_.store(true, std::memory_order_release);
    lock.unlock();
    return send_in_thread();
  }
  const bool was_full = full_.exchange(false, std::memory_order_acq_rel);
  lock.unlock();
  if (was_full) on_sent_();
  if (outcome == Outcome::sent) return {};
  return Error{ErrorKind::disconnected, "a reply could not be sent"};
}

Result<void> ReplyQueue::send_in_thread() {
  try {
    const std::lock_guard lock(thread_mutex_);
    // The previous thread is at its end: it has cleared `waiting_` before this one could be needed.
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread([this] {
      platform::name_this_thread("ow-reply");
      run();
    });
    return {};
  } catch (const std::exception& e) {  // no thread, or no memory for it
    catch_and_log("reply lost", [&] {
      log::write_limited(log::Level::warn, "no thread for a reply", log::origin(peer_), [&] {
        return std::string("connection closed: cannot start a thread for a deferred reply: ") + e.what();
      });
    });
  }
  channel_.close();
  {
    const std::lock_guard lock(mutex_);
    drop_all();
    end_sending();
    waiting_.store(false, std::memory_order_release);
    full_.store(false, std::memory_order_release);
  }
  on_sent_();
  return Error{ErrorKind::disconnected, "no thread for a reply"};
}

/// Sends all queued messages. In the thread.
void ReplyQueue::run() {
  bool closes = false;
  {
    std::unique_lock lock(mutex_);
    closes = send_queued(lock, true) == Outcome::failed;
    waiting_.store(false, std::memory_order_release);
    full_.store(false, std::memory_order_release);
  }
  if (closes) channel_.close();
  catch_and_log("resuming a connection", on_sent_);
}

}  // namespace orbweaver::orb
