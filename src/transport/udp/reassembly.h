#pragma once

#include <vector>

#include "base/receive_budget.h"
#include "transport/stream/reusable_buffer.h"
#include "transport/transport.h"
#include "transport/udp/counters.h"
#include "transport/udp/wire.h"

namespace orbweaver::transport::udp {

/// Reassembles frames from parts, one frame at a time, in the order of their numbers. The first part of a
/// later frame abandons the current one. Parts are stored in order of arrival, so that memory grows with
/// received bytes and not with announced ones. Used by one thread.
class Reassembly {
 public:
  /// `share` counts frames that have not arrived completely and outlives this object; null: no counting.
  Reassembly(std::size_t max_frame_bytes, Counters& counters, ReceiveBudget::Share* share = nullptr) noexcept
      : max_frame_bytes_(max_frame_bytes), counters_(counters), share_(share),
        storage_(limits::kFirstMessageBytes), ordered_(limits::kFirstMessageBytes) {}

  /// Adds a part and returns the frame that it completes: in place if the part is the whole frame and aligned
  /// to 8, else in this object until `release`; empty if none is complete.
  /// Errors: disconnected if the frame exceeds the limit.
  Result<Bytes> take(const Part& part);
  void release() noexcept;
  /// Ends receiving. `last_frame` was the last one sent: frames that did not arrive are counted as lost.
  void end(std::uint32_t last_frame) noexcept;
  /// Bytes of memory allocated.
  std::size_t storage_bytes() const noexcept { return storage_.size() + ordered_.size(); }

 private:
  bool accepts_part(const PartHeader& header) noexcept;
  bool begin_frame(const PartHeader& header) noexcept;
  Result<Bytes> complete_frame(const PartHeader& header, Bytes in_place);
  bool keep(const Part& part) noexcept;
  Bytes in_order() noexcept;
  void release_incomplete() noexcept;
  Error no_memory_for(std::uint32_t bytes) const;

  const std::size_t max_frame_bytes_;
  Counters& counters_;
  ReceiveBudget::Share* const share_;
  ReusableBuffer storage_;            // parts in order of arrival
  ReusableBuffer ordered_;            // complete frame whose parts arrived in another order
  std::uint32_t stride_ = 0;          // of the frame that the parts belong to
  std::size_t kept_ = 0;              // bytes of storage_
  std::vector<std::uint16_t> order_;  // numbers of the parts in storage_
  bool came_in_order_ = true;
  std::uint32_t last_done_ = 0;  // the last frame that was delivered or abandoned
  bool last_was_delivered_ = false;
  PartHeader partial_frame_;         // the frame being reassembled; parts 0: none
  std::vector<std::uint64_t> seen_;  // one bit per part
  std::size_t missing_ = 0;
  std::size_t in_use_ = 0;  // bytes of the frame returned
};

}  // namespace orbweaver::transport::udp
