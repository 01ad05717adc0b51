#pragma once

#include <orbweaver/rtcorba.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "orb/options.h"
#include "orb/real_time.h"
#include "orb/server/request_queue.h"
#include "platform/thread_priority.h"

namespace orbweaver::realtime {

/// A thread pool of Real-time CORBA: threads in lanes, each of one priority. A request that has a place is
/// executed by a thread of its lane, in the order of the lane. Thread-safe.
class ThreadPool final : public orb::LanePool, public std::enable_shared_from_this<ThreadPool> {
 public:
  struct Settings {
    std::size_t stack_bytes = 0;
    RTCORBA::ThreadpoolLanes lanes;  ///< In ascending order of priority; not empty.
    bool has_lanes = false;          ///< Made by create_threadpool_with_lanes.
    bool borrows = false;            ///< Requests may be executed by lanes of lower priorities.
    bool buffers = false;            ///< Requests wait in the pool, not in their connections.
    std::size_t max_requests = 0;    ///< Of the buffer; 0: no limit.
    std::size_t max_bytes = 0;       ///< Of their messages; 0: no limit but -ORBTune request-queue-bytes.
  };
  /// `options` outlive the pool. The buffer counts in the memory of `queues`; null: in none.
  ThreadPool(Settings settings, const orb::Options& options, std::shared_ptr<orb::RequestQueues> queues);
  ~ThreadPool() override;

  /// Starts the static threads. Raises NO_RESOURCES.
  void start();
  std::unique_ptr<Place> reserve(std::int16_t priority, std::size_t bytes,
                                 std::function<void()> on_granted) override;
  const Settings& settings() const noexcept { return settings_; }
  /// Whether no request has been put into the pool, or all have been executed.
  bool is_idle();
  /// Executes the requests in the pool, ends the threads, and joins them, except for the calling one. A
  /// second call joins that one; it waits for the first call unless a thread of the pool makes it.
  void stop() noexcept;
  /// Whether all threads have been joined, after `stop`.
  bool has_ended();
  /// Number of POAs that use the pool. Increased with the lock of OrbRealTime.
  std::atomic<std::size_t> users{0};

 private:
  class PlaceImpl;
  struct Entry {
    std::unique_ptr<orb::ObjectRequest> request;
    std::size_t bytes;
    bool is_buffered;
  };
  /// Guarded by mutex_, but for `settings`.
  struct Lane {
    RTCORBA::ThreadpoolLane settings;
    std::condition_variable wake;
    std::deque<Entry> entries;
    std::list<PlaceImpl*> waiting;
    std::size_t reserved = 0;  // places that are granted, and not put
    std::size_t threads = 0;
    std::size_t idle = 0;
    std::size_t busy = 0;

    std::size_t max_threads() const noexcept {
      return std::size_t{settings.static_threads()} + settings.dynamic_threads();
    }
    bool has_room() const noexcept { return busy + entries.size() + reserved < max_threads(); }
  };
  struct Thread {
    std::unique_ptr<platform::SizedThread> thread;
    Lane* lane = nullptr;
    bool is_static = false;
    bool ended = false;
  };
  /// Argument of a thread, which owns it.
  struct Work {
    std::shared_ptr<ThreadPool> pool;
    Thread& self;
  };

  Lane& lane_of(std::int16_t priority) noexcept;
  // With the lock held:
  /// The lane whose threads are to execute a request of `lane`; null: all are in use.
  Lane* lane_with_room(Lane& lane) noexcept;
  bool take_buffer(std::size_t bytes) noexcept;
  void release_buffer(std::size_t bytes) noexcept;
  void grant_waiting() noexcept;
  /// Takes the next request for a thread of `lane`. False: there is none.
  bool take(Lane& lane, Entry& entry) noexcept;
  /// Executes the next request for `lane`, without the lock. False: there is none.
  bool serve_next(Lane& lane, std::unique_lock<std::mutex>& lock) noexcept;
  /// Counts a thread that `start_thread` is to start.
  void count_thread(Lane& lane) noexcept;
  std::list<Thread> take_ended() noexcept;

  // Without the lock:
  /// Starts a thread that has been counted. False, and not counted any more, if that fails.
  bool start_thread(Lane& lane, bool is_static) noexcept;

  void work(Thread& self) noexcept;

  const Settings settings_;
  const orb::Options& options_;
  const std::shared_ptr<orb::RequestQueues> queues_;
  std::mutex mutex_;       // guards the rest; locked before that of the queues
  std::list<Lane> lanes_;  // in ascending order
  std::list<Thread> threads_;
  std::size_t starting_ = 0;  // threads that are not in threads_ yet
  std::condition_variable started_;
  std::size_t buffered_requests_ = 0;
  std::size_t buffered_bytes_ = 0;
  bool stopping_ = false;
  std::size_t joining_ = 0;  // calls of `stop` that join threads
};

}  // namespace orbweaver::realtime
