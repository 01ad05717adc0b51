#pragma once

#include <string>
#include <vector>

#include "platform/process.h"

namespace orbtest {

/// A server process with one Servant under a persistent and one under a transient reference. The destructor
/// kills it.
class ServerProcess {
 public:
  explicit ServerProcess(const std::vector<std::string>& options = {});
  ~ServerProcess() { kill(); }

  const std::string& persistent() const { return persistent_; }
  const std::string& transient() const { return transient_; }
  int pid() const { return process_.pid(); }
  /// kill -9.
  void kill();
  orbweaver::platform::ExitStatus wait() { return process_.reap(); }

 private:
  orbweaver::platform::ChildProcess process_;
  std::string persistent_, transient_;
};

}  // namespace orbtest
