#pragma once

#include <orbweaver/result.h>

#include <cstdint>
#include <memory>
#include <string>

namespace orbweaver::sca {

/// Limits of all processes of a device together.
struct GroupLimits {
  std::uint64_t memory_bytes = 0;
  double processors = 0;  ///< Processor time, in processors.
};

/// A control group of version 2 for the processes of a device, below the group of this process. The
/// destructor removes it, if its processes have ended.
class ControlGroup {
 public:
  /// Creates a group with these limits, and removes those of devices that were killed. Fails with
  /// ErrorKind::unavailable if this process may not; the message says why. `root` is the folder in which proc
  /// and sys are, for tests.
  static Result<std::unique_ptr<ControlGroup>> create(int pid, const GroupLimits& limits,
                                                      const std::string& root = {});
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  /// Its folder.
  const std::string& path() const { return path_; }

 private:
  explicit ControlGroup(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace orbweaver::sca
