#pragma once

#include <vector>

#include "transport/stream/storage.h"
#include "transport/transport.h"
#include "transport/udp/wire.h"

namespace orbweaver::transport::datagram {

/// What became of what arrived at one end of a channel. Counted by its receiving thread; read it from there, or once
/// that is still.
struct Counters {
  std::uint64_t frames = 0;         ///< Delivered.
  std::uint64_t frames_lost = 0;    ///< Their numbers were passed over: a part or all of them never came in time.
  std::uint64_t late = 0;           ///< Parts of frames that were passed over before: dropped.
  std::uint64_t duplicates = 0;     ///< Parts that had been taken already: dropped.
  std::uint64_t foreign = 0;        ///< Datagrams with another connection's number, or of no kind known: dropped.
  std::uint64_t malformed = 0;      ///< Datagrams of this connection whose numbers contradict each other: dropped.
};

/// Puts frames together from their parts: one at a time, in the order of their numbers. The beginning of a later frame
/// gives the one before it up. Storage holds one frame and is bounded by the channel's largest. One thread's.
class Reassembly {
 public:
  Reassembly(std::size_t max_frame_bytes, Counters& counters) noexcept
      : max_frame_bytes_(max_frame_bytes), counters_(counters), storage_(limits::kFirstMessageBytes) {}

  /// Takes a datagram of kind `part`. The frame that it completes: in the datagram itself where that is all of it, else
  /// in here until `release`; empty while there is none. Remedy::reconnect where the frame is beyond the limit.
  Result<Bytes> take(Bytes datagram) noexcept;
  void release() noexcept;

 private:
  bool is_wanted(const PartHeader& header) noexcept;

  const std::size_t max_frame_bytes_;
  Counters& counters_;
  Storage storage_;
  std::uint32_t done_ = 0;            // the last frame that was delivered or given up
  bool done_was_delivered_ = false;
  PartHeader current_;                // of the frame that is being put together; parts 0: none
  std::vector<std::uint64_t> seen_;   // a bit a part of it
  std::size_t missing_ = 0;
  std::size_t in_use_ = 0;            // bytes of a frame that was handed out
};

}  // namespace orbweaver::transport::datagram
