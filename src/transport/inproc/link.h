#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "platform/memory.h"
#include "platform/socket.h"
#include "transport/ring/ring_frames.h"

namespace orbweaver::transport {

/// A bell inside one process, made when somebody first wants to wait at it.
class LazyBell final : public shmem::Doorbell {
 public:
  LazyBell() = default;
  ~LazyBell() { delete wake_up_.load(std::memory_order_relaxed); }
  LazyBell(const LazyBell&) = delete;
  LazyBell& operator=(const LazyBell&) = delete;

  void ring() noexcept override {
    if (platform::WakeUp* wake_up = wake_up_.load(std::memory_order_acquire)) wake_up->notify();
  }
  /// -1 where there is no descriptor left. The receiving thread, like `quieten`.
  int descriptor() noexcept;
  void quieten() noexcept {
    if (platform::WakeUp* wake_up = wake_up_.load(std::memory_order_relaxed)) wake_up->drain();
  }

 private:
  std::atomic<platform::WakeUp*> wake_up_{nullptr};
};

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
  LazyBell& bell(int end) noexcept { return bell_[end]; }
  /// Any thread, any number of times: this end fails from now on, the other once it has read what there is.
  void close(int end) noexcept;

 private:
  struct End {
    End(shmem::RingMemory out, shmem::RingMemory in, const ChannelOptions& options) : frames(out, in, options, life) {}

    shmem::RingLife life;
    RingFrames frames;
  };
  shmem::RingMemory ring(int towards) noexcept;

  const platform::Mapping memory_;  // each ring twice in a row: a frame never wraps
  const std::size_t ring_bytes_;
  std::array<shmem::RingWords, 2> words_;  // of the ring towards the end of that index
  std::array<LazyBell, 2> bell_;           // at which the end of that index waits
  std::array<End, 2> end_;                 // 0 called, 1 listened
};

}  // namespace orbweaver::transport
