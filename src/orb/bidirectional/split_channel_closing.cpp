/// SplitChannel: the ends of its lanes and of the connection.
#include <orbweaver/weak_reference.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/bidirectional/split_channel_ends.h"
#include "orb/client/client_connection.h"
#include "transport/malformed_input.h"

namespace orbweaver::orb {

void SplitChannel::close() noexcept {
  const std::lock_guard lock(mutex_);
  close_locked();
}

/// Closes the channel, and wakes all that wait: nobody may be reading it. Called with the lock.
void SplitChannel::close_locked() noexcept {
  if (channel_ == nullptr) return;
  channel_->close();
  catch_and_log("closing a bidirectional connection", [this] {
    if (!ended_) ended_ = closed();
  });
  notify();
}

void SplitChannel::close_over_limit(std::size_t limit_bytes) noexcept {
  catch_and_log("closing a bidirectional connection", [&] {
    transport::log_refused(peer_, "connection with " + peer_.address,
                           "its peer holds most of the requests that wait in bidirectional connections, more "
                           "than twice " +
                               std::to_string(limit_bytes) + " bytes (-ORBTune bidirectional-queue-bytes)");
  });
  const std::lock_guard lock(mutex_);
  requests_.clear();
  close_locked();
}

void SplitChannel::begin_closing(Deadline deadline) noexcept {
  catch_and_log("closing a bidirectional connection", [&] {
    std::unique_lock lock(mutex_);
    requests_.begin_closing();
    close_deadline_ = deadline;
    notify();
    reject_requests(lock);
  });
}

void SplitChannel::owe_replies(transport::Channel& server_end) noexcept {
  auto& end = static_cast<ServerEnd&>(server_end);
  const std::lock_guard lock(end.split_->mutex_);
  end.lane_.owes_replies = true;
}

void SplitChannel::put_back(transport::Channel& server_end, Bytes frame) noexcept {
  auto& end = static_cast<ServerEnd&>(server_end);
  SplitChannel& split = *end.split_;
  const bool done = catch_and_log("rejecting a request at the shutdown", [&] {
    std::unique_lock lock(split.mutex_);
    split.requests_.begin_closing();
    split.requests_.put_back(end.lane_, frame);
    split.notify();
    split.reject_requests(lock);
  });
  if (!done) split.close();  // its caller would wait
}

/// Closes the connection. With CloseConnection, ends a lane only: the last one that executes a request sends
/// the message.
void SplitChannel::close_lane(Lane& lane) noexcept {
  Deadline deadline;
  bool is_last = false;
  {
    std::unique_lock lock(mutex_);
    if (lane.is_closing) return;
    if (lane.close_message.empty()) return close_locked();
    lane.is_closing = true;
    requests_.begin_closing();
    close_message_ = std::move(lane.close_message);
    notify();
    deadline = {std::max(lane.close_deadline.ns, close_deadline_.ns)};
    is_last = !requests_.is_executing();
    if (!is_last) reject_requests(lock);
  }
  if (!is_last) return;
  send_close_message(deadline);
}

void SplitChannel::send_close_message(Deadline deadline) noexcept {
  catch_and_log("sending queued one-way calls", [&] {
    std::unique_lock lock(mutex_);
    const std::function<void(Deadline)> send_queued = on_close_;
    lock.unlock();
    if (send_queued) send_queued(deadline);
  });
  if (lock_to_send(Role::server, giop::kHeaderBytes, deadline)) {
    Frame message;
    {
      const std::lock_guard lock(mutex_);
      message = std::exchange(close_message_, {});
    }
    if (!message.empty()) static_cast<void>(send(Role::server, message, deadline));
    unlock_send(Role::server);
  }
  close();
}

/// Removes a lane. The last one closes the descriptors, once no thread uses the channel.
void SplitChannel::end_server(Lane& lane) noexcept {
  bool is_last_executing = false, is_last = false;
  {
    std::unique_lock lock(mutex_);
    const bool was_closing = lane.is_closing;
    requests_.remove(lane);
    is_last = requests_.size() == 0;
    if (is_last) requests_.clear();
    is_last_executing = !was_closing && requests_.is_closing() && !requests_.is_executing();
    notify();
    if (!adding_lane_) share_.keep_lanes(is_last ? 0 : requests_.size() - 1);
    count_queued(lock);
  }
  if (is_last_executing) send_close_message(Deadline::in_ms(kCloseTimeout_ms));
  if (!is_last) return;
  close();
  send_lock_.lock(Deadline::never());
  std::unique_ptr<transport::Channel> ended;
  {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.wait(lock, [this] { return !reading_; });
    --waiting_;
    if (!ended_) ended_ = closed();
    const transport::ReceiveStatus* const status = channel_->capabilities().receive_status;
    if (status != nullptr) undelivered_bytes_ = status->undelivered_bytes();
    ended = std::move(channel_);
    notify();
  }
  send_lock_.unlock();
}

namespace {

/// Reads the replies for which no call waits.
void read_unexpected_replies(ClientConnection& connection) {
  const bool was_usable = connection.usable();
  connection.reader().check_for_close();
  if (!was_usable || connection.usable() || connection.closed_orderly()) return;
  log::write_limited(log::Level::warn, "unexpected reply", connection.description(), [&] {
    return connection.description() + " closed: a reply to no request, or MessageError";
  });
}

}  // namespace

void set_caller(SplitChannel& split, const ClientConnectionPtr& connection) {
  const CORBA::weak_object_reference<ClientConnection> weak(connection);
  split.on_unread_reply([weak] {
    if (const auto reader = weak.lock()) read_unexpected_replies(*reader);
  });
  split.on_close([weak](transport::Deadline deadline) {
    if (const auto caller = weak.lock()) caller->sender().flush_before_close(deadline, deadline);
  });
}

}  // namespace orbweaver::orb
