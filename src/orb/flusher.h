#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>

#include "orb/flushable.h"

namespace orbweaver::orb {

/// Flushes queued messages at the end of -ORBTune batch-delay-us, in one thread, which is started on first
/// use. Thread-safe.
class Flusher {
 public:
  Flusher() = default;
  ~Flusher() { stop(); }
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  /// A function of a Flushable that returns the time of its next call, 0 for none.
  using DueFunction = std::int64_t (Flushable::*)();
  /// Schedules `due` of `connection` at `due_ns` (now_ns). Returns false after `stop`, or if the thread
  /// cannot be started.
  bool add(Flushable& connection, std::int64_t due_ns, DueFunction due = &Flushable::flush_due);
  /// Stops the thread. Messages still queued are sent when their connection is closed.
  void stop();

 private:
  struct ScheduledFlush {
    std::int64_t at_ns;
    FlushablePtr connection;
    DueFunction due;
  };
  void schedule(ScheduledFlush due);
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ScheduledFlush> due_;  // ordered by time
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace orbweaver::orb
