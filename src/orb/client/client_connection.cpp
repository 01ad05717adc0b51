#include "orb/client/client_connection.h"

#include "orb/client/async_replies.h"
#include "platform/descriptors.h"
#include "transport/malformed_input.h"

namespace orbweaver {
namespace {

/// Replaces the channel of a closed connection; each operation fails with ErrorKind::disconnected.
class ClosedChannel final : public transport::Channel, private transport::ReceiveStatus {
 public:
  ClosedChannel(Peer peer, std::size_t undelivered_bytes)
      : peer_(std::move(peer)), undelivered_bytes_(undelivered_bytes) {
    capabilities_.receive_status = this;
  }
  Result<MutableBytes> claim(std::size_t, Deadline) noexcept override { return closed(); }
  Result<void> commit(std::size_t, Deadline) noexcept override { return closed(); }
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline) noexcept override { return closed(); }
  void release() noexcept override {}
  void close() noexcept override {}
  const Peer& peer() const noexcept override { return peer_; }

 private:
  std::size_t undelivered_bytes() const noexcept override { return undelivered_bytes_; }
  Error closed() const {
    return {ErrorKind::disconnected,
            "the connection with " + peer_.address + " was closed because no call used it"};
  }

  const Peer peer_;
  const std::size_t undelivered_bytes_;
};

}  // namespace

ClientConnection::ClientConnection(std::unique_ptr<transport::Channel> channel, std::string description,
                                   std::size_t max_message_bytes, orb::Reactor* reactor,
                                   std::shared_ptr<ReceiveBudget> budget)
    : state_(std::move(channel), std::move(description)), sender_(state_, replies_, reader_, *this, reactor),
      reader_(
          state_, replies_, max_message_bytes, reactor, std::move(budget), [this] { close(); },
          [this](const std::string& why) { close_for_limit(why); }) {
  transport::Readiness* const readiness =
      reactor == nullptr ? nullptr : state_.channel->capabilities().readiness;
  if (readiness != nullptr) descriptor_ = readiness->descriptor();
}

ClientConnection::~ClientConnection() { place_ = nullptr; }

orb::AsyncReplies& ClientConnection::make_async_replies(orb::Core& core) {
  const std::lock_guard lock(async_mutex_);
  if (async_replies_ == nullptr) {
    async_replies_ = std::make_unique<orb::AsyncReplies>(core, *this);
    replies_.set_async(async_replies_.get());
  }
  return *async_replies_;
}

platform::Fd ClientConnection::duplicate_descriptor() const noexcept {
  const std::lock_guard lock(state_.channel_mutex);
  if (descriptor_ < 0) return {};
  platform::Fd borrowed(descriptor_);
  platform::Fd copy = platform::duplicate(borrowed);
  static_cast<void>(borrowed.release());
  return copy;
}

std::int64_t ClientConnection::async_due() { return replies_.async()->due(); }

void ClientConnection::close() noexcept {
  sender_.flush_before_close(Deadline{0}, Deadline::in_ms(100));
  state_.close();
}

void ClientConnection::close_until(Deadline deadline) noexcept {
  sender_.flush_before_close(deadline, deadline);
  state_.close();
}

/// Closes the connection because a limit for received messages was exceeded. Any thread.
[[gnu::cold]] void ClientConnection::close_for_limit(const std::string& why) {
  const std::lock_guard channel(state_.channel_mutex);
  transport::log_refused(state_.channel->peer(), "connection to " + description(), why);
  state_.mark_unusable();
  state_.channel->close();
}

/// A call that has selected this connection and not yet taken the send lock finds the channel closed and is
/// repeated over a new connection: nothing of it was sent. So is one that finds the send lock taken by this
/// function, and its request refused by the queue.
[[gnu::cold]] std::unique_ptr<transport::Channel> ClientConnection::close_if_unused() {
  const auto send_lock = sender_.lock_if_unused();
  if (!send_lock || replies_.has_outstanding_beyond_lost()) return nullptr;
  auto closed = std::make_unique<ClosedChannel>(state_.channel->peer(), state_.undelivered_bytes());
  if (!sender_.queued_requests().close_if_empty()) return nullptr;
  if (!reader_.try_take_role_for_close()) {
    sender_.queued_requests().reopen();
    return nullptr;
  }
  std::unique_ptr<transport::Channel> ended;
  {
    const std::lock_guard lock(state_.channel_mutex);
    ended = std::exchange(state_.channel, std::move(closed));
    descriptor_ = -1;
  }
  reader_.release_role();
  return ended;
}

}  // namespace orbweaver
