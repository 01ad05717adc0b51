#include "runner.h"

#include <chrono>
#include <stdexcept>

#include "bench/harness/child.h"
#include "bench/harness/machine.h"

namespace orbweaver::bench {
namespace {

constexpr std::chrono::seconds kStartLimit{120}, kRunLimit{600};

std::vector<std::string> arguments(const char* role, const ScaleSettings& settings,
                                   std::vector<std::string> more) {
  std::vector<std::string> args{role};
  for (std::string& arg : to_args(settings)) args.push_back(std::move(arg));
  for (std::string& arg : more) args.push_back(std::move(arg));
  return args;
}

/// The samples that the process prints until its end.
std::vector<ScaleSample> samples_of(Child& child, const std::string& who) {
  ScaleSampleReader reader;
  bool complete = false;
  while (!complete) {
    const auto line = child.read_line(kRunLimit);
    if (!line) break;
    complete = !reader.add(*line);
  }
  const auto status = child.wait(kStartLimit);
  if (!complete || status != 0) throw std::runtime_error(who + " " + describe_exit(status));
  return reader.samples();
}

}  // namespace

std::vector<ScaleSample> run_scale(const ScaleSettings& settings, const std::string& program, Pin pin) {
  if (settings.part == ScalePart::components) {
    Child starter(program, arguments("start", settings, {}));
    return samples_of(starter, "the starter");
  }
  const Placement cpus = placement(pin, allowed_cpus());
  Child server(program, arguments("serve", settings, {"--cpu", std::to_string(cpus.server)}));
  const auto ready = server.read_line(kStartLimit);
  if (!ready || !ready->starts_with("ready "))
    throw std::runtime_error("the server " + describe_exit(server.wait(kStartLimit)));
  Child client(program, arguments("call", settings,
                                  {"--cpu", std::to_string(cpus.client), "--port", ready->substr(6),
                                   "--server", std::to_string(server.pid())}));
  return samples_of(client, "the client");
}

}  // namespace orbweaver::bench
