#pragma once

#include <string>
#include <vector>

#include "platform/process.h"

namespace orbtest {

/// A server in a process of its own, serving one Servant under a persistent and one under a transient
/// reference. Killed with this object.
class ServerProcess {
 public:
  explicit ServerProcess(const std::vector<std::string>& options = {});
  ~ServerProcess() { kill(); }

  const std::string& persistent() const { return persistent_; }
  const std::string& transient() const { return transient_; }
  int pid() const { return process_.pid(); }
  /// kill -9.
  void kill();
  orbweaver::platform::ProcessEnd wait() { return process_.reap(); }

 private:
  orbweaver::platform::ChildProcess process_;
  std::string persistent_, transient_;
};

}  // namespace orbtest
