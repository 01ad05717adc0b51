#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "base/printable.h"
#include "sca/device/device_processes.h"

namespace orbweaver::sca {

/// The components that a device executes, with their processes. Thread-safe.
class ComponentProcesses {
 public:
  using Process = DeviceProcesses::Process;
  /// Whether a process runs; must not call this object.
  using Runs = std::function<bool(const Process&)>;

  explicit ComponentProcesses(Runs runs) : runs_(std::move(runs)) {}

  /// Notes that `process` executes a component. Forgets components that have ended if there are more than
  /// `limit` in all.
  void add(const std::string& component, const Process& process, std::size_t limit) {
    const std::lock_guard lock(mutex_);
    if (all_.size() >= limit) forget_ended();
    all_.emplace(component, process);
  }
  /// A line for each component whose process runs: "4711 component".
  std::string text() {
    const std::lock_guard lock(mutex_);
    forget_ended();
    std::string text;
    for (const auto& [component, process] : all_)
      text += std::to_string(process.pid) + " " + printable(component) + "\n";
    return text;
  }

 private:
  void forget_ended() {
    std::erase_if(all_, [&](const auto& entry) { return !runs_(entry.second); });
  }

  const Runs runs_;
  std::mutex mutex_;
  std::set<std::pair<std::string, Process>> all_;
};

}  // namespace orbweaver::sca
