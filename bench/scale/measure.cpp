#include "measure.h"

#include <algorithm>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/harness/clock.h"
#include "bench/harness/memory.h"
#include "bench/harness/timed_loop.h"
#include "process_state.h"

namespace orbweaver::bench {
namespace {

double us_since(std::int64_t begin_ns) { return static_cast<double>(steady_ns() - begin_ns) / 1e3; }

/// Times of `count` calls of `call`, in microseconds.
template <class Call>
std::vector<double> times_of(std::uint32_t count, const Call& call) {
  std::vector<double> times(count);
  for (double& us : times) {
    const std::int64_t begin_ns = steady_ns();
    call();
    us = us_since(begin_ns);
  }
  return times;
}

/// The clients of one caller, one after another.
class Turns {
 public:
  Turns(std::uint32_t caller, std::uint32_t callers, std::uint32_t clients)
      : first_(caller), step_(callers), clients_(clients), next_(caller) {}
  std::uint32_t next() {
    const std::uint32_t client = next_;
    next_ = client + step_ < clients_ ? client + step_ : first_;
    return client;
  }

 private:
  std::uint32_t first_, step_, clients_, next_;
};

/// Times of all callers, which call at the same time.
std::vector<double> times_of_callers(const ScaleSettings& settings, std::uint32_t callers,
                                     const ClientCalls& calls) {
  std::vector<std::vector<double>> times(callers);
  std::vector<std::exception_ptr> problems(callers);
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 0; i < callers; ++i)
      threads.emplace_back([&, i] {
        try {
          Turns turns(i, callers, settings.count);
          times[i] = times_of(std::max(settings.calls / callers, 1u), [&] { calls.call(turns.next()); });
        } catch (...) {
          problems[i] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
  std::vector<double> all;
  for (const auto& each : times) all.insert(all.end(), each.begin(), each.end());
  return all;
}

/// The sample of `measured`, which returns the times of calls, with the processor time and the memory of both
/// ends.
template <class Measured>
ScaleSample sample_of(const ScaleClient& side, std::uint32_t callers, const Measured& measured) {
  const CpuMeter cpu(side.server);
  std::vector<double> times = measured();
  const double both_us = cpu.elapsed_us(), server_us = cpu.receiver_elapsed_us();
  ScaleSample sample;
  sample.callers = callers;
  sample.times = summarise(times);
  sample.times.calls = times.size();
  sample.times.cpu_us_per_call = both_us / static_cast<double>(times.size());
  sample.times.receiver_cpu_us_per_call = server_us / static_cast<double>(times.size());
  sample.times.client = memory_of(0);
  sample.times.server = memory_of(side.server);
  sample.figures["server_threads"] = static_cast<double>(threads_of(side.server));
  sample.figures["server_descriptors"] = static_cast<double>(descriptors_of(side.server));
  return sample;
}

double kib_of_each(const ProcessMemory& before, const ProcessMemory& after, std::uint32_t count) {
  return (after.private_kib - before.private_kib) / count;
}

}  // namespace

std::vector<ScaleSample> measure_clients(const ScaleClient& side, const ClientCalls& calls) {
  const std::uint32_t count = side.settings.count;
  const std::int64_t begin_ns = steady_ns();
  calls.open(0);
  const ProcessMemory before =
      memory_of(side.server);  // pages shared with the client's program no longer count
  for (std::uint32_t i = 1; i < count; ++i) calls.open(i);
  const double connect_ms = us_since(begin_ns) / 1e3;
  const std::uint64_t connections = connections_at(side.port);
  if (connections != count)
    throw std::runtime_error("the server has " + std::to_string(connections) + " connections for " +
                             std::to_string(count) + " clients");
  std::vector<ScaleSample> samples;
  for (const std::uint32_t callers : possible_callers(side.settings)) {
    Turns turns(0, 1, count);
    for (std::uint32_t i = 0; i < std::max(count, side.settings.calls / 10); ++i) calls.call(turns.next());
    ScaleSample& sample = samples.emplace_back(
        sample_of(side, callers, [&] { return times_of_callers(side.settings, callers, calls); }));
    sample.figures["connections"] = static_cast<double>(connections_at(side.port));
    sample.figures["connect_ms"] = connect_ms;
    if (count > 1) sample.figures["server_kib_each"] = kib_of_each(before, sample.times.server, count - 1);
  }
  return samples;
}

std::vector<ScaleSample> measure_objects(const ScaleClient& side, const ObjectCalls& calls) {
  const std::uint32_t count = side.settings.count;
  const ProcessMemory server_before = memory_of(side.server);
  const double activate_us = calls.activate();
  const ProcessMemory server_after = memory_of(side.server), client_before = memory_of(0);
  calls.fetch();
  const ProcessMemory client_after = memory_of(0);
  const auto call = [&](std::uint32_t object) {
    const std::uint32_t number = calls.call(object);
    if (number != object)
      throw std::runtime_error("object " + std::to_string(number) + " has replied to a call of object " +
                               std::to_string(object));
  };
  for (std::uint32_t i = 0; i < count; ++i) call(i);
  std::minstd_rand random(1);
  for (std::uint32_t i = 0; i < side.settings.calls / 10; ++i)
    call(static_cast<std::uint32_t>(random() % count));
  ScaleSample sample = sample_of(side, 1, [&] {
    return times_of(side.settings.calls, [&] { call(static_cast<std::uint32_t>(random() % count)); });
  });
  sample.figures["activate_ms"] = activate_us / 1e3;
  sample.figures["activate_us_each"] = activate_us / count;
  sample.figures["server_kib_each"] = kib_of_each(server_before, server_after, count);
  sample.figures["client_kib_each"] = kib_of_each(client_before, client_after, count);
  return {std::move(sample)};
}

}  // namespace orbweaver::bench
