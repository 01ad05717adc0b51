#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <orbweaver/deadline.h>
#include <orbweaver/streams/detail/port_runner.h>
#include <orbweaver/streams/push_result.h>
#include <orbweaver/streams/reorder_detector.h>

namespace orbweaver::streams {

/// Input port for one-way calls, which the ORB dispatches in the order in which one thread makes them: the
/// upcall passes the packet to a function and returns when it has been processed. The queue of the port is
/// that of the connection; a sender waits while it is full. Nothing is copied, and there is no thread of the
/// port.
///
///     UpcallPort<orbweaver::span<const double>> port_{"demodulator", [this](auto& samples) { … }};
///
///     void push(std::uint32_t number, orbweaver::span<const double> samples) override {  // one-way
///       raise_if_rejected(port_.push(number, samples));
///     }
///
/// The port does not restore the order. It counts packets that arrive out of order, for example because
/// several threads send them, and passes them to the function.
template <class Packet>
class UpcallPort {
 public:
  /// `name`: of log messages. `function` is called as function(Packet&), with each packet in the thread of
  /// its upcall, one at a time. Throws std::invalid_argument for an empty function.
  template <class Function>
  UpcallPort(std::string name, Function&& function)
      : function_(detail::port_function<Packet>(std::forward<Function>(function))), runner_(std::move(name)) {
  }
  /// As stop().
  ~UpcallPort() { stop(); }
  UpcallPort(const UpcallPort&) = delete;
  UpcallPort& operator=(const UpcallPort&) = delete;

  /// Calls the function with the packet: `accepted`, also if the function throws an exception. While another
  /// thread's packet is processed, waits until `deadline` (`timed_out`). `closed` if the port is closed. Any
  /// thread, but not the function.
  [[nodiscard]] PushResult push(std::uint32_t number, Packet packet, Deadline deadline = Deadline::never()) {
    std::unique_lock lock(mutex_);
    if (closed_) return PushResult::closed;
    arrivals_.observe(number);
    if (!wait_until(lock, deadline, [&] { return closed_ || !processing_; })) return PushResult::timed_out;
    if (closed_) return PushResult::closed;
    processing_ = true;
    lock.unlock();
    runner_.process([&] { function_(packet); });
    lock.lock();
    processing_ = false;
    if (waiting_ > 0) changed_.notify_all();
    return PushResult::accepted;
  }

  /// Accepts no more packets; waiting calls of push() return `closed`. Any thread.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  /// Closes the port and waits for the packet being processed. Any thread, but not the function.
  void finish() {
    close();
    std::unique_lock lock(mutex_);
    wait_until(lock, Deadline::never(), [&] { return !processing_; });
  }
  /// As finish(): the port has no queue.
  void stop() { finish(); }

  /// Calls of the function. An exception of the function is counted and logged. Any thread.
  PortCounts counts() const noexcept { return runner_.counts(); }
  /// Packets as they arrived. Any thread.
  ReorderDetector::Counts arrivals() const {
    const std::lock_guard lock(mutex_);
    return arrivals_.counts();
  }

 private:
  template <class Condition>
  bool wait_until(std::unique_lock<std::mutex>& lock, Deadline deadline, Condition condition) {
    if (condition()) return true;
    ++waiting_;
    bool is_true = true;
    if (deadline.is_never()) {
      changed_.wait(lock, condition);
    } else {
      const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(deadline.ns)};
      is_true = changed_.wait_until(lock, until, condition);
    }
    --waiting_;
    return is_true;
  }

  std::function<void(Packet&)> function_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // a packet has been processed, or the port is closed
  int waiting_ = 0;                  // threads that wait for changed_
  bool processing_ = false;
  bool closed_ = false;
  ReorderDetector arrivals_;
  detail::PortRunner runner_;
};

}  // namespace orbweaver::streams
