#pragma once

#include "base/receive_budget.h"
#include "transport/checked_frame.h"
#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"
#include "transport/stream/send_storage.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// One end's frames over two rings: in place where they fit into the ring, in parts where they are too large
/// for it. The channel that owns it makes the rings, and tells it through RingLife when an end has gone.
/// Calls as in Channel: one thread sends, one receives.
///
/// A failure to send leaves receiving alone: what the peer committed before it went is still to be read.
/// Functions with a Result throw where there is no memory for an error's text; the channel contains that.
/// After receive has failed with Remedy::reconnect, the owner closes. `end` does so where a frame in parts
/// has to be given up for the budget of the options; without it nothing is counted.
class RingFrames {
 public:
  RingFrames(const shmem::RingMemory& out, const shmem::RingMemory& in, const ChannelOptions& options,
             const shmem::RingLife& life, ReceiveBudget::End end = {}, ReceiveBudget::HasInput has_input = {})
      : options_(options),
        life_(life),
        writer_(out, options.wait, life),
        reader_(in, options.wait, life),
        share_(end ? options.budget : nullptr, end, ReceiveBudget::Timed::yes, has_input) {}

  /// Frames in parts are counted as what that peer holds.
  void count_for(const Peer& peer) { share_.count_for(peer); }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline);
  /// Remedy::wait with `broken` set: part of the frame has left, so that the owner has to close.
  Result<void> commit(std::size_t bytes, Deadline deadline, bool& broken);
  /// As Channel::queue. A frame that goes in parts is not kept.
  Result<void> queue(std::size_t bytes, Deadline deadline, bool& broken);
  Result<void> flush();
  /// As Channel::put_head. `peer_knows`: heads at all.
  void put_head(MutableBytes room, const Head& head, bool peer_knows) noexcept {
    if (claimed_in_ring_) return writer_.put_head(room, head, peer_knows);
    std::memcpy(room.data(), head.octets.data(), head.octets.size());
  }
  /// `known`: as Channel::known.
  Result<Bytes> receive(Deadline deadline, Channel::Known& known);
  void release() noexcept;
  /// As Channel::commits_at_once: what was claimed in the ring is there already.
  bool commits_at_once() const noexcept { return claimed_in_ring_; }
  /// As Channel::arm.
  bool arm() noexcept { return reader_.arm(); }
  /// As Channel::receiving.
  bool receiving() const noexcept { return share_.receiving(); }
  /// `receive` failed because this end or the peer has ended the connection, not for what the peer wrote. The receiver.
  bool has_ended() const noexcept { return reader_.has_ended(); }
  /// Wait::spin: its reader never sleeps, at no descriptor either.
  bool can_be_polled() const noexcept { return options_.wait != Wait::spin; }

  /// Wakes this end's waiting threads, from any thread, after `life` has changed.
  void wake() noexcept {
    writer_.wake();
    reader_.wake();
  }

 private:
  /// In memory of its own: a frame that is too large for the ring, or for anything.
  Result<MutableBytes> claim_apart(std::size_t bytes);
  Result<void> commit_parts(std::size_t bytes, Deadline deadline, bool& broken);
  Result<Bytes> receive_parts(shmem::RingReader::Piece piece, Deadline deadline);
  Result<Bytes> assemble(shmem::RingReader::Piece piece, Deadline deadline);
  /// Frees the storage of frames in parts and counts none of it any longer: nothing more is received.
  void drop() noexcept;
  void release_parts() noexcept;
  Error gone() const;

  static constexpr std::size_t kDropped = SIZE_MAX;
  static constexpr std::size_t kUsualLargeBytes = limits::kFirstMessageBytes;

  const ChannelOptions options_;
  const shmem::RingLife& life_;
  // The sender's.
  shmem::RingWriter writer_;
  SendStorage outgoing_{kUsualLargeBytes,
                        options_.budget};  // a frame that is too large for the ring is written here first
  bool claimed_in_ring_ = false;
  // The receiver's.
  shmem::RingReader reader_;
  Storage incoming_{kUsualLargeBytes};  // … and put together here
  std::size_t large_received_ = 0;      // bytes of the frame in use, if it came in parts
  std::size_t assembled_ = 0;  // bytes of one that has not all arrived; kDropped: receiving has failed
  // The last frame with a head whose length was found right: the next one mostly says the same.
  std::uint32_t checked_head_ = 0;
  std::uint32_t checked_size_ = 0;  // what it had where its size may be told
  std::size_t checked_bytes_ = 0;
  ReceiveBudget::Share share_;  // last: it may end the connection until it is gone
};

inline Result<MutableBytes> RingFrames::claim(std::size_t bytes, Deadline deadline) {
  if (bytes > options_.max_frame_bytes || bytes > writer_.max_piece()) [[unlikely]] return claim_apart(bytes);
  claimed_in_ring_ = true;
  return writer_.claim(bytes, deadline);
}

inline Result<void> RingFrames::commit(std::size_t bytes, Deadline deadline, bool& broken) {
  if (life_.closed.load(std::memory_order_relaxed) || life_.peer_gone.load(std::memory_order_relaxed)) [[unlikely]] {
    return gone();
  }
  if (!claimed_in_ring_) [[unlikely]] return commit_parts(bytes, deadline, broken);
  writer_.publish(bytes, shmem::Kind::frame);
  outgoing_.used(0);
  return {};
}

inline Result<Bytes> RingFrames::receive(Deadline deadline, Channel::Known& known) {
  Result<shmem::RingReader::Piece> piece = reader_.receive(deadline);
  if (!piece) [[unlikely]] {
    if (piece.error().remedy == Remedy::reconnect) drop();
    return piece.take_error();
  }
  known = piece->known;
  if (piece->kind != shmem::Kind::frame || assembled_ != 0) [[unlikely]] return receive_parts(*piece, deadline);
  large_received_ = 0;
  const Bytes frame = piece->bytes;
  if (known.head == 0) return checked_frame(frame, options_);
  // A frame's first twelve octets tell its length; but for these four they are its head's.
  std::uint32_t size;
  std::memcpy(&size, frame.data() + shmem::kVaryingAt, sizeof size);
  if (known.head == checked_head_ && size == checked_size_ && frame.size() == checked_bytes_) [[likely]] return frame;
  Result<Bytes> checked = checked_frame(frame, options_);
  if (checked) {
    checked_head_ = known.head;
    checked_size_ = size;
    checked_bytes_ = frame.size();
  }
  return checked;
}

inline void RingFrames::release() noexcept {
  if (large_received_ != 0) [[unlikely]] return release_parts();
  reader_.release();
  if (incoming_.used(0)) [[unlikely]] share_.done(0);
}

}  // namespace orbweaver::transport
