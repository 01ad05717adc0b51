// What the processes of a domain hold, as the kernel counts it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace orbweaver::bench {

/// What one process holds.
struct HeldBy {
  std::string process;  ///< "domain manager"
  long resident_kib = 0;
  long private_kib = 0;  ///< pages that no other process has
  long descriptors = 0;
  long threads = 0;
  pid_t pid = 0;
};

/// What the processes of a domain hold, and the files in their folders.
struct Held {
  std::vector<HeldBy> processes;
  long files = 0;
  long state_kib = 0;  ///< of state files

  long resident_kib() const { return sum(&HeldBy::resident_kib); }
  long private_kib() const { return sum(&HeldBy::private_kib); }
  long descriptors() const { return sum(&HeldBy::descriptors); }
  long threads() const { return sum(&HeldBy::threads); }
  /// Whether processes, descriptors, threads and files are as many.
  bool same_counts(const Held& other) const;
  /// Whether there are the same processes, and no more descriptors, threads and files.
  bool no_more_than(const Held& other) const;

 private:
  long sum(long HeldBy::*member) const;
};

/// Adds a process, and its descendants under the names of their programs, in the order of their ids.
void add_processes(const std::string& name, pid_t process, std::vector<HeldBy>& processes);
/// Files and folders below a folder.
long files_in(const std::string& folder);
/// Sizes of the state files below a folder.
long state_kib_in(const std::string& folder);

}  // namespace orbweaver::bench
