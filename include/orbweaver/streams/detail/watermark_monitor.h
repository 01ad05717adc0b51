#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <orbweaver/streams/queue_options.h>

namespace orbweaver::streams::detail {

/// Throws std::invalid_argument for a limit of 0.
void check(const QueueLimits& limits);

/// The level of a queue with hysteresis, and the calls of its Watermarks. All functions are called with the
/// queue's mutex held.
class WatermarkMonitor {
 public:
  /// Throws std::invalid_argument for a high watermark that is not greater than the low one, or greater than
  /// the limit of the queue.
  WatermarkMonitor(Watermarks watermarks, const QueueLimits& limits);

  /// Computes the level for this content of the queue. Returns whether report() is to be called: there is a
  /// change to report, and no other thread does so already.
  bool update(std::size_t packets, std::size_t bytes) noexcept;

  /// Calls the functions of changes that have not been reported, with `lock` unlocked meanwhile. `lock` holds
  /// the queue's mutex, before and after.
  void report(std::unique_lock<std::mutex>& lock, QueueCounts& counts) noexcept;

 private:
  const Watermarks watermarks_;
  bool high_ = false;           // the level
  bool reported_high_ = false;  // the level of the last report
  bool reporting_ = false;      // a thread is in report()
};

}  // namespace orbweaver::streams::detail
