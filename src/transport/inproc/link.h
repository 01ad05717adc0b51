#pragma once

#include <array>
#include <memory>

#include "platform/memory.h"
#include "transport/ring/ring_frames.h"

namespace orbweaver::transport {

/// A connection inside one process: two rings in memory of its own, and the life of both ends. It belongs to
/// both channels, so that either may wake the other however the two are destroyed.
class InprocLink {
 public:
  /// Each end has options of its own; the size of the rings is the listener's.
  /// Remedy::give_up where memory is short.
  static Result<std::shared_ptr<InprocLink>> make(const ChannelOptions& caller, const ChannelOptions& listener);

  InprocLink(platform::Mapping memory, std::size_t ring_bytes, const ChannelOptions& caller,
             const ChannelOptions& listener);

  RingFrames& frames(int end) noexcept { return end_[end].frames; }
  /// Any thread, any number of times: this end fails from now on, the other once it has read what there is.
  void close(int end) noexcept;

 private:
  struct End {
    shmem::RingLife life;
    RingFrames frames;
  };
  shmem::RingMemory ring(int towards) noexcept;

  const platform::Mapping memory_;  // each ring twice in a row: a frame never wraps
  const std::size_t ring_bytes_;
  std::array<shmem::RingWords, 2> words_;  // of the ring towards the end of that index
  std::array<End, 2> end_;                 // 0 called, 1 listened
};

}  // namespace orbweaver::transport
