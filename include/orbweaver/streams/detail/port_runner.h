#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace orbweaver::streams {

/// Calls of the function of a port: a plain value.
struct PortCounts {
  std::uint64_t processed = 0;  ///< Packets for which the function has been called and has ended.
  std::uint64_t failed = 0;     ///< Those of them for which it threw an exception.
};

namespace detail {

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

}  // namespace detail
}  // namespace orbweaver::streams
