#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include "orb/flushable.h"
#include "orb/options.h"

namespace orbweaver::orb {

class Flusher;

/// Shared state of the SendQueues of one ORB: their limits, the count of their bytes, the flusher, which
/// sends queued requests that need no wait, and threads for those that do, such as requests larger than a
/// ring: one thread for each connection with such a request, until its queue is empty. Thread-safe.
class SendQueueing {
 public:
  /// Both arguments outlive this.
  SendQueueing(const Options& options, Flusher& flusher) : options_(options), flusher_(flusher) {}
  ~SendQueueing() { stop(); }
  SendQueueing(const SendQueueing&) = delete;
  SendQueueing& operator=(const SendQueueing&) = delete;

  const Options& options() const noexcept { return options_; }
  Flusher& flusher() noexcept { return flusher_; }

  /// Bytes in all queues of the ORB.
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  /// Counts `bytes` if the limit of the ORB permits it; else returns false.
  bool take(std::size_t bytes) noexcept;
  void give_back(std::size_t bytes) noexcept { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  /// Starts a thread that calls send_queued_waiting of `connection`. Returns false after `stop`, while
  /// kMaxThreads run, and if no thread can be started.
  bool start_thread(Flushable& connection);
  /// Closes the connections for which threads run, and joins the threads.
  void stop();

 private:
  static constexpr std::size_t kMaxThreads = 16;
  struct Sender {
    FlushablePtr connection;
    std::thread thread;
    std::atomic<bool> ended{false};
  };
  void join_ended() noexcept;
  void run(Sender& sender) noexcept;

  const Options& options_;
  Flusher& flusher_;
  std::atomic<std::size_t> bytes_{0};
  std::mutex mutex_;  // guards the rest
  std::list<Sender> senders_;
  bool stopped_ = false;
};

/// Counters of the process: see OneWayQueueStatistics.
struct OneWayQueueCounters {
  std::atomic<std::uint64_t> queued{0}, sent{0}, dropped_full{0}, rejected_full{0}, lost{0}, discarded{0};
};
OneWayQueueCounters& oneway_queue_counters() noexcept;

}  // namespace orbweaver::orb
