#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>

#include "orb/flushable.h"

namespace orbweaver::orb {

/// Sends what connections have queued when -ORBBatchDelay is over, in a thread of its own, which begins with the
/// first that is queued. Any thread.
class Flusher {
 public:
  Flusher() = default;
  ~Flusher() { stop(); }
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  /// `connection` is flushed at `due_ns`. False after `stop`, or where there is no thread to be had.
  bool add(Flushable& connection, std::int64_t due_ns);
  /// Nothing is flushed any more: what is queued leaves at the close of its connection.
  void stop();

 private:
  struct Due {
    std::int64_t at_ns;
    FlushablePtr connection;
  };
  void put(Due due);
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Due> due_;  // the earliest first
  bool over_ = false;
  std::thread thread_;
};

}  // namespace orbweaver::orb
