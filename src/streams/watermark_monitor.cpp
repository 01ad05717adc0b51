#include <orbweaver/streams/detail/watermark_monitor.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "base/catch_and_log.h"

namespace orbweaver::streams::detail {

namespace {

/// Throws if the watermarks of one unit, "packets" or "bytes", are not usable with the queue's limit.
void check(const char* unit, std::size_t high, std::size_t low, std::size_t limit) {
  if (high == kUnlimited) return;
  if (high <= low || high > limit) {
    throw std::invalid_argument("watermarks in " + std::string(unit) + ": high " + std::to_string(high) +
                                ", low " + std::to_string(low) +
                                ": high must be greater than low, and at most the queue's limit");
  }
}

}  // namespace

void check(const QueueLimits& limits) {
  if (limits.packets == 0 || limits.bytes == 0)
    throw std::invalid_argument("a queue with a limit of 0 can hold nothing");
}

WatermarkMonitor::WatermarkMonitor(Watermarks watermarks, const QueueLimits& limits)
    : watermarks_(std::move(watermarks)) {
  check("packets", watermarks_.high_packets, watermarks_.low_packets, limits.packets);
  check("bytes", watermarks_.high_bytes, watermarks_.low_bytes, limits.bytes);
}

bool WatermarkMonitor::update(std::size_t packets, std::size_t bytes) noexcept {
  const Watermarks& w = watermarks_;
  if (packets >= w.high_packets || bytes >= w.high_bytes) {
    high_ = true;
  } else if ((w.high_packets == kUnlimited || packets <= w.low_packets) &&
             (w.high_bytes == kUnlimited || bytes <= w.low_bytes)) {
    high_ = false;
  }
  return high_ != reported_high_ && !reporting_;
}

void WatermarkMonitor::report(std::unique_lock<std::mutex>& lock, QueueCounts& counts) noexcept {
  reporting_ = true;
  while (reported_high_ != high_) {
    reported_high_ = high_;
    ++(reported_high_ ? counts.high_reports : counts.low_reports);
    const auto& function = reported_high_ ? watermarks_.on_high : watermarks_.on_low;
    if (!function) continue;
    lock.unlock();
    const bool returned = catch_and_log("watermark function of a queue", function);
    lock.lock();
    if (!returned) ++counts.failed_callbacks;
  }
  reporting_ = false;
}

}  // namespace orbweaver::streams::detail
