#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

#include "sca/deployment/deployment.h"

namespace orbweaver::sca {

/// The record of a deployment in progress. Each change is stored before change() returns; changes
/// of several threads are stored together, so that the number of writes is bounded by that of the steps that
/// wait for each other, and not by that of the components. Thread-safe.
class DeploymentRecord {
 public:
  DeploymentRecord(Application initial, DeploymentDomain& domain)
      : record_(std::move(initial)), domain_(domain) {}
  DeploymentRecord(const DeploymentRecord&) = delete;
  DeploymentRecord& operator=(const DeploymentRecord&) = delete;

  /// Calls `function` with the record, and waits until the result is stored so that it survives the end of
  /// the machine, or that of the process. Raises the exception of DeploymentDomain::store; the change has
  /// been made nevertheless.
  template <class Function>
  void change(Function&& function, Durability durability = Durability::machine) {
    std::unique_lock lock(mutex_);
    function(record_);
    wait_until_stored(lock, ++version_, durability);
  }
  /// Changes the record without waiting: a later change() or store() stores it. For what a step does in many
  /// calls, the last of which is not the end of the step.
  template <class Function>
  void change_later(Function&& function) {
    const std::lock_guard lock(mutex_);
    function(record_);
    ++version_;
  }
  /// Waits until all changes are stored so that they survive the end of the process.
  void store() {
    std::unique_lock lock(mutex_);
    wait_until_stored(lock, version_, Durability::process);
  }
  Application get() const {
    const std::lock_guard lock(mutex_);
    return record_;
  }
  DeployedComponent component(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return record_.components[index];
  }

 private:
  void wait_until_stored(std::unique_lock<std::mutex>& lock, std::uint64_t version, Durability durability);

  mutable std::mutex mutex_;
  std::condition_variable stored_changed_;
  Application record_;          // mutex_
  std::uint64_t version_ = 0;   // mutex_: number of changes
  std::uint64_t stored_ = 0;    // mutex_: changes that are stored
  std::uint64_t flushed_ = 0;   // mutex_: changes that survive the end of the machine
  std::uint64_t to_flush_ = 0;  // mutex_: changes that are to survive it, as a thread waits for it
  bool storing_ = false;        // mutex_: a thread calls store()
  std::exception_ptr failure_;  // mutex_: of store()
  DeploymentDomain& domain_;
};

}  // namespace orbweaver::sca
