#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace orbweaver::orb {

/// Which of the bytes last sent over a divided channel are the caller's, as the transport counts undelivered
/// bytes of all ends together (ReceiveStatus::undelivered_bytes). Remembers the last kMaxRuns changes between
/// the two roles. Allocates no memory. Not thread-safe: its owner locks.
class SentBytes {
 public:
  static constexpr std::size_t kMaxRuns = 1024;

  /// Counts a message, before it is sent.
  void add(bool is_caller, std::size_t bytes) noexcept {
    if (runs_[last_].is_caller != is_caller) {
      last_ = (last_ + 1) % kMaxRuns;
      runs_[last_] = {is_caller, 0};
    }
    runs_[last_].bytes += bytes;
  }
  /// Undoes the last `add`, of which nothing was sent.
  void undo(std::size_t bytes) noexcept { runs_[last_].bytes -= bytes; }

  /// How many of the last `bytes` bytes are the caller's, as far as is remembered.
  std::size_t of_caller(std::size_t bytes) const noexcept {
    std::size_t caller = 0;
    for (std::size_t n = 0; n < kMaxRuns && bytes != 0; ++n) {
      const Run& run = runs_[(last_ + kMaxRuns - n) % kMaxRuns];
      const std::size_t here = std::min(bytes, run.bytes);
      bytes -= here;
      if (run.is_caller) caller += here;
    }
    return caller;
  }

 private:
  struct Run {
    bool is_caller = false;
    std::size_t bytes = 0;
  };
  std::array<Run, kMaxRuns> runs_{};
  std::size_t last_ = 0;
};

}  // namespace orbweaver::orb
