#pragma once

#include <orbweaver/limits.h>

#include <vector>

#include "platform/datagram.h"
#include "transport/stream/storage.h"
#include "transport/udp/wire.h"

namespace orbweaver::transport::datagram {

/// Frames on their way into datagrams. Small ones share a datagram, as long as nobody has asked for what is there; a
/// large one is cut into parts. They are written where they are sent from. One thread's.
class Outbox {
 public:
  Outbox(std::uint64_t id, std::size_t datagram_bytes) noexcept;

  std::size_t max_frame_bytes() const noexcept;
  /// Room for a frame, aligned to 8; empty: no memory. Valid until the next call of anything here.
  MutableBytes claim(std::size_t bytes) noexcept;
  /// The first `bytes` of what was claimed are frame `number`.
  void add(std::size_t bytes, std::uint32_t number);
  bool empty() const noexcept { return runs_.empty(); }

  /// The next datagrams that have not left, at most as many as `out` holds; 0: there are none.
  std::size_t next(std::span<platform::OutgoingDatagram> out) noexcept;
  /// The first `datagrams` of them have left, or are given up.
  void gone(std::size_t datagrams) noexcept;
  void clear() noexcept;

 private:
  /// One datagram with whole frames, or the datagrams of one large frame.
  struct Run {
    std::size_t at = 0;           // its start, which a large frame's first part header and bytes follow
    std::size_t bytes = 0;        // start included; of a large frame: its own bytes
    PartHeader large;             // parts > 0: of a large frame; `part` is the next to leave
  };
  static constexpr std::size_t kMost = 64;  // datagrams that `next` gives at once

  std::size_t stride() const noexcept { return datagram_bytes_ - kStartBytes - kPartHeaderBytes; }
  bool shares() const noexcept { return !runs_.empty() && runs_.back().large.parts == 0; }

  const std::uint64_t id_;
  const std::size_t datagram_bytes_;
  Storage storage_;
  std::size_t end_ = 0;          // of what was added
  std::size_t claimed_at_ = 0;   // where the frame being written begins
  bool claimed_shares_ = false;  // it goes into the last datagram
  std::vector<Run> runs_;
  std::size_t first_ = 0;        // run that has not left
  std::uint8_t heads_[kMost][kStartBytes + kPartHeaderBytes];  // of parts
};

}  // namespace orbweaver::transport::datagram
