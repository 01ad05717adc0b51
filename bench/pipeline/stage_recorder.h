// What a stage counts and measures. Compiled into the programs of the pipeline, of every ORB.
#pragma once

#include <orbweaver/streams/reorder_detector.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "bench/harness/clock.h"
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
  };

  /// A packet has arrived in an upcall.
  void arrive(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    arrivals_.observe(number);
  }
  /// Works on a packet.
  void work_on(const PipelineSettings& settings, std::uint32_t number, const double* samples,
               std::size_t count) {
    const Work work(settings);
    const bool intact = is_packet(number, samples, count);
    work.finish(samples, count);
    const std::lock_guard lock(mutex_);
    processed_.observe(number);
    if (!intact) ++corrupt_;
  }
  /// The stage has worked on a packet and passed it on.
  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    last_ns_ = std::max(last_ns_, steady_ns());
    changed_.notify_all();
  }

  /// Waits until `packets` packets have left, at most for half a minute: lost packets do not arrive. Returns
  /// the number that have left.
  std::uint64_t wait_for(std::uint64_t packets) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(30), [&] { return left_ >= packets; });
    return left_;
  }
  Totals totals() const {
    const std::lock_guard lock(mutex_);
    return {processed_.counts(), arrivals_.counts(), corrupt_, left_, last_ns_};
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  streams::ReorderDetector processed_;
  streams::ReorderDetector arrivals_;
  std::uint64_t corrupt_ = 0;
  std::uint64_t left_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace orbweaver::bench
