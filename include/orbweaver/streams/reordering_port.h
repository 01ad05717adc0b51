#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <orbweaver/deadline.h>
#include <orbweaver/streams/detail/port_runner.h>
#include <orbweaver/streams/detail/wait_list.h>
#include <orbweaver/streams/detail/wait_until.h>
#include <orbweaver/streams/reorder_buffer.h>
#include <orbweaver/streams/reorder_detector.h>

namespace orbweaver::streams {

/// Input port for packets that may arrive out of order, each with a sequence number: the upcall stores the
/// packet in a reorder buffer and returns; a thread of the port passes the packets to a function, in the
/// order of their numbers. For one-way calls to a server that dispatches in any order
/// (`-ORBThreads unordered:N`), and for several sending threads or connections.
///
///     ReorderingPort<Packet> port_{"demodulator", {}, [this](Packet& packet) { demodulate(packet); }};
///
///     void push(std::uint32_t number, orbweaver::span<const double> samples) override {
///       raise_if_rejected(port_.push(number, Packet(samples), samples.size_bytes()));
///     }
///
/// A packet for which the buffer has no space waits in push(): the thread of the upcall, and so the sender,
/// waits. A packet that is still missing after `skip_after` is skipped, and dropped if it arrives later
/// (ReorderBuffer describes the rules). `Packet` owns its samples, and its moves must not throw. Declare the
/// port after the members that its function uses.
template <class Packet>
class ReorderingPort {
 public:
  /// Starts the thread. `name`: of the thread (its first 15 characters) and of log messages. `function` is
  /// called as function(Packet&), with each packet in the thread of the port, one at a time. Throws
  /// std::invalid_argument for options out of their ranges and for an empty function, and std::system_error
  /// if no thread can be started.
  template <class Function>
  ReorderingPort(std::string name, const ReorderOptions& options, Function&& function)
      : function_(detail::port_function<Packet>(std::forward<Function>(function))), buffer_(options),
        runner_(std::move(name)) {
    runner_.start([this] { run(); });
  }
  /// As stop().
  ~ReorderingPort() { stop(); }
  ReorderingPort(const ReorderingPort&) = delete;
  ReorderingPort& operator=(const ReorderingPort&) = delete;

  /// Stores a packet whose content has `bytes` bytes; waits until `deadline` while there is no space for it
  /// (`timed_out`). `dropped`: it is late or a duplicate, and counted. `too_large`, `closed`. Any thread.
  [[nodiscard]] PushResult push(std::uint32_t number, Packet packet, std::size_t bytes,
                                Deadline deadline = Deadline::never()) {
    std::unique_lock lock(mutex_);
    if (closed_) return PushResult::closed;
    arrivals_.observe(number);
    const PushResult result = buffer_.push(number, std::move(packet), bytes);
    arrived_.notify_one();  // for a refused packet, the time-out of the missing one starts
    if (result != PushResult::queue_full) return result;

    WaitingPush self{number, &packet, bytes};
    waiting_.append(self);
    while (!self.done && !deadline.passed()) detail::wait_until(space_, lock, deadline);
    if (self.done) return self.result;
    waiting_.remove(self);
    buffer_.forget_refused(number);
    admit_waiting();
    arrived_.notify_one();
    return PushResult::timed_out;
  }

  /// Accepts no more packets; waiting calls of push() return `closed`, and missing packets are skipped. Any
  /// thread.
  void close() { close(false); }
  /// Closes the port and waits until all stored packets have been processed. Any thread but the port's.
  void finish() {
    close(false);
    runner_.join();
  }
  /// Closes the port, waits for the packet being processed and destroys the stored ones. Any thread but the
  /// port's.
  void stop() {
    close(true);
    runner_.join();
    while (discard_packet()) continue;
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
  ReorderCounts buffer_counts() const {
    const std::lock_guard lock(mutex_);
    return buffer_.counts();
  }

 private:
  /// A call of push() that waits. The thread that makes space moves the packet into the buffer.
  struct WaitingPush {
    std::uint32_t number;
    Packet* packet;
    std::size_t bytes;
    PushResult result = PushResult::queue_full;
    bool done = false;
    WaitingPush* next = nullptr;
    WaitingPush* previous = nullptr;
  };

  void close(bool discard) {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    discard_ = discard_ || discard;
    for (WaitingPush* call = waiting_.first(); call != nullptr; call = call->next)
      end_wait(*call, PushResult::closed);
    buffer_.finish();
    arrived_.notify_one();
    space_.notify_all();
  }

  /// Destroys one stored packet, without the lock. False if there is none.
  bool discard_packet() {
    std::unique_lock lock(mutex_);
    const std::optional<Packet> packet = buffer_.discard();
    lock.unlock();
    return packet.has_value();
  }

  void end_wait(WaitingPush& call, PushResult result) {
    waiting_.remove(call);
    call.result = result;
    call.done = true;
  }

  /// Pushes the packets of waiting calls again: at once when the buffer has taken or skipped a packet or has
  /// jumped, so that it does not skip one that is here.
  void admit_waiting() {
    for (WaitingPush* call = waiting_.first(); call != nullptr; call = call->next) {
      const PushResult result = buffer_.push(call->number, std::move(*call->packet), call->bytes);
      if (result == PushResult::queue_full) continue;
      end_wait(*call, result);
      has_ended_calls_ = true;
    }
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!discard_) {
      const std::uint64_t moves = buffer_.counts().skipped + buffer_.counts().jumps;
      auto packet = buffer_.take(now_ns());
      const bool has_moved = buffer_.counts().skipped + buffer_.counts().jumps != moves;
      if (packet || has_moved) admit_waiting();
      // Their threads are woken together when half of the buffer is free, not for each packet: a wake-up can
      // take longer than the function.
      if (has_ended_calls_ && (!packet || buffer_.counts().packets <= buffer_.capacity() / 2)) {
        has_ended_calls_ = false;
        space_.notify_all();
      }
      if (packet) {
        lock.unlock();
        runner_.process([&] { function_(*packet); });
        packet.reset();
        lock.lock();
      } else if (!has_moved) {
        if (closed_) return;  // finished: the buffer is empty
        detail::wait_until(arrived_, lock, Deadline{buffer_.skip_at_ns().value_or(Deadline::never().ns)});
      }
    }
  }

  std::function<void(Packet&)> function_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;  // a packet is stored or refused, or the port is closed
  std::condition_variable space_;    // waiting calls have ended
  ReorderDetector arrivals_;
  ReorderBuffer<Packet> buffer_;
  detail::WaitList<WaitingPush> waiting_;
  bool has_ended_calls_ = false;  // whose threads have not been woken
  bool closed_ = false;
  bool discard_ = false;
  detail::PortRunner runner_;  // last: its thread uses the others
};

}  // namespace orbweaver::streams
