#pragma once

#include <vector>

#include "base/receive_budget.h"
#include "transport/stream/storage.h"
#include "transport/transport.h"
#include "transport/udp/counters.h"
#include "transport/udp/wire.h"

namespace orbweaver::transport::datagram {

/// Puts frames together from their parts: one at a time, in the order of their numbers. The beginning of a later frame
/// gives the one before it up. Parts are kept in the order of their arrival, so that storage grows with what has arrived
/// and not with what a part says of its frame. One thread's.
class Reassembly {
 public:
  /// `share`, which outlives this, is told of frames that have not all arrived; null: nobody is.
  Reassembly(std::size_t max_frame_bytes, Counters& counters, ReceiveBudget::Share* share = nullptr) noexcept
      : max_frame_bytes_(max_frame_bytes),
        counters_(counters),
        share_(share),
        storage_(limits::kFirstMessageBytes),
        ordered_(limits::kFirstMessageBytes) {}

  /// The frame that this part completes: in the part itself where that is all of it and aligned to 8, else in here
  /// until `release`; empty while there is none. Remedy::reconnect where the frame is beyond the limit.
  Result<Bytes> take(const Part& part);
  void release() noexcept;
  /// Nothing more will come, and `last_frame` was the last to be sent: what did not come is lost.
  void end(std::uint32_t last_frame) noexcept;
  /// Bytes of storage, used or not.
  std::size_t storage_bytes() const noexcept { return storage_.size() + ordered_.size(); }

 private:
  bool is_wanted(const PartHeader& header) noexcept;
  bool keep(const Part& part) noexcept;
  Bytes in_order() noexcept;
  void give_up_storage() noexcept;
  Error no_memory_for(std::uint32_t bytes) const;

  const std::size_t max_frame_bytes_;
  Counters& counters_;
  ReceiveBudget::Share* const share_;
  Storage storage_;                   // the parts as they came
  Storage ordered_;                   // a whole frame whose parts came in another order
  std::uint32_t stride_ = 0;          // of the frame whose parts those are
  std::size_t kept_ = 0;              // bytes of storage_
  std::vector<std::uint16_t> order_;  // of the parts there
  bool came_in_order_ = true;
  std::uint32_t done_ = 0;            // the last frame that was delivered or given up
  bool done_was_delivered_ = false;
  PartHeader current_;                // of the frame that is being put together; parts 0: none
  std::vector<std::uint64_t> seen_;   // a bit a part of it
  std::size_t missing_ = 0;
  std::size_t in_use_ = 0;            // bytes of a frame that was handed out
};

}  // namespace orbweaver::transport::datagram
