#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orbweaver::sca {

/// What a machine offers to the processes of this one: the capacities of a node's executable device. The
/// limits of the control groups that this process belongs to are taken into account, those of all their
/// parents, too.
struct Machine {
  std::string system;     ///< Operating system: "Linux".
  std::string release;    ///< Of the kernel: "6.1.0-13-amd64".
  std::string host;       ///< Host name.
  std::string processor;  ///< Model of the processor; empty if the kernel does not tell it.
  std::vector<int> cpus;  ///< Numbers of the processors that this process may run on, ascending.
  /// Processor time in processors: the number of `cpus`, or the quota of the control groups if that is less.
  double processors = 0;
  std::uint64_t memory_bytes = 0;  ///< Physical memory, or the limit of the control groups if that is less.
  std::uint64_t free_memory_bytes = 0;  ///< What processes can use of it at present without swapping.
  double load = 0;                      ///< Mean number of running processes of the last minute.
  /// Highest priority of SCHED_FIFO that this process may set; 0: none.
  int real_time_priority = 0;
};

/// Reads the state of this machine from /proc and /sys. What cannot be read is empty or 0. Takes about a
/// millisecond. `root` is the folder in which proc and sys are, for tests.
Machine read_machine(const std::string& root = {});

/// Reads a list of numbers as the kernel prints it: "0-3,8" is 0, 1, 2, 3, 8. Numbers beyond 65535 are
/// ignored, as is everything from the first mistake on.
std::vector<int> parse_cpu_list(const std::string& text);

}  // namespace orbweaver::sca
