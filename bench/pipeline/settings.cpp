#include "settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

namespace orbweaver::bench {
namespace {

constexpr auto kModes = std::to_array<std::pair<PipelineMode, std::string_view>>({
    {PipelineMode::oneway_none, "oneway-none"},
    {PipelineMode::oneway_transport, "oneway-transport"},
    {PipelineMode::oneway_server, "oneway-server"},
    {PipelineMode::oneway_target, "oneway-target"},
    {PipelineMode::twoway, "twoway"},
    {PipelineMode::twoway_thread, "twoway-thread"},
    {PipelineMode::ordered, "ordered"},
    {PipelineMode::unordered, "unordered"},
    {PipelineMode::stamped, "stamped"},
});

template <class Number>
bool store(Number& field, std::string_view text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), field);
  return error == std::errc{} && end == text.data() + text.size();
}

template <class Value>
bool store(Value& field, std::optional<Value> value) {
  if (value) field = *value;
  return value.has_value();
}

std::string exact(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

bool store_option(PipelineSettings& settings, const std::string& key, const std::string& value) {
  if (key == "--mode") return store(settings.mode, pipeline_mode(value));
  if (key == "--transport") {
    settings.transport = value;
    return true;
  }
  if (key == "--wait") {
    settings.wait = value;
    return true;
  }
  if (key == "--stages") return store(settings.stages, value);
  if (key == "--packets") return store(settings.packets, value);
  if (key == "--work") return store(settings.work_ms, value);
  if (key == "--pace") return store(settings.pace_ms, value);
  if (key == "--work-by") return store(settings.work, work_by(value));
  if (key == "--threads") return store(settings.threads, value);
  if (key == "--queue") return store(settings.queue, value);
  if (key != "--collocated" || (value != "yes" && value != "no")) return false;
  settings.collocated = value == "yes";
  return true;
}

}  // namespace

const std::vector<PipelineMode>& all_pipeline_modes() {
  static const std::vector<PipelineMode> modes = [] {
    std::vector<PipelineMode> all;
    for (const auto& [mode, text] : kModes) all.push_back(mode);
    return all;
  }();
  return modes;
}

std::string_view name(PipelineMode mode) { return kModes[static_cast<std::size_t>(mode)].second; }

std::string_view name(WorkBy work) { return work == WorkBy::compute ? "compute" : "wait"; }

std::optional<PipelineMode> pipeline_mode(std::string_view text) {
  for (const auto& [mode, spelling] : kModes)
    if (spelling == text) return mode;
  return std::nullopt;
}

std::optional<WorkBy> work_by(std::string_view text) {
  if (text == name(WorkBy::compute)) return WorkBy::compute;
  if (text == name(WorkBy::wait)) return WorkBy::wait;
  return std::nullopt;
}

std::vector<std::string> to_args(const PipelineSettings& s) {
  return {"--mode",       std::string(name(s.mode)),  "--transport", s.transport,
          "--stages",     std::to_string(s.stages),   "--packets",   std::to_string(s.packets),
          "--work",       exact(s.work_ms),           "--pace",      exact(s.pace_ms),
          "--work-by",    std::string(name(s.work)),  "--threads",   std::to_string(s.threads),
          "--queue",      std::to_string(s.queue),    "--wait",      s.wait,
          "--collocated", s.collocated ? "yes" : "no"};
}

std::optional<PipelineSettings> pipeline_from_args(const std::vector<std::string>& args) {
  PipelineSettings settings;
  if (args.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < args.size(); i += 2)
    if (!store_option(settings, args[i], args[i + 1])) return std::nullopt;
  return settings;
}

double theoretical_ms(const PipelineSettings& s, unsigned stage) {
  return (static_cast<double>(s.packets) - 1) * std::max(s.work_ms, s.pace_ms) + stage * s.work_ms;
}

double theoretical_synchronous_ms(const PipelineSettings& s) {
  const double packet_ms = s.stages * s.work_ms;
  return (static_cast<double>(s.packets) - 1) * std::max(packet_ms, s.pace_ms) + packet_ms;
}

}  // namespace orbweaver::bench
