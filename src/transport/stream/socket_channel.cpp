#include "transport/stream/socket_channel.h"

#include "base/bytes.h"
#include "transport/malformed_input.h"

namespace orbweaver::transport {

SocketChannel::SocketChannel(platform::Fd socket, const ChannelOptions& options, Peer peer,
                             BeforeShutdown before_shutdown)
    : socket_(std::move(socket), options.wait), options_(options), peer_(std::move(peer)),
      before_shutdown_(std::move(before_shutdown)), outgoing_(limits::kFirstMessageBytes, options_.budget),
      reader_(options.frame_length, options.max_frame_bytes, &share_),
      share_(
          options.budget,
          [this](const std::string& why) {
            log_refused(peer_, why);
            close_as(ChannelState::lost);
          },
          ReceiveBudget::Timed::yes, [this] { return socket_.has_input(); }) {
  share_.count_for(peer_);
  capabilities_.batches_replies = capabilities_.polls_data_socket = true;
  capabilities_.batching = this;
  capabilities_.readiness = this;
  capabilities_.receive_status = this;
}

void SocketChannel::close_as(ChannelState::Value state) noexcept {
  if (!state_.close_as(state)) return;
  if (before_shutdown_) before_shutdown_(socket_.fd());
  socket_.shut_down();
}

Result<MutableBytes> SocketChannel::claim_behind(std::size_t queued, std::size_t bytes) {
  if (!state_.is_open()) return not_open_error();
  if (send_failed_) return lost_while_sending_error();
  if (bytes > options_.max_frame_bytes) return frame_limit_error(bytes, options_.max_frame_bytes);
  claimed_at_ = round_up(queued, 8);
  if (!outgoing_.grow(claimed_at_ + bytes, queued)) return no_memory_for_frame_error(bytes);
  return MutableBytes(outgoing_.data() + claimed_at_, bytes);
}

Error SocketChannel::lost_while_sending_error() const {
  return Error{ErrorKind::disconnected, "the connection to " + peer_.address + " was lost while sending"};
}

Error SocketChannel::receive_timed_out_error() const {
  return Error{ErrorKind::timed_out, peer_.address + ": receive timed out"};
}

Error SocketChannel::end_receiving(std::string what) {
  receive_ended_ = std::move(what);
  reader_.drop();
  close_as(ChannelState::lost);
  return Error{ErrorKind::disconnected, receive_ended_};
}

Error SocketChannel::end_receiving_closed() {
  reader_.drop();
  return not_open_error();
}

Error SocketChannel::end_receiving_without_room() {
  return end_receiving("no memory, or receive budget exhausted (-ORBTune receive-bytes), for a frame of " +
                       std::to_string(reader_.announced_bytes()) + " bytes from " + peer_.address);
}

Error SocketChannel::end_receiving_malformed(const Error& error) {
  log_refused(peer_, error.message);
  return end_receiving(peer_.address + ": " + error.message);
}

std::string SocketChannel::within_frame() const {
  if (reader_.partial_bytes() == 0) return {};
  return " after " + std::to_string(reader_.partial_bytes()) + " bytes of a frame" +
         (reader_.announced_bytes() == 0 ? "" : " of " + std::to_string(reader_.announced_bytes()));
}

}  // namespace orbweaver::transport
