// The experiment `footprint`: sizes of code, and memory of both ends of a call.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace orbweaver::bench {

/// What `orbweaver bench footprint` measures.
struct FootprintPlan {
  std::vector<std::string> subjects{"orbweaver", "orbweaver-micro", "omniorb"};
  std::string transport = "tcp";
  unsigned rounds = 5;
};

/// Bytes of the object files that were compiled from the generated code of a subject's interface. They are in
/// the build folder only, of which `programs` is the folder bin; 0 without them, and for a subject that has
/// no interface compiler.
std::uint64_t size_of_generated_code(const std::string& subject, const std::string& programs);

/// Prints, for each subject, the size of its generated code, of its libraries and of its program, and the
/// memory of client and server after 10,000 calls with 4 KiB of doubles, as medians of all rounds. Writes the
/// same as JSON to `json_file` (docs/bench.md); "-": to `out` instead of the table; empty: nowhere.
/// `programs` is the folder of the subjects. Returns the exit status: 0, 1 if a subject failed, 2 for an
/// invalid plan.
int run_footprint_command(const FootprintPlan& plan, const std::string& programs,
                          const std::string& json_file, std::ostream& out, std::ostream& err);

}  // namespace orbweaver::bench
