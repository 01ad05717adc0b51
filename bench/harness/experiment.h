// What the commands of the experiments have in common: rounds of several subjects, subjects that are left
// out, rows in a file, and the exit status.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace orbweaver::bench {

/// Calls `measure(subject)` for each of `subjects` in each round. Each round begins with another subject, so
/// that none always runs after the same predecessor.
void interleave(unsigned rounds, std::size_t subjects, const std::function<void(std::size_t)>& measure);

/// Prints why subjects are left out, each reason once.
class Skipped {
 public:
  explicit Skipped(std::ostream& err) : err_(err) {}
  void add(const std::string& text);

 private:
  std::ostream& err_;
  std::vector<std::string> texts_;
};

/// Writes rows by `write` to `file`, to `out` if it is "-", and nowhere if it is empty. False if that failed.
bool write_rows(const std::string& file, const std::function<void(std::ostream&)>& write, std::ostream& out,
                std::ostream& err);

/// The processes that were ready to run in the last minute, of /proc/loadavg.
std::string load_average();

/// Returns the exit status of a command: that of `run`; 2 if it throws InvalidPlan, and 1 for other
/// exceptions, with one line on `err`.
int status_of(const std::function<int()>& run, std::ostream& err);

}  // namespace orbweaver::bench
