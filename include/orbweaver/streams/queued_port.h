#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <orbweaver/streams/bounded_queue.h>
#include <orbweaver/streams/detail/port_runner.h>

namespace orbweaver::streams {

/// Input port for two-way calls that lets the stages of a pipeline work in parallel: the upcall stores the
/// packet in a bounded queue and returns; a thread of the port passes the packets to a function, in order.
/// A call that finds the queue full waits for space, so that nothing is lost and no flow control signals are
/// needed. Declare the port after the members that its function uses.
///
///     QueuedPort<Packet> port_{"demodulator", {64}, [this](Packet& packet) { demodulate(packet); }};
///
///     void push(orbweaver::span<const double> samples) override {  // the servant's operation
///       raise_if_rejected(port_.push(Packet(samples), samples.size_bytes()));
///     }
///
/// `Packet` must be default-constructible, and its moves must not throw. It owns its samples: a view is valid
/// only during the upcall (see orbweaver::hold).
template <class Packet>
class QueuedPort {
 public:
  /// Starts the thread. `name`: of the thread (its first 15 characters) and of log messages. `function` is
  /// called as function(Packet&), with each packet in the thread of the port, one at a time. Throws
  /// std::invalid_argument for a limit of 0 and for an empty function, and std::system_error if no thread can
  /// be started.
  template <class Function>
  QueuedPort(std::string name, QueueLimits limits, Function&& function)
      : function_(detail::port_function<Packet>(std::forward<Function>(function))), queue_(limits),
        runner_(std::move(name)) {
    runner_.start([this] { run(); });
  }
  /// As stop().
  ~QueuedPort() { stop(); }
  QueuedPort(const QueuedPort&) = delete;
  QueuedPort& operator=(const QueuedPort&) = delete;

  /// Queues a packet whose content has `bytes` bytes. If the queue is full, waits until `deadline`, or does
  /// what the limits say. Packets of one thread keep their order. Any thread. Results as BoundedQueue::push;
  /// raise_if_rejected() reports them to the sender.
  [[nodiscard]] PushResult push(Packet packet, std::size_t bytes, Deadline deadline = Deadline::never()) {
    return queue_.push(std::move(packet), bytes, deadline);
  }

  /// Accepts no more packets; waiting calls of push() return `closed`. Any thread.
  void close() { queue_.close(); }
  /// Closes the port and waits until all queued packets have been processed. Any thread but the port's.
  void finish() {
    close();
    runner_.join();
  }
  /// Closes the port, discards queued packets and waits for the packet being processed. Any thread but the
  /// port's.
  void stop() {
    close();
    queue_.discard();
    runner_.join();
  }

  /// Calls of the function. An exception of the function is counted and logged, and does not end the port.
  /// Any thread.
  PortCounts counts() const noexcept { return runner_.counts(); }
  /// Content and counters of the queue. Any thread.
  QueueCounts queue_counts() const { return queue_.counts(); }

 private:
  void run() {
    Packet packet{};
    while (queue_.take(packet) == TakeResult::taken) {
      runner_.process([&] { function_(packet); });
    }
  }

  std::function<void(Packet&)> function_;
  BoundedQueue<Packet> queue_;
  detail::PortRunner runner_;  // last: its thread uses the others
};

}  // namespace orbweaver::streams
