#pragma once

#include <orbweaver/result.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace orbweaver::sca {

/// Limits of processes together; 0: none.
struct GroupLimits {
  std::uint64_t memory_bytes = 0;
  double processors = 0;  ///< Processor time, in processors.
  friend bool operator==(const GroupLimits&, const GroupLimits&) = default;
};

/// The control groups of version 2 for the processes of a device: one with its limits, and in it one for each
/// application. They are in the group of this process, the delegated group, which systemd gives a service
/// with `Delegate=yes`:
///
///     GROUP/orbweaver-processes        the processes that were in GROUP: the node and its devices
///     GROUP/orbweaver-device-PID       a device; no processes
///     GROUP/orbweaver-device-PID/ID    an application
///
/// The kernel gives no controllers to the groups in a group that has processes, unless that is the root. One
/// thread at a time. The destructor removes the groups whose processes have ended.
class ControlGroup {
 public:
  /// The group of the processes that were in the delegated group. One of this name at the end of this
  /// process's group, such as systemd makes for DelegateSubgroup=, is left for the group that contains it.
  static constexpr const char* kOwnProcesses = "orbweaver-processes";
  /// Limit of the groups of applications that exist at a time.
  static constexpr std::size_t kMaxApplications = 4096;

  /// Moves the processes of Orbweaver in the delegated group to a group of their own, creates that of the
  /// device with these limits, and removes those of devices that were killed. Fails with
  /// ErrorKind::unavailable if this process may not, or the delegated group has other processes; the message
  /// says why. `root` is the folder in which proc and sys are, for tests.
  static Result<std::unique_ptr<ControlGroup>> create(int pid, const GroupLimits& limits,
                                                      const std::string& root = {});
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  /// Its folder.
  const std::string& path() const { return path_; }
  /// The folder of the group of an application, which is created, or gets these limits. Any text is an `id`.
  /// Fails with ErrorKind::unavailable.
  Result<std::string> application(const std::string& id, const GroupLimits& limits);
  /// Removes the groups of applications whose processes have ended.
  void remove_ended();

 private:
  explicit ControlGroup(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::map<std::string, GroupLimits> applications_;  // by folder
};

}  // namespace orbweaver::sca
