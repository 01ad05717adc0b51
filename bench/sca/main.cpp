// SCA components as a subject of `orbweaver bench scale`: an assembly whose components are processes, in a
// ring, deployed by the launcher of `orbweaver run`.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/deployment/assembly.h"
#include "bench/harness/clock.h"
#include "bench/harness/scratch.h"
#include "bench/scale/started_components.h"
#include "bench/scale/subject.h"
#include "sca/launch/lifecycle_driver.h"
#include "sca/launch/supervisor.h"

namespace {

using namespace orbweaver::bench;
namespace sca = orbweaver::sca;

constexpr int kEventPollMs = 20, kExitMs = 5000;

/// The value; throws std::runtime_error with the error's text.
template <class T>
T value_of(orbweaver::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

sca::Assembly assembly_in(const std::string& folder, std::uint32_t components) {
  const Assembly assembly{components, 1, false, ORBWEAVER_BENCH_FIRST};
  write_assembly(assembly, folder);
  return value_of(sca::load_assembly(folder + "/" + assembly.file_name()));
}

/// The components of one assembly, started as by `orbweaver run`. Main thread.
class Deployment {
 public:
  explicit Deployment(const sca::Assembly& assembly)
      : assembly_(assembly), plan_(value_of(sca::make_plan(assembly, {}))),
        processes_(assembly.components.size()), exec_ns_(processes_.size()), first_ns_(processes_.size()),
        application_(assembly, plan_, {}) {
    result_.components.resize(processes_.size());
    for (const sca::PlannedProcess& each : plan_.processes) start(each);
  }

  /// Lets the application begin, and ends it when each component has sent a packet.
  ScaleSample measured() {
    ScaleSample sample;
    std::string problem;
    {
      sca::LifecycleDriver driver(application_, assembly_, result_);
      const auto end = std::chrono::steady_clock::now() + kComponentLimit;
      bool cancelled = false;
      while (!driver.done()) {
        supervisor_.handle_events(kEventPollMs);
        if (cancelled) continue;
        cancelled = true;
        if (has_ended())
          problem = "a component has ended";
        else if (missing_ == 0)
          sample = sample_of_components(processes_, exec_ns_, first_ns_);
        else if (std::chrono::steady_clock::now() > end)
          problem = std::to_string(missing_) + " components have not sent a packet";
        else
          cancelled = false;
        if (cancelled) driver.cancel();
      }
      if (problem.empty()) problem = driver.failure();
    }
    supervisor_.shut_down_all(kExitMs, kExitMs);
    if (problem.empty() && missing_ != 0) problem = "the application has ended before all first packets";
    if (!problem.empty()) throw std::runtime_error(problem);
    return sample;
  }

 private:
  void start(const sca::PlannedProcess& planned) {
    const std::size_t component = planned.components.at(0);
    orbweaver::platform::SpawnRequest request;
    request.program = planned.program;
    request.arguments = {"NAMING_CONTEXT_IOR",   application_.naming_context(),
                         "NAME_BINDING",         assembly_.components[component].naming,
                         "COMPONENT_IDENTIFIER", assembly_.components[component].id};
    exec_ns_[component] = steady_ns();
    const std::size_t index = value_of(supervisor_.start(std::to_string(component), request));
    processes_[component] = supervisor_.pid(index);
    result_.components[component].id = assembly_.components[component].id;
    result_.components[component].pid = supervisor_.pid(index);
  }

  /// A line "first NS" of a component: the packet of its predecessor in the ring has arrived.
  void take(const std::string& component, const std::string& line) {
    if (!line.starts_with("first ")) {
      std::fprintf(stderr, "component %s: %s\n", component.c_str(), line.c_str());
      return;
    }
    const std::size_t count = first_ns_.size();
    std::int64_t& first_ns = first_ns_[(std::stoul(component) + count - 1) % count];
    if (first_ns != 0) return;
    first_ns = std::stoll(line.substr(6));
    --missing_;
  }

  bool has_ended() const {
    for (std::size_t i = 0; i < supervisor_.size(); ++i)
      if (supervisor_.end(i)) return true;
    return false;
  }

  const sca::Assembly& assembly_;
  const sca::Plan plan_;
  std::vector<pid_t> processes_;  // by component, as the next two
  std::vector<std::int64_t> exec_ns_, first_ns_;
  std::size_t missing_ = first_ns_.size();
  sca::RunResult result_;
  sca::Supervisor supervisor_{
      // before any thread starts: it blocks the stop signals
      [this](const std::string& component, const std::string& line) { take(component, line); }};
  sca::LaunchedAssembly application_;
};

ScaleSample start(const ScaleSettings& settings) {
  const Scratch scratch;
  const sca::Assembly assembly = assembly_in(scratch.path(), settings.count);
  return Deployment(assembly).measured();
}

}  // namespace

int main(int argc, char** argv) { return scale_subject_main(argc, argv, {{}, {}, start, {}}); }
