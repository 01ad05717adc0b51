#include "started_components.h"

#include <algorithm>
#include <stdexcept>

#include "bench/harness/clock.h"
#include "bench/harness/memory.h"
#include "process_state.h"

namespace orbweaver::bench {

ScaleSample sample_of_components(const std::vector<pid_t>& processes,
                                 const std::vector<std::int64_t>& exec_ns,
                                 const std::vector<std::int64_t>& first_ns) {
  std::vector<double> times, resident, own, threads, cpu;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    times.push_back(static_cast<double>(first_ns[i] - exec_ns[i]) / 1e3);
    const ProcessMemory memory = memory_of(processes[i]);
    if (memory.resident_kib == 0)
      throw std::runtime_error("component " + std::to_string(i) + " has ended after its first packet");
    resident.push_back(memory.resident_kib);
    own.push_back(memory.private_kib);
    threads.push_back(static_cast<double>(threads_of(processes[i])));
    cpu.push_back(cpu_us(processes[i]));
  }
  ScaleSample sample;
  sample.times = summarise(times);
  sample.times.calls = times.size();
  sample.times.server = {median(resident), median(own)};
  sample.figures["component_threads"] = median(threads);
  sample.figures["component_cpu_us"] = median(cpu);
  sample.figures["all_ms"] = static_cast<double>(*std::max_element(first_ns.begin(), first_ns.end()) -
                                                 *std::min_element(exec_ns.begin(), exec_ns.end())) /
                             1e6;
  return sample;
}

void StartedComponents::start(const std::string& starter) {
  for (std::size_t i = 0; i < announced_.size(); ++i) {
    exec_ns_.push_back(steady_ns());
    processes_.push_back(std::make_unique<Child>(
        "/proc/self/exe",
        std::vector<std::string>{"component", "--number", std::to_string(i), "--starter", starter}));
  }
}

bool StartedComponents::announced(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  if (number >= announced_.size()) return false;
  announced_[number] = true;
  changed_.notify_all();
  return true;
}

void StartedComponents::packet(std::uint32_t number, std::int64_t arrived_ns) {
  const std::lock_guard lock(mutex_);
  if (number >= first_ns_.size() || first_ns_[number] != 0) return;
  first_ns_[number] = arrived_ns;
  changed_.notify_all();
}

template <class Has>
void StartedComponents::wait(const char* what, Has has) {
  std::unique_lock lock(mutex_);
  std::uint32_t next = 0;  // all before it have
  const bool all = changed_.wait_for(lock, kComponentLimit, [&] {
    while (next < announced_.size() && has(next)) ++next;
    return next == announced_.size();
  });
  if (!all)
    throw std::runtime_error("component " + std::to_string(next) + " has not " + what + " within " +
                             std::to_string(kComponentLimit.count()) + " s");
}

void StartedComponents::wait_until_announced() {
  wait("announced itself", [this](std::uint32_t i) { return announced_[i] != 0; });
}

void StartedComponents::wait_for_packets() {
  wait("sent a packet", [this](std::uint32_t i) { return first_ns_[i] != 0; });
}

ScaleSample StartedComponents::sample() const {
  std::vector<pid_t> pids;
  for (const auto& process : processes_) pids.push_back(process->pid());
  const std::lock_guard lock(mutex_);
  return sample_of_components(pids, exec_ns_, first_ns_);
}

}  // namespace orbweaver::bench
