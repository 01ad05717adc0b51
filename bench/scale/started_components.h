// The processes of started components, and the times of their first packets.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bench/harness/child.h"
#include "sample.h"

namespace orbweaver::bench {

/// Time limit for components to begin, and to send a packet.
inline constexpr std::chrono::seconds kComponentLimit{60};

/// The sample of components that still run: times from `exec_ns` to `first_ns`, by component, and the medians
/// of their memory, threads and processor time.
ScaleSample sample_of_components(const std::vector<pid_t>& processes,
                                 const std::vector<std::int64_t>& exec_ns,
                                 const std::vector<std::int64_t>& first_ns);

/// Components that are processes of this program, role `component`. The destructor kills them. One thread,
/// except `announced` and `packet`.
class StartedComponents {
 public:
  explicit StartedComponents(std::uint32_t count) : announced_(count), first_ns_(count) {}

  /// Starts the processes one after another; `starter` is the address that they get.
  void start(const std::string& starter);
  Child& process(std::uint32_t number) { return *processes_[number]; }

  /// A component is ready to begin. Any thread. False for an unknown number.
  bool announced(std::uint32_t number);
  /// The first packet of a component has arrived, at this time. Any thread. A later one is ignored.
  void packet(std::uint32_t number, std::int64_t arrived_ns);

  /// Waits until all are announced, or have sent a packet. Throws std::runtime_error, which names the first
  /// that has not, after kComponentLimit.
  void wait_until_announced();
  void wait_for_packets();

  /// As sample_of_components(), after wait_for_packets().
  ScaleSample sample() const;

 private:
  template <class Has>
  void wait(const char* what, Has has);

  std::vector<std::unique_ptr<Child>> processes_;
  std::vector<std::int64_t> exec_ns_;
  mutable std::mutex mutex_;  // for the next three
  std::condition_variable changed_;
  std::vector<char> announced_;
  std::vector<std::int64_t> first_ns_;
};

}  // namespace orbweaver::bench
