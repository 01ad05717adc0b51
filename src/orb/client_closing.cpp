// Closes a client connection that no call uses and releases its descriptors, while references still share the
// object.
#include "orb/client/client_connection.h"

namespace orbweaver {
namespace {

/// Replaces the channel of a closed connection; each operation fails with ErrorKind::disconnected.
class ClosedChannel final : public transport::Channel {
 public:
  ClosedChannel(Peer peer, std::size_t undelivered_bytes)
      : peer_(std::move(peer)), bytes_not_taken_(undelivered_bytes) {}
  Result<MutableBytes> claim(std::size_t, Deadline) noexcept override { return closed(); }
  Result<void> commit(std::size_t, Deadline) noexcept override { return closed(); }
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline) noexcept override { return closed(); }
  void release() noexcept override {}
  void close() noexcept override {}
  const Peer& peer() const noexcept override { return peer_; }
  std::size_t undelivered_bytes() const noexcept override { return bytes_not_taken_; }

 private:
  Error closed() const {
    return {ErrorKind::disconnected,
            "the connection with " + peer_.address + " was closed because no call used it"};
  }

  const Peer peer_;
  const std::size_t bytes_not_taken_;
};

}  // namespace

/// A call that has selected this connection and not yet taken the send lock finds the channel closed and is
/// repeated over a new connection: nothing of it was sent.
std::unique_ptr<transport::Channel> ClientConnection::close_if_unused() {
  const std::unique_lock sender(send_lock_, std::try_to_lock);
  if (!sender || queued_bytes_ != 0 || fragments_ || has_outstanding_beyond_lost()) return nullptr;
  auto closed = std::make_unique<ClosedChannel>(channel_->peer(), channel_->undelivered_bytes());
  // held by a thread that reads or decodes a reply
  if (has_reader_.exchange(true, std::memory_order_seq_cst)) return nullptr;
  usable_.store(false, std::memory_order_release);
  assembler_.clear();
  std::unique_ptr<transport::Channel> ended;
  {
    const std::lock_guard channel(channel_mutex_);
    ended = std::exchange(channel_, std::move(closed));
  }
  release_reader_role();
  return ended;
}

std::size_t ClientConnection::undelivered_bytes() const noexcept {
  const std::lock_guard channel(channel_mutex_);
  return channel_->undelivered_bytes();
}

}  // namespace orbweaver
