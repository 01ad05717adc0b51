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
///     ThreadedPort<Packet> port_{"demodulator", {64}, [this](Packet& packet) { demodulate(packet); }};
///
///     void push(orbweaver::span<const double> samples) override {  // the servant's operation
///       if (!port_.push(Packet(samples), samples.size_bytes())) throw CORBA::TRANSIENT();
///     }
///
/// `Packet` must be default-constructible, and its moves must not throw. It owns its samples: a view is valid
/// only during the upcall (see orbweaver::hold).
template <class Packet>
class ThreadedPort {
 public:
  /// Called with each packet in the thread of the port, one at a time.
  using Function = std::function<void(Packet&)>;

  /// Starts the thread. `name`: of the thread (its first 15 characters) and of log messages. Throws
  /// std::invalid_argument for a limit of 0, and std::system_error if no thread can be started.
  ThreadedPort(std::string name, QueueLimits limits, Function function)
      : function_(std::move(function)), queue_(limits), runner_(std::move(name)) {
    runner_.start([this] { run(); });
  }
  /// As stop().
  ~ThreadedPort() { stop(); }
  ThreadedPort(const ThreadedPort&) = delete;
  ThreadedPort& operator=(const ThreadedPort&) = delete;

  /// Queues a packet whose content has `bytes` bytes. If the queue is full, waits, or does what its limits
  /// say. False if the packet has not been queued: dropped, larger than the queue, or the port is closed. Any
  /// thread; packets of one thread keep their order. Raises CORBA::TRANSIENT with
  /// WhenFull::raise_transient.
  [[nodiscard]] bool push(Packet packet, std::size_t bytes) {
    return queue_.put(std::move(packet), bytes) == PutResult::accepted;
  }

  /// Accepts no more packets; waiting calls of push() return false. Any thread.
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

  Function function_;
  BoundedQueue<Packet> queue_;
  detail::PortRunner runner_;  // last: its thread uses the others
};

}  // namespace orbweaver::streams
