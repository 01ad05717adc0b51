#pragma once

#include <cstdint>

namespace orbweaver::streams {

/// Counters of the signals that a consumer sends. A plain value.
struct SignalCounts {
  std::uint64_t resume_sent = 0;  ///< Calls of signalResume that returned, over all targets.
  std::uint64_t empty_sent = 0;   ///< Calls of signalEmpty that returned, over all targets.
  std::uint64_t failed = 0;       ///< Calls that raised an exception.
  std::uint64_t repeated = 0;     ///< Calls of signalResume that were made because the one before had failed.
  std::uint64_t combined = 0;     ///< Signals not sent because an equal one was due already, by target.
};

}  // namespace orbweaver::streams
