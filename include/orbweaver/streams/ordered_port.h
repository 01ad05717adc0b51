#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <orbweaver/streams/detail/port_runner.h>
#include <orbweaver/streams/reorder_detector.h>

namespace orbweaver::streams {

/// Input port for one-way calls, which the ORB dispatches in the order in which one thread makes them: the
/// upcall passes the packet to a function and returns when it has been processed. The queue of the port is
/// that of the connection; a sender waits while it is full. Nothing is copied, and there is no thread of the
/// port.
///
///     OrderedPort<orbweaver::span<const double>> port_{"demodulator", [this](auto& samples) { … }};
///
///     void push(std::uint32_t number, orbweaver::span<const double> samples) override {  // one-way
///       if (!port_.push(number, samples)) throw CORBA::TRANSIENT();
///     }
///
/// The port does not restore the order. It counts packets that arrive out of order, for example because
/// several threads send them, and passes them to the function.
template <class Packet>
class OrderedPort {
 public:
  /// Called with each packet in the thread of its upcall, one at a time.
  using Function = std::function<void(Packet&)>;

  /// `name`: of log messages.
  OrderedPort(std::string name, Function function)
      : function_(std::move(function)), runner_(std::move(name)) {}
  /// No thread may be in push().
  ~OrderedPort() = default;
  OrderedPort(const OrderedPort&) = delete;
  OrderedPort& operator=(const OrderedPort&) = delete;

  /// Calls the function with the packet; waits while another thread's packet is processed. False if the port
  /// is closed. Any thread, but not the function.
  [[nodiscard]] bool push(std::uint32_t number, Packet packet) {
    const std::lock_guard lock(processing_);
    if (closed_) return false;
    {
      const std::lock_guard counting(counting_);
      arrivals_.observe(number);
    }
    runner_.process([&] { function_(packet); });
    return true;
  }

  /// Waits for the packet being processed, and accepts no more. Any thread, but not the function.
  void finish() {
    const std::lock_guard lock(processing_);
    closed_ = true;
  }

  /// Calls of the function. An exception of the function is counted and logged. Any thread.
  PortCounts counts() const noexcept { return runner_.counts(); }
  /// Packets as they arrived. Any thread.
  ReorderDetector::Counts arrivals() const {
    const std::lock_guard lock(counting_);
    return arrivals_.counts();
  }

 private:
  Function function_;
  std::mutex processing_;
  mutable std::mutex counting_;
  bool closed_ = false;
  ReorderDetector arrivals_;
  detail::PortRunner runner_;
};

}  // namespace orbweaver::streams
