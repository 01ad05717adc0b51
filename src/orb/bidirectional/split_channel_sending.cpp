/// SplitChannel: the right to send, and the time limit of messages that the peer does not read.
#include <string>

#include "orb/bidirectional/split_channel.h"
#include "orb/server/reply_time_limit.h"

namespace orbweaver::orb {

Result<void> SplitChannel::lock_to_send(Role role, std::size_t bytes, Deadline deadline) {
  if (role == Role::server) count_sending_server(1);
  if (!send_lock_.lock(deadline)) {
    if (role == Role::server) count_sending_server(-1);
    return Error{ErrorKind::timed_out, "deadline exceeded while other messages are being sent"};
  }
  bool is_open;
  {
    const std::lock_guard lock(mutex_);
    ++messages_;
    sending_bytes_ = bytes;
    is_open = channel_ != nullptr && !ended_;
  }
  if (is_open) return {};
  unlock_send(role);
  return closed();
}

void SplitChannel::unlock_send(Role role) noexcept {
  send_lock_.unlock();
  if (role == Role::server) count_sending_server(-1);
}

void SplitChannel::count_sending_server(int servers) noexcept {
  const std::lock_guard lock(mutex_);
  sending_servers_ += servers;
  if (servers > 0) notify();
}

/// Sends a claimed message. Called with the right to send.
Result<void> SplitChannel::commit(Role role, std::size_t bytes, Deadline deadline) noexcept {
  {
    const std::lock_guard lock(mutex_);
    sent_.add(role == Role::caller, bytes);  // before the peer can have received it
  }
  return count_sent(channel_->commit(bytes, deadline), bytes);
}

Result<void> SplitChannel::send(Role role, Bytes frame, Deadline deadline) noexcept {
  {
    const std::lock_guard lock(mutex_);
    sent_.add(role == Role::caller, frame.size());
  }
  return count_sent(channel_->send(frame, deadline), frame.size());
}

/// At the deadline, nothing of the message was sent, or the channel is closed.
Result<void> SplitChannel::count_sent(Result<void> sent, std::size_t bytes) noexcept {
  const bool was_sent =
      sent || (sent.error().kind != ErrorKind::timed_out && sent.error().kind != ErrorKind::unavailable);
  if (!was_sent) {
    const std::lock_guard lock(mutex_);
    sent_.undo(bytes);
  }
  return sent;
}

/// See ReceiveStatus::undelivered_bytes.
std::size_t SplitChannel::undelivered_of_caller() const noexcept {
  const std::lock_guard lock(mutex_);
  if (channel_ == nullptr) return sent_.of_caller(undelivered_bytes_);
  const transport::ReceiveStatus* const status = channel_->capabilities().receive_status;
  return status == nullptr ? 0 : sent_.of_caller(status->undelivered_bytes());
}

/// A reply also waits while a message of another end is sent: the time of that one counts.
std::optional<std::string> SplitChannel::unread_reply(std::int64_t now_ns, std::int64_t timeout_ns) {
  const std::lock_guard lock(mutex_);
  if (timeout_ns == 0 || sending_servers_ == 0) {
    unread_message_ = 0;
    return {};
  }
  if (unread_message_ != messages_) {
    unread_message_ = messages_;
    unread_since_ns_ = now_ns;
    return {};
  }
  const std::int64_t allowed_ns = reply_time_limit_ns(sending_bytes_, timeout_ns);
  if (now_ns - unread_since_ns_ < allowed_ns) return {};
  return unread_reply_text(sending_bytes_, allowed_ns);
}

}  // namespace orbweaver::orb
