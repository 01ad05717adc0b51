#pragma once

#include <orbweaver/limits.h>

#include <vector>

#include "platform/udp_socket.h"
#include "transport/stream/reusable_buffer.h"
#include "transport/udp/wire.h"

namespace orbweaver::transport::udp {

/// Packs frames into datagrams. Small frames share a datagram until `next` is called; a large one is split
/// into parts. Datagrams are sent from this memory. Used by one thread.
class SendQueue {
 public:
  SendQueue(std::uint64_t id, std::size_t datagram_bytes) noexcept;

  std::size_t max_frame_bytes() const noexcept;
  /// Claims space for a frame, aligned to 8; empty: no memory. Valid until the next call of any function.
  MutableBytes claim(std::size_t bytes) noexcept;
  /// Adds the first `bytes` claimed as frame `number`.
  void add(std::size_t bytes, std::uint32_t number);
  bool empty() const noexcept { return queue_.empty(); }

  /// Returns the next unsent datagrams, at most as many as `out` holds; 0: none.
  std::size_t next(std::span<platform::OutgoingDatagram> out) noexcept;
  /// Removes the first `datagrams`: they were sent or abandoned.
  void note_sent(std::size_t datagrams) noexcept;
  void clear() noexcept;

 private:
  /// One datagram with complete frames, or all datagrams of one large frame.
  struct QueuedDatagram {
    // offset of its header; in a large frame the first part header and the bytes follow
    std::size_t at = 0;
    std::size_t bytes = 0;  // including the header; of a large frame: its own bytes
    PartHeader large;       // parts > 0: a large frame; `part` is the next to be sent
  };
  static constexpr std::size_t kMaxBatch = 64;  // maximum number of datagrams returned by `next`

  std::size_t stride() const noexcept { return datagram_bytes_ - kDatagramHeaderBytes - kPartHeaderBytes; }
  bool can_append() const noexcept { return !queue_.empty() && queue_.back().large.parts == 0; }

  const std::uint64_t id_;
  const std::size_t datagram_bytes_;
  ReusableBuffer storage_;
  std::size_t end_ = 0;           // of the added frames
  std::size_t claimed_at_ = 0;    // offset of the claimed frame
  bool claimed_appends_ = false;  // it is appended to the last datagram
  std::vector<QueuedDatagram> queue_;
  std::size_t first_ = 0;                                                          // first unsent entry
  std::uint8_t part_headers_[kMaxBatch][kDatagramHeaderBytes + kPartHeaderBytes];  // of parts
};

}  // namespace orbweaver::transport::udp
