// The port of the subjects that have none of their own: a bounded queue and a processing thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness/clock.h"
#include "subject.h"

namespace orbweaver::bench {

/// What the receiver knows at the end.
struct ProfileTotals {
  std::uint32_t packets = 0;  ///< processed
  std::uint32_t wrong = 0;    ///< of those, with other samples than the sender's
};

/// Copies packets into a queue of at most 64, and processes them in a thread. `Sample`: a struct of the
/// shorts `i` and `q`. Any threads may push.
template <class Sample>
class PacketQueue {
 public:
  explicit PacketQueue(std::span<PacketStamps> stamps) : stamps_(stamps), thread_([this] { run(); }) {}
  ~PacketQueue() { finish(); }
  PacketQueue(const PacketQueue&) = delete;
  PacketQueue& operator=(const PacketQueue&) = delete;

  /// Stamps and queues a packet; waits while the queue is full.
  void push(std::uint32_t number, const Sample* samples, std::size_t count) {
    if (number < stamps_.size()) stamps_[number].dispatched_ns = steady_ns();
    std::vector<Sample> copy(samples, samples + count);
    if (number < stamps_.size()) stamps_[number].queued_ns = steady_ns();
    std::unique_lock lock(mutex_);
    space_.wait(lock, [this] { return queue_.size() < kMostPackets; });
    queue_.emplace_back(number, std::move(copy));
    lock.unlock();
    filled_.notify_one();
    if (number < stamps_.size()) stamps_[number].inserted_ns = steady_ns();
    lock.lock();
    if (++pushed_ == stamps_.size()) all_pushed_.notify_all();
  }
  /// Waits until a packet for each of the stamps has been pushed: before finish(), if packets and the request
  /// to finish can be served by different threads.
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    all_pushed_.wait(lock, [this] { return pushed_ >= stamps_.size(); });
  }
  /// Waits until all packets have been processed.
  ProfileTotals finish() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    filled_.notify_one();
    if (thread_.joinable()) thread_.join();
    return totals_;
  }

 private:
  static constexpr std::size_t kMostPackets = 64;
  using Packet = std::pair<std::uint32_t, std::vector<Sample>>;

  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return !queue_.empty() || ended_; });
      if (queue_.empty()) return;
      const Packet packet = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      space_.notify_one();
      const auto& [number, samples] = packet;
      if (number < stamps_.size()) stamps_[number].processed_ns = steady_ns();
      ++totals_.packets;
      if (!are_profile_samples(number, samples.data(), samples.size())) ++totals_.wrong;
    }
  }

  const std::span<PacketStamps> stamps_;
  std::mutex mutex_;
  std::condition_variable filled_, space_, all_pushed_;
  std::deque<Packet> queue_;
  std::size_t pushed_ = 0;
  bool ended_ = false;
  ProfileTotals totals_;  // of the thread
  std::thread thread_;
};

/// Throws std::runtime_error unless all packets were processed with their samples.
inline void check_totals(const ProfileSettings& settings, const ProfileTotals& totals) {
  if (totals.packets != settings.all_packets())
    throw std::runtime_error(std::to_string(totals.packets) + " of " +
                             std::to_string(settings.all_packets()) + " packets were processed");
  if (totals.wrong != 0)
    throw std::runtime_error(std::to_string(totals.wrong) + " packets arrived with wrong samples");
}

}  // namespace orbweaver::bench
