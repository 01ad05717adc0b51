// The contract of the programs of the pipeline, one for each ORB:
//
//   bench-NAME-pipeline stage   <settings> --stage N [--next ADDRESS]
//       prints "ready ADDRESS", serves until killed
//   bench-NAME-pipeline produce <settings> [--next ADDRESS]
//       prints the lines of result.h, exit 0
//
// A stage without --next is the last one; a producer without --next has all stages in its own process.
#pragma once

#include <functional>
#include <string>

#include "result.h"

namespace orbweaver::bench {

/// The two functions of a program. They throw std::exception, whose text is printed on stderr.
struct PipelineSubject {
  /// Serves stage `number`, from 1, until the process is killed. Calls `ready` once with the stage's address.
  std::function<void(const PipelineSettings&, unsigned number, const std::string& next,
                     const std::function<void(const std::string& address)>& ready)>
      serve;
  /// Sends the packets and collects the reports of the stages.
  std::function<PipelineResult(const PipelineSettings&, const std::string& next)> produce;
};

/// Implements `main` of a program. Errors print one line on stderr and return 1.
int pipeline_subject_main(int argc, char** argv, const PipelineSubject& subject);

/// The producer's sends.
struct Sends {
  std::int64_t start_ns = 0;    ///< steady_ns() before the first one
  std::vector<double> send_us;  ///< duration of each
};

/// Calls `send(number, samples)` for each packet, not before the packet is due, and measures each call.
Sends send_packets(const PipelineSettings&,
                   const std::function<void(std::uint32_t number, const std::vector<double>& samples)>& send);

/// Largest resident memory of this process so far, in KiB.
std::uint64_t peak_memory_kib();

}  // namespace orbweaver::bench
