#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include <orbweaver/streams/port_counts.h>

namespace orbweaver::streams::detail {

/// The function of a port as std::function, also if it can be moved only. Throws std::invalid_argument for an
/// empty function.
template <class Packet, class Function>
std::function<void(Packet&)> port_function(Function&& function) {
  using Value = std::decay_t<Function>;
  if constexpr (std::is_copy_constructible_v<Value>) {
    std::function<void(Packet&)> copy(std::forward<Function>(function));
    if (!copy) throw std::invalid_argument("port: empty function");
    return copy;
  } else {
    return [shared = std::make_shared<Value>(std::forward<Function>(function))](Packet& packet) {
      (*shared)(packet);
    };
  }
}

/// The thread of a port, if it has one, and the containment of its function's exceptions.
class PortRunner {
 public:
  explicit PortRunner(std::string name) : name_(std::move(name)) {}
  /// Joins the thread, which must be about to end.
  ~PortRunner() { join(); }
  PortRunner(const PortRunner&) = delete;
  PortRunner& operator=(const PortRunner&) = delete;

  /// Starts the thread. Throws std::system_error if there is none.
  void start(std::function<void()> body);
  /// Waits for the end of the thread. Any thread but this one.
  void join();

  /// Calls `work()`. An exception is counted and logged.
  template <class Work>
  void process(Work&& work) noexcept {
    try {
      work();
    } catch (const std::exception& e) {
      count_failure(e.what());
    } catch (...) {
      count_failure("exception of unknown type");
    }
    processed_.fetch_add(1, std::memory_order_relaxed);
  }

  PortCounts counts() const noexcept {
    PortCounts counts;
    counts.failed = failed_.load(std::memory_order_relaxed);
    counts.processed = processed_.load(std::memory_order_relaxed);
    return counts;
  }

 private:
  void count_failure(const char* why) noexcept;

  const std::string name_;
  std::mutex joining_;
  std::thread thread_;
  std::atomic<std::uint64_t> processed_{0};
  std::atomic<std::uint64_t> failed_{0};
};

}  // namespace orbweaver::streams::detail
