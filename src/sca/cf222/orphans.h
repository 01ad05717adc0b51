#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sca/cf222/domain_parts.h"
#include "services/events/workers.h"

namespace orbweaver::sca {

/// What applications that have been released have left on devices that were not registered, and what devices
/// have been asked for and not confirmed (order_undo.h): kept in the state of the domain, and undone when a
/// device of that id registers again, or answers. A registered device that does not answer, or fails, is
/// called again after 3 s, later after a minute at most. What a device has that has not registered for 30
/// days is forgotten. Thread-safe; no lock is held while a device is called.
class Orphans {
 public:
  /// Undoes what a record has on devices that are registered, and returns what these could not undo.
  using Undo = std::function<std::vector<std::string>(Application&)>;

  Orphans(const DomainParts& parts, Undo undo)
      : parts_(parts), undo_(std::move(undo)), workers_(kMaxThreads) {}
  ~Orphans() { end(); }

  /// Forgets what is older than 30 days. Called once, at first.
  void forget_old();
  /// The devices of a record that are not registered, and of which it has something.
  std::set<std::string> lost_devices(const Application& record) const;
  /// The devices of a record.
  static std::set<std::string> devices_of(const Application& record);
  /// Removes an application, and keeps what its record has on `devices`, and on those that are not registered
  /// now, and what is not confirmed. With `next`, the application is replaced by that record. Errors: those
  /// of the model.
  Result<void> remove_application(const Application& record, const std::set<std::string>& devices,
                                  const Application* next = nullptr);
  /// Undoes what there is of these devices, in a thread of its own: they are registered.
  void devices_registered(const std::vector<std::string>& devices);
  /// Waits until that thread has ended, at most as long as the calls of one record take.
  void end();

 private:
  /// One works at a time; another may still be about to end.
  static constexpr std::size_t kMaxThreads = 8;

  void start_worker();
  void work();
  /// Undoes what there is on registered devices of `devices`. Returns those of which something is left.
  std::set<std::string> undo_all(const std::set<std::string>& devices);
  void undo(Application record);
  /// Removes an orphan of which nothing is left, or stores it.
  void keep(const Application& record);
  void tell_once(const std::string& id, const std::string& problem);

  const DomainParts parts_;
  const Undo undo_;
  std::mutex mutex_;  // for the following
  std::condition_variable changed_;
  std::set<std::string> registered_;  // devices whose orphans are to be undone
  bool is_working_ = false;
  bool has_ended_ = false;
  std::map<std::string, std::set<std::string>> told_;  // of the worker: problems in the log, by id
  services::events::Workers workers_;
};

}  // namespace orbweaver::sca
