// Counters and measurements of a stage. Compiled into the programs of the pipeline, of every ORB.
#pragma once

#include <orbweaver/streams/reorder_detector.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "result.h"
#include "work.h"

namespace orbweaver::bench {

/// Counters of one stage. Any thread.
class StageRecorder {
 public:
  /// Totals; times of steady_ns().
  struct Totals {
    streams::ReorderDetector::Counts processed;
    streams::ReorderDetector::Counts arrived;
    std::uint64_t corrupt = 0;
    std::uint64_t left = 0;
    std::int64_t last_ns = 0;
    StageOverhead overhead;
  };

  /// A packet has arrived in an upcall.
  void arrive(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    arrivals_.observe(number);
  }
  /// Works on a packet. Returns the time at which the work ended, for leave().
  std::int64_t work_on(const PipelineSettings& settings, std::uint32_t number, const double* samples,
                       std::size_t count) {
    const std::int64_t began_ns = steady_ns();
    const Work work(settings);
    const bool intact = is_packet(number, samples, count);
    work.finish(samples, count);
    const std::int64_t ended_ns = steady_ns();
    const std::lock_guard lock(mutex_);
    processed_.observe(number);
    if (!intact) ++corrupt_;
    if (worked_ns_ != 0) between_ns_ += std::max<std::int64_t>(began_ns - worked_ns_, 0);
    worked_ns_ = ended_ns;
    late_ns_ += ended_ns - began_ns - static_cast<std::int64_t>(settings.work_ms * 1e6);
    return ended_ns;
  }
  /// The stage has worked on a packet, until `ended_ns`, and passed it on. Any thread.
  void leave(std::int64_t ended_ns) {
    const std::lock_guard lock(mutex_);
    ++left_;
    const std::int64_t now_ns = steady_ns();
    pass_on_ns_ += now_ns - ended_ns;
    last_ns_ = std::max(last_ns_, now_ns);
    if (waiting_) changed_.notify_all();
  }

  /// Waits until `packets` packets have left, at most for half a minute: lost packets do not arrive. Returns
  /// the number that have left.
  std::uint64_t wait_for(std::uint64_t packets) {
    std::unique_lock lock(mutex_);
    waiting_ = true;
    changed_.wait_for(lock, std::chrono::seconds(30), [&] { return left_ >= packets; });
    waiting_ = false;
    return left_;
  }
  Totals totals() const {
    const std::lock_guard lock(mutex_);
    return {processed_.counts(),
            arrivals_.counts(),
            corrupt_,
            left_,
            last_ns_,
            {per_packet_us(late_ns_), per_packet_us(between_ns_), per_packet_us(pass_on_ns_)}};
  }

 private:
  /// Mean over the packets that have left.
  double per_packet_us(std::int64_t total_ns) const {
    return left_ == 0 ? 0 : static_cast<double>(total_ns) / 1e3 / static_cast<double>(left_);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  streams::ReorderDetector processed_;
  streams::ReorderDetector arrivals_;
  std::uint64_t corrupt_ = 0;
  std::uint64_t left_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t worked_ns_ = 0;  // end of the latest work
  std::int64_t late_ns_ = 0;
  std::int64_t pass_on_ns_ = 0;
  std::int64_t between_ns_ = 0;
  bool waiting_ = false;  // a thread is in wait_for()
};

}  // namespace orbweaver::bench
