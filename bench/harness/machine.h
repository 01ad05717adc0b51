// What a figure is worth nothing without: the machine, the commit, and the cores the two ends ran on.
#pragma once

#include <string>
#include <vector>

#include "case.h"

namespace orbweaver::bench {

/// Processors this process may run on, in order.
std::vector<int> allowed_cpus();

/// The two ends' processors under a pinning; -1: wherever the scheduler likes.
struct Placement {
  int client = -1;
  int server = -1;
};

/// `Pin::two` needs two processors in `cpus`; throws std::runtime_error that says so where there is one.
/// Prefers the last ones: the first serves most interrupts.
Placement placement(Pin, const std::vector<int>& cpus);

/// Keeps the calling process on one processor. -1 does nothing. Throws std::system_error.
void pin_to(int cpu);

/// Gives this process, and all that it starts, the real-time policy SCHED_FIFO: nothing of the usual policy runs
/// beside it on its processor. 0 does nothing. Throws std::runtime_error that says what is missing.
void run_in_real_time(int priority);

/// "AMD EPYC, 2 processors, Linux 6.18.5".
std::string machine_description();

/// The commit this was built from, "-dirty" behind it if files differed; "unknown" outside of a checkout.
std::string built_from();

}  // namespace orbweaver::bench
