#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include <orbweaver/deadline.h>
#include <orbweaver/streams/detail/port_runner.h>
#include <orbweaver/streams/reorder_buffer.h>
#include <orbweaver/streams/reorder_detector.h>

namespace orbweaver::streams {

/// Reorder buffer of a StampedPort: a plain value.
struct StampedPortOptions {
  std::size_t packets = 64;           ///< Capacity, 1 to 2^23 (others: the nearest); bytes have no limit.
  std::int64_t skip_after_ms = 1000;  ///< Time for which the port waits for a missing packet; 0: none.
  std::uint32_t first = 0;            ///< Number of the first packet.
};

/// Input port for packets that may arrive out of order, each stamped with a sequence number: the upcall
/// stores the packet in a reorder buffer and returns; a thread of the port passes the packets to a function,
/// in the order of their numbers. For one-way calls to a server that dispatches in any order
/// (`-ORBThreads unordered:N`), and for several sending threads or connections.
///
///     StampedPort<Packet> port_{"demodulator", {}, [this](Packet& packet) { demodulate(packet); }};
///
///     void push(std::uint32_t number, orbweaver::span<const double> samples) override {
///       if (!port_.push(number, Packet(samples))) throw CORBA::TRANSIENT();
///     }
///
/// A packet too far ahead for the buffer waits in push(): the thread of the upcall, and so the sender, waits
/// until there is room. A packet that is still missing after `skip_after_ms` is skipped, and dropped if it
/// arrives later (ReorderBuffer describes the rules). `Packet` owns its samples.
template <class Packet>
class StampedPort {
 public:
  /// Called with each packet in the thread of the port, one at a time.
  using Function = std::function<void(Packet&)>;

  /// Starts the thread. `name`: of the thread (its first 15 characters) and of log messages. Throws
  /// std::system_error if no thread can be started.
  StampedPort(std::string name, StampedPortOptions options, Function function)
      : function_(std::move(function)),
        buffer_(options.packets, nanoseconds(options.skip_after_ms), options.first),
        runner_(std::move(name)) {
    runner_.start([this] { run(); });
  }
  /// As stop().
  ~StampedPort() { stop(); }
  StampedPort(const StampedPort&) = delete;
  StampedPort& operator=(const StampedPort&) = delete;

  /// Stores a packet; waits while there is no room for its number. A late packet and a duplicate are dropped
  /// and counted. False if the port is closed. Any thread.
  [[nodiscard]] bool push(std::uint32_t number, Packet packet) {
    std::unique_lock lock(mutex_);
    if (closed_) return false;
    arrivals_.observe(number);
    while (buffer_.offer(number, std::move(packet)) == ReorderWindow::Offer::full) {
      arrived_.notify_one();  // the time-out of the missing packet starts
      room_.wait(lock);
      if (closed_) return false;
    }
    arrived_.notify_one();
    return true;
  }

  /// Accepts no more packets; waiting calls of push() return false, and missing packets are skipped. Any
  /// thread.
  void close() { close(false); }
  /// Closes the port and waits until all stored packets have been processed. Any thread but the port's.
  void finish() {
    close(false);
    runner_.join();
  }
  /// Closes the port, discards stored packets and waits for the packet being processed. Any thread but the
  /// port's.
  void stop() {
    close(true);
    runner_.join();
  }

  /// Calls of the function. An exception of the function is counted and logged, and does not end the port.
  /// Any thread.
  PortCounts counts() const noexcept { return runner_.counts(); }
  /// Packets as they arrived at push(), before they were put into order. Any thread.
  ReorderDetector::Counts arrivals() const {
    const std::lock_guard lock(mutex_);
    return arrivals_.counts();
  }
  /// Packets stored, skipped, late and duplicate. Any thread.
  ReorderWindow::Counts buffer_counts() const {
    const std::lock_guard lock(mutex_);
    return buffer_.counts();
  }

 private:
  static std::int64_t nanoseconds(std::int64_t ms) noexcept {
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    return ms > kNever / 1'000'000 ? kNever : ms * 1'000'000;
  }

  void close(bool discard) {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    discard_ = discard_ || discard;
    buffer_.finish();
    arrived_.notify_one();
    room_.notify_all();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!discard_) {
      const std::uint64_t skipped = buffer_.counts().skipped;
      auto packet = buffer_.take(now_ns());
      const bool has_skipped = buffer_.counts().skipped != skipped;
      advanced_ = advanced_ || packet || has_skipped;
      // Waiting senders are woken together when half of the buffer is free, not for each packet: a wake-up
      // can take longer than the function. A missing packet may be among theirs.
      if (advanced_ && (!packet || buffer_.size() <= buffer_.capacity() / 2)) {
        advanced_ = false;
        room_.notify_all();
      }
      if (packet) {
        lock.unlock();
        runner_.process([&] { function_(*packet); });
        packet.reset();
        lock.lock();
      } else if (!has_skipped) {
        if (closed_) return;  // finished: the buffer is empty
        wait(lock);
      }
    }
  }

  void wait(std::unique_lock<std::mutex>& lock) {
    const auto skip_at_ns = buffer_.skip_at_ns();
    if (!skip_at_ns || Deadline{*skip_at_ns}.is_never()) {
      arrived_.wait(lock);
    } else {
      arrived_.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(*skip_at_ns)));
    }
  }

  Function function_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;  // a packet is stored or refused, or the port is closed
  std::condition_variable room_;     // the buffer has advanced, or the port is closed
  ReorderDetector arrivals_;
  ReorderBuffer<Packet> buffer_;
  bool advanced_ = false;  // since waiting senders were last woken
  bool closed_ = false;
  bool discard_ = false;
  detail::PortRunner runner_;  // last: its thread uses the others
};

}  // namespace orbweaver::streams
