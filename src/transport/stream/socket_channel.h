#pragma once

#include <string>

#include "transport/channel_state.h"
#include "transport/stream/frame_reader.h"
#include "transport/stream/send_buffer.h"
#include "transport/stream/stream_socket.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Base of the channels over a connected stream socket, whether their bytes are sealed or not: state,
/// buffers, the receive budget, limits and errors.
class SocketChannel : public Channel, protected BatchedSending, protected Readiness, protected ReceiveStatus {
 public:
  ~SocketChannel() override { close_as(ChannelState::closed_here); }
  void abandon() noexcept override {}
  void release() noexcept override { reader_.release(); }
  void close() noexcept override { close_as(ChannelState::closed_here); }
  const Peer& peer() const noexcept override { return peer_; }

 protected:
  /// `before_shutdown` is called once, by any thread; it may use what it owns only.
  using BeforeShutdown = std::function<void(const platform::Fd& socket)>;
  SocketChannel(platform::Fd socket, const ChannelOptions& options, Peer peer,
                BeforeShutdown before_shutdown = {});

  void close_as(ChannelState::Value state) noexcept;

  /// Claims `bytes` behind the `queued` bytes of `outgoing_`, at a multiple of 8: see `claimed_at_`.
  Result<MutableBytes> claim_behind(std::size_t queued, std::size_t bytes);

  Error not_open_error() const { return state_.error(peer_); }
  Error lost_while_sending_error() const;
  Error receive_timed_out_error() const;
  Error end_receiving(std::string what);
  /// `not_open_error` for the receiving thread: also frees a partial frame.
  Error end_receiving_closed();
  /// Ends receiving where FrameReader::room is empty.
  [[gnu::cold]] Error end_receiving_without_room();
  /// Ends receiving at the malformed frame that FrameReader::next_frame has reported.
  [[gnu::cold]] Error end_receiving_malformed(const Error& error);
  /// " after N bytes of a frame of M"; empty between frames.
  [[gnu::cold]] std::string within_frame() const;

  int descriptor() noexcept override { return socket_.fd().get(); }
  bool has_partial_frame() const noexcept override { return share_.receiving(); }

  StreamSocket socket_;
  const ChannelOptions options_;
  const Peer peer_;
  ChannelState state_;
  const BeforeShutdown before_shutdown_;

  // Of the sending thread: queued frames, then the claimed one.
  SendBuffer outgoing_;
  std::size_t claimed_at_ = 0;
  bool send_failed_ = false;  // the peer has disconnected, although received frames may be unread

  FrameReader reader_;          // of the receiving thread, like all below
  std::string receive_ended_;   // reason why receiving has ended
  ReceiveBudget::Share share_;  // last: it may close the connection until its destruction
};

}  // namespace orbweaver::transport
