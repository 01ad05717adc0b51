#include "runner.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/harness/child.h"

namespace orbweaver::bench {
namespace {

constexpr std::chrono::seconds kStartLimit{120};
constexpr std::chrono::seconds kEndLimit{120};

std::vector<std::string> arguments(const char* role, const PipelineSettings& settings,
                                   const std::vector<std::string>& more = {}) {
  std::vector<std::string> args{role};
  for (std::string& arg : to_args(settings)) args.push_back(std::move(arg));
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

/// Starts a stage that passes its packets on to `next`, empty for the last one. Returns its address.
std::string start_stage(std::vector<std::unique_ptr<Child>>& stages, const PipelineSettings& settings,
                        const std::string& program, unsigned number, const std::string& next) {
  std::vector<std::string> more = {"--stage", std::to_string(number)};
  if (!next.empty()) more.insert(more.end(), {"--next", next});
  stages.push_back(std::make_unique<Child>(program, arguments("stage", settings, more)));
  const auto ready = stages.back()->read_line(kStartLimit);
  if (!ready || !ready->starts_with("ready ")) {
    throw std::runtime_error("stage " + std::to_string(number) + " " +
                             describe_exit(stages.back()->wait(kStartLimit)));
  }
  return ready->substr(6);
}

/// Twenty times the time that the packets take one after the other, and two minutes.
std::chrono::milliseconds run_limit(const PipelineSettings& settings) {
  const double ms = 20 * theoretical_synchronous_ms(settings) + 120'000;
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

void check(const PipelineResult& result) {
  if (result.stages.size() != result.settings.stages)
    throw std::runtime_error("the producer reported " + std::to_string(result.stages.size()) + " stages");
  if (result.send_us.size() != result.settings.packets)
    throw std::runtime_error("the producer reported " + std::to_string(result.send_us.size()) + " sends");
  for (const StageResult& stage : result.stages)
    if (stage.corrupt != 0)
      throw std::runtime_error(std::to_string(stage.corrupt) + " packets arrived with wrong samples");
}

}  // namespace

PipelineResult run_pipeline(const PipelineSettings& settings, const std::string& program) {
  std::vector<std::unique_ptr<Child>> stages;
  std::string first;
  if (!settings.collocated)
    for (unsigned i = settings.stages; i > 0; --i) first = start_stage(stages, settings, program, i, first);
  std::vector<std::string> more;
  if (!first.empty()) more = {"--next", first};
  Child producer(program, arguments("produce", settings, more));

  PipelineResult result{settings, {}, {}, 0};
  for (unsigned line = 0; line <= settings.stages; ++line) {
    const auto text = producer.read_line(run_limit(settings));
    if (!text) throw std::runtime_error("the producer " + describe_exit(producer.wait(kStartLimit)));
    if (!add_line(result, *text)) throw std::runtime_error("the producer printed an invalid line: " + *text);
  }
  if (const auto status = producer.wait(kEndLimit); status != 0)
    throw std::runtime_error("the producer " + describe_exit(status));
  check(result);
  return result;
}

}  // namespace orbweaver::bench
