#include "machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "bench_commit.h"

namespace orbweaver::bench {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

Placement placement(Pin pin, const std::vector<int>& cpus) {
  if (pin == Pin::none || cpus.empty()) return {};
  if (pin == Pin::one) return {cpus.back(), cpus.back()};
  if (cpus.size() < 2)
    throw std::runtime_error(
        "--pin two needs two processors, and this process may run on one only: use --pin one, or --wait "
        "block");
  return {cpus.back(), cpus[cpus.size() - 2]};
}

void pin_to(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    throw std::system_error(errno, std::generic_category(),
                            "cannot stay on processor " + std::to_string(cpu));
}

void set_real_time_priority(int priority) {
  if (priority == 0) return;
  sched_param parameters{};
  parameters.sched_priority = priority;
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) == 0) return;
  throw std::runtime_error("--fifo " + std::to_string(priority) + ": " +
                           std::generic_category().message(errno) +
                           "; it needs CAP_SYS_NICE, or a limit (ulimit -r) as high");
}

std::string priority_description(int priority) {
  if (priority == 0) return {};
  std::string limit = "unknown";
  std::ifstream("/proc/sys/kernel/sched_rt_runtime_us") >> limit;
  return "SCHED_FIFO " + std::to_string(priority) + ", kernel.sched_rt_runtime_us " + limit;
}

std::string machine_description() {
  std::string model = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      model = line.substr(colon + 2);
      break;
    }
  }
  const std::size_t cpus = allowed_cpus().size();
  utsname system{};
  uname(&system);
  return model + ", " + std::to_string(cpus) + (cpus == 1 ? " processor, " : " processors, ") +
         system.sysname + " " + system.release;
}

std::string build_commit() { return ORBWEAVER_BENCH_COMMIT; }

}  // namespace orbweaver::bench
