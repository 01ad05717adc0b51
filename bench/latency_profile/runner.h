// Runs the processes of `orbweaver bench profile`.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/case.h"
#include "settings.h"
#include "stamps.h"

namespace orbweaver::bench {

/// The stamps of one run of sender and receiver, without those of the first packets.
struct ProfileRun {
  std::vector<PacketStamps> stamps;
};

/// Runs a sender and a receiver of the program `program` (contract in subject.h), on the processors of `pin`.
/// Blocks until the end; on return, also by exception, both processes have ended. Throws std::runtime_error
/// that says which of them failed, and how.
ProfileRun run_profile(const ProfileSettings&, const std::string& program, Pin pin);

/// Processes that use the processors all the time, of the default priority, until the destructor.
class ProcessorLoad {
 public:
  /// Starts `count` processes. Throws std::system_error.
  explicit ProcessorLoad(unsigned count);
  ~ProcessorLoad();
  ProcessorLoad(const ProcessorLoad&) = delete;
  ProcessorLoad& operator=(const ProcessorLoad&) = delete;

 private:
  void end();
  std::vector<pid_t> processes_;
};

}  // namespace orbweaver::bench
