// The conditions of a measurement: the machine, the commit, and the processors of both ends.
#pragma once

#include <string>
#include <vector>

#include "case.h"

namespace orbweaver::bench {

/// Returns the processors that this process may run on, in ascending order.
std::vector<int> allowed_cpus();

/// The processors of the two ends; -1: chosen by the scheduler.
struct Placement {
  int client = -1;
  int server = -1;
};

/// Chooses processors for a pinning. Prefers the last ones, because the first serves most interrupts. Throws
/// std::runtime_error if `Pin::two` has fewer than two processors in `cpus`.
Placement placement(Pin, const std::vector<int>& cpus);

/// Pins the calling process to one processor; -1 does nothing. Throws std::system_error.
void pin_to(int cpu);

/// Gives this process and its future children the real-time policy SCHED_FIFO, so that no process of the
/// default policy runs on their processors at the same time. 0 does nothing. Throws std::runtime_error that
/// names the missing permission.
void set_real_time_priority(int priority);

/// Returns a description of the priority of set_real_time_priority(), with the kernel's limit of such
/// processes: "SCHED_FIFO 50, kernel.sched_rt_runtime_us 950000"; empty for 0.
std::string priority_description(int priority);

/// Returns a description of the machine: "AMD EPYC, 2 processors, Linux 6.18.5".
std::string machine_description();

/// Returns the commit of this build, with "-dirty" appended if files differed; "unknown" outside of a
/// checkout.
std::string build_commit();

}  // namespace orbweaver::bench
