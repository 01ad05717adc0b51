#include "command.h"

#include <filesystem>
#include <ostream>

#include "bench/harness/experiment.h"
#include "bench/harness/machine.h"
#include "bench/harness/plan.h"
#include "bench/harness/runner.h"
#include "report.h"
#include "runner.h"

namespace orbweaver::bench {
namespace {

constexpr double kMax_ms = 60'000;

std::string mode_names() {
  std::string names;
  for (const PipelineMode mode : all_pipeline_modes())
    names.append(names.empty() ? "" : ", ").append(name(mode));
  return names;
}

std::vector<PipelineMode> modes_of(const PipelinePlan& plan) {
  if (plan.modes.empty()) return all_pipeline_modes();
  std::vector<PipelineMode> modes;
  for (const std::string& text : plan.modes) {
    const auto mode = pipeline_mode(text);
    if (!mode) throw InvalidPlan("--mode: unknown value '" + text + "'; use one of " + mode_names());
    modes.push_back(*mode);
  }
  return modes;
}

bool is_transport(const std::string& name) {
  return name == "shm" || name == "unix" || name == "mqueue" || name == "tcp" || name == "udp";
}

void check(bool valid, const char* what) {
  if (!valid) throw InvalidPlan(what);
}

PipelineSettings settings_of(const PipelinePlan& plan) {
  PipelineSettings s = plan.settings;
  if (!is_transport(s.transport))
    throw InvalidPlan("--transport: unknown value '" + s.transport +
                      "'; use one of shm, unix, mqueue, tcp, udp, or --collocated for one process");
  check(s.wait == "spin" || s.wait == "adaptive" || s.wait == "block",
        "--wait: one of spin, adaptive, block");
  check(s.stages >= 1 && s.stages <= 64, "--stages: from 1 to 64");
  check(s.packets >= 1 && s.packets <= 1'000'000, "--packets: from 1 to 1000000");
  check(s.work_ms >= 0 && s.work_ms <= kMax_ms, "--work: from 0 to 60000 ms");
  check(s.pace_ms >= 0 && s.pace_ms <= kMax_ms, "--pace: from 0 to 60000 ms");
  check(s.threads >= 1 && s.threads <= 256, "--threads: from 1 to 256");
  check(s.queue >= 1 && s.queue <= 65536, "--queue: from 1 to 65536 packets");
  check(plan.rounds >= 1 && plan.rounds <= 1000, "--rounds: from 1 to 1000");
  check(plan.fifo >= 0 && plan.fifo <= 99, "--fifo: a priority of SCHED_FIFO is from 1 to 99");
  s.work = allowed_cpus().size() >= s.stages ? WorkBy::compute : WorkBy::wait;
  if (!plan.work_by.empty()) {
    const auto work = work_by(plan.work_by);
    if (!work) throw InvalidPlan("--work-by: unknown value '" + plan.work_by + "'; use one of compute, wait");
    s.work = *work;
  }
  return s;
}

std::string program_of(const std::string& subject) {
  return own_folder() + "/bench-" + subject + "-pipeline";
}

/// The subjects that are built.
std::vector<std::string> subjects_of(const PipelinePlan& plan) {
  std::vector<std::string> subjects;
  for (const std::string& subject : plan.subjects) {
    if (subject != "orbweaver" && subject != "omniorb")
      throw InvalidPlan("--subject: unknown value '" + subject + "'; use one of orbweaver, omniorb");
    if (std::filesystem::exists(program_of(subject))) subjects.push_back(subject);
  }
  return subjects;
}

/// omniORB has no SyncScope policy, and the ports are Orbweaver's.
bool omniorb_has(PipelineMode mode) {
  return mode == PipelineMode::oneway_transport || mode == PipelineMode::twoway ||
         mode == PipelineMode::unordered;
}

PipelineResult run_subject(const std::string& subject, PipelineMode mode, PipelineSettings settings) {
  settings.mode = mode;
  if (subject == "omniorb") settings.transport = "tcp";  // it has no shared memory
  PipelineResult result = run_pipeline(settings, program_of(subject));
  result.subject = subject;
  return result;
}

}  // namespace

int run_pipeline_command(const PipelinePlan& plan, const std::string& json_file, std::ostream& out,
                         std::ostream& err) {
  std::vector<PipelineRounds> measured;
  PipelineConditions conditions;
  bool failed = false;
  try {
    const PipelineSettings settings = settings_of(plan);
    const std::vector<PipelineMode> modes = modes_of(plan);
    const std::vector<std::string> subjects = subjects_of(plan);
    if (subjects.empty())
      throw std::runtime_error("the programs of the pipeline are missing in " + own_folder() +
                               ": run it from a build folder of Orbweaver (`make bench`)");
    set_real_time_priority(plan.fifo);
    conditions = {machine_description(), build_commit(), load_average(), plan.fifo};
    for (const PipelineMode mode : modes) {
      std::vector<std::string> those;
      for (const std::string& subject : subjects)
        if (subject != "omniorb" || omniorb_has(mode)) those.push_back(subject);
      std::vector<PipelineRounds> rounds(those.size());
      interleave(plan.rounds, those.size(), [&](std::size_t i) {
        try {
          rounds[i].push_back(run_subject(those[i], mode, settings));
        } catch (const std::runtime_error& problem) {
          failed = true;
          err << "failed: " << those[i] << ", " << name(mode) << ": " << problem.what() << "\n";
        }
      });
      for (PipelineRounds& each : rounds)
        if (!each.empty()) measured.push_back(std::move(each));
    }
  } catch (const std::runtime_error& problem) {
    err << "orbweaver bench: " << problem.what() << "\n";
    return 2;
  }
  std::vector<PipelineResult> results;
  for (const PipelineRounds& each : measured) results.push_back(median_round(each));
  print_pipeline(json_file == "-" ? err : out, results, conditions);
  const auto write = [&](std::ostream& to) { write_pipeline_json(to, measured); };
  return write_rows(json_file, write, out, err) && !failed ? 0 : 1;
}

}  // namespace orbweaver::bench
