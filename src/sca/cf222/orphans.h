#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sca/cf222/domain_parts.h"
#include "services/events/workers.h"

namespace orbweaver::sca {

/// What applications that have been released have left on devices that were not registered: kept in the
/// state of the domain, and undone when a device of that id registers again. Thread-safe; no lock is held
/// while a device is called.
class Orphans {
 public:
  /// Undoes what a record has on devices that are registered, and returns what these could not undo.
  using Undo = std::function<std::vector<std::string>(Application&)>;

  Orphans(const DomainParts& parts, Undo undo)
      : parts_(parts), undo_(std::move(undo)), workers_(kMaxThreads) {}
  ~Orphans() { end(); }

  /// The devices of a record that are not registered, and of which it has something.
  std::set<std::string> lost_devices(const Application& record) const;
  /// Removes an application, and keeps what its record has on the devices `lost`, and on those that are not
  /// registered now. Errors: those of the model.
  Result<void> remove_application(const Application& record, const std::set<std::string>& lost);
  /// Undoes what there is of these devices, in a thread of its own: they are registered.
  void devices_registered(const std::vector<std::string>& devices);
  /// Waits until that thread has ended, at most as long as the calls of one record take.
  void end();

 private:
  /// One works at a time; another may still be about to end.
  static constexpr std::size_t kMaxThreads = 8;

  void start_worker();
  void work();
  void undo(Application record);

  const DomainParts parts_;
  const Undo undo_;
  std::mutex mutex_;                  // for the following
  std::set<std::string> registered_;  // devices whose orphans are to be undone
  bool is_working_ = false;
  bool has_ended_ = false;
  services::events::Workers workers_;
};

}  // namespace orbweaver::sca
