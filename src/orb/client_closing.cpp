// A client's connection that no call uses: how it is closed while its references stay, and give its descriptors back.
#include "orb/client_connection.h"

namespace orbweaver {
namespace {

/// What stands for the channel of a connection that was closed.
class ClosedChannel final : public transport::Channel {
 public:
  ClosedChannel(Peer peer, std::size_t bytes_not_taken) : peer_(std::move(peer)), bytes_not_taken_(bytes_not_taken) {}
  Result<MutableBytes> claim(std::size_t, Deadline) noexcept override { return closed(); }
  Result<void> commit(std::size_t, Deadline) noexcept override { return closed(); }
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline) noexcept override { return closed(); }
  void release() noexcept override {}
  void close() noexcept override {}
  const Peer& peer() const noexcept override { return peer_; }
  std::size_t bytes_not_taken() const noexcept override { return bytes_not_taken_; }

 private:
  Error closed() const { return {Remedy::reconnect, "the connection with " + peer_.address + " was closed, as no call used it"}; }

  const Peer peer_;
  const std::size_t bytes_not_taken_;
};

}  // namespace

/// A call that has the connection, and has not yet locked it to send, finds the channel closed and is made again over a
/// new connection: nothing of it was sent.
std::unique_ptr<transport::Channel> ClientConnection::close_if_unused() {
  const std::unique_lock sender(sending_, std::try_to_lock);
  if (!sender || queued_bytes_ != 0 || fragments_ || owes_more_than_lost()) return nullptr;
  auto closed = std::make_unique<ClosedChannel>(channel_->peer(), channel_->bytes_not_taken());
  if (reading_.exchange(true, std::memory_order_seq_cst)) return nullptr;  // or a reply is being decoded
  usable_.store(false, std::memory_order_release);
  assembler_.clear();
  std::unique_ptr<transport::Channel> ended;
  {
    const std::lock_guard channel(channel_mutex_);
    ended = std::exchange(channel_, std::move(closed));
  }
  stop_reading();
  return ended;
}

std::size_t ClientConnection::bytes_not_taken() const noexcept {
  const std::lock_guard channel(channel_mutex_);
  return channel_->bytes_not_taken();
}

}  // namespace orbweaver
