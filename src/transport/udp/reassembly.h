#pragma once

#include <vector>

#include "transport/stream/storage.h"
#include "transport/transport.h"
#include "transport/udp/counters.h"
#include "transport/udp/wire.h"

namespace orbweaver::transport::datagram {

/// Puts frames together from their parts: one at a time, in the order of their numbers. The beginning of a later frame
/// gives the one before it up. Storage holds one frame and is bounded by the channel's largest. One thread's.
class Reassembly {
 public:
  Reassembly(std::size_t max_frame_bytes, Counters& counters) noexcept
      : max_frame_bytes_(max_frame_bytes), counters_(counters), storage_(limits::kFirstMessageBytes) {}

  /// The frame that this part completes: in the part itself where that is all of it and aligned to 8, else in here
  /// until `release`; empty while there is none. Remedy::reconnect where the frame is beyond the limit.
  Result<Bytes> take(const Part& part) noexcept;
  void release() noexcept;
  /// Nothing more will come, and `last_frame` was the last to be sent: what did not come is lost.
  void end(std::uint32_t last_frame) noexcept;

 private:
  bool is_wanted(const PartHeader& header) noexcept;
  Error no_memory_for(std::uint32_t bytes) const;

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
