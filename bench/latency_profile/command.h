// Implementation of `orbweaver bench profile` without its command line.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace orbweaver::bench {

struct ProfilePlan {
  std::vector<std::string> transports = {"tcp", "unix", "shm"};
  std::vector<std::uint32_t> samples = {512};         ///< of a packet, 4 bytes each
  std::vector<std::string> threads = {"connection"};  ///< of Orbweaver's receiver: connection, pool:N, single
  std::vector<std::string> subjects = {"floor", "orbweaver", "omniorb"};
  std::uint32_t packets = 20'000;  ///< in each round
  std::uint32_t interval_us = 200;
  unsigned rounds = 5;  ///< of new processes, interleaved
  std::string wait = "block";
  std::optional<std::string> pin;  ///< nullopt: one core if both ends block, otherwise two
  int fifo = 0;                    ///< SCHED_FIFO priority of both ends
  unsigned load = 0;               ///< busy processes beside them, of the default priority
  /// Consecutive parts of the latency, and Orbweaver twice: without and with interceptors, whose stamps tell
  /// stub, transport and skeleton apart. The ends have a core each unless `pin` is given.
  bool parts = false;
};

/// Measures each transport, size and thread mode with each subject that is built and has it. Prints the
/// tables to `out`, and writes the rows to `json_file` unless it is empty ("-": rows to `out`, tables to
/// `err`). `programs`: the folder of the subjects' programs. Returns the exit status: 0; 1 if a process
/// failed or the file could not be written; 2 for an invalid plan, with one line on `err`.
int run_profile_command(const ProfilePlan& plan, const std::string& programs, const std::string& json_file,
                        std::ostream& out, std::ostream& err);

}  // namespace orbweaver::bench
