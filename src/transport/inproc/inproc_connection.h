#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "platform/memory.h"
#include "platform/socket.h"
#include "transport/ring/ring_frames.h"

namespace orbweaver::transport {

/// Notifier inside one process. Its wake-up descriptor is created at the first request for it.
class LazyEventNotifier final : public shm::Notifier {
 public:
  LazyEventNotifier() = default;
  ~LazyEventNotifier() { delete wake_up_.load(std::memory_order_relaxed); }
  LazyEventNotifier(const LazyEventNotifier&) = delete;
  LazyEventNotifier& operator=(const LazyEventNotifier&) = delete;

  void notify() noexcept override {
    if (platform::WakeupFd* wake_up = wake_up_.load(std::memory_order_acquire)) wake_up->notify();
  }
  /// Returns the wake-up descriptor, or -1 if no descriptor is left. Called by the receiving thread, like
  /// `drain`.
  int descriptor() noexcept;
  void drain() noexcept {
    if (platform::WakeupFd* wake_up = wake_up_.load(std::memory_order_relaxed)) wake_up->drain();
  }

 private:
  std::atomic<platform::WakeupFd*> wake_up_{nullptr};
};

/// A connection inside one process: two rings in private memory, and the connection state of both ends. Owned
/// by both channels, so that either end may wake the other in any order of destruction.
class InprocConnection {
 public:
  /// Creates a connection. Each end has its own options; the ring size is the listener's. Errors: unavailable
  /// if memory is short.
  static Result<std::shared_ptr<InprocConnection>> make(const ChannelOptions& caller,
                                                        const ChannelOptions& listener);

  InprocConnection(platform::Mapping memory, std::size_t ring_bytes, const ChannelOptions& caller,
                   const ChannelOptions& listener);

  RingFrames& frames(int end) noexcept { return end_[end].frames; }
  LazyEventNotifier& notifier(int end) noexcept { return notifier_[end]; }
  /// Closes one end. Thread-safe, idempotent: this end fails from now on, the other once it has read the
  /// remaining frames.
  void close(int end) noexcept;

 private:
  struct End {
    End(shm::RingMemory out, shm::RingMemory in, const ChannelOptions& options)
        : frames(out, in, options, connection) {}

    shm::RingConnectionState connection;
    RingFrames frames;
  };
  shm::RingMemory ring(int towards) noexcept;

  const platform::Mapping memory_;  // each ring is mapped twice in a row: no frame wraps
  const std::size_t ring_bytes_;
  std::array<shm::RingWords, 2> words_;        // of the ring towards the end of that index
  std::array<LazyEventNotifier, 2> notifier_;  // the end of that index waits at it
  std::array<End, 2> end_;                     // 0: connecting end, 1: listening end
};

}  // namespace orbweaver::transport
