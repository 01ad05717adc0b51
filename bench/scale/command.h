// Implementation of `orbweaver bench scale` without its command line.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace orbweaver::bench {

struct ScalePlan {
  std::vector<std::string> parts = {"clients", "objects", "components"};
  std::vector<std::uint32_t> clients = {1, 10, 100, 1000};
  std::vector<std::uint32_t> objects = {1, 100, 10'000};
  std::vector<std::uint32_t> components = {1, 8, 64};
  std::vector<std::uint32_t> callers = {1, 4};        ///< threads of the clients' process that call
  std::vector<std::string> threads = {"connection"};  ///< of the server: connection, pool:N
  std::vector<std::string> subjects = {"floor", "orbweaver", "omniorb", "sca"};
  std::uint32_t calls = 10'000;  ///< of a process, for each number of callers
  unsigned rounds = 5;           ///< of new processes, interleaved
  std::string pin = "none";
};

/// Measures each part with each subject that is built and has it. Prints the tables to `out`, and writes the
/// rows to `json_file` unless it is empty ("-": rows to `out`, tables to `err`). `programs`: the folder of
/// the subjects' programs. Returns the exit status: 0; 1 if a process failed or the file could not be
/// written; 2 for an invalid plan, with one line on `err`.
int run_scale_command(const ScalePlan& plan, const std::string& programs, const std::string& json_file,
                      std::ostream& out, std::ostream& err);

}  // namespace orbweaver::bench
