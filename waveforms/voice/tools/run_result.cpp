#include "tools/run_result.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace orbweaver::voice {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;

/// An object of the document, with its location for error messages.
class Members {
 public:
  Members(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) fail("must be an object");
  }

  std::string text(const char* name) const {
    const Json& value = required(name);
    if (!value.is_string()) fail(name, "must be a string");
    return value.get<std::string>();
  }
  double number(const char* name) const {
    const Json& value = required(name);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0) {
      fail(name, "must be a number, zero or more");
    }
    return value.get<double>();
  }
  std::uint64_t count(const char* name) const {
    const Json& value = required(name);
    if (!value.is_number_unsigned()) fail(name, "must be a whole number, zero or more");
    return value.get<std::uint64_t>();
  }
  std::int64_t whole(const char* name) const {
    const Json& value = required(name);
    if (!value.is_number_integer()) fail(name, "must be a whole number");
    return value.get<std::int64_t>();
  }
  bool flag(const char* name) const {
    const Json& value = required(name);
    if (!value.is_boolean()) fail(name, "must be true or false");
    return value.get<bool>();
  }
  const Json& list(const char* name) const {
    const Json& value = required(name);
    if (!value.is_array()) fail(name, "must be an array");
    return value;
  }
  std::map<std::string, double> numbers(const char* name) const {
    const Json& value = required(name);
    if (!value.is_object()) fail(name, "must be an object");
    std::map<std::string, double> numbers;
    for (const auto& [key, item] : value.items()) {
      if (item.is_number()) numbers[key] = item.get<double>();
    }
    return numbers;
  }
  Members item(const char* name, std::size_t index) const {
    return {list(name)[index], where_ + "." + name + "[" + std::to_string(index) + "]"};
  }

 private:
  const Json& required(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) fail(name, "is missing");
    return *found;
  }
  [[noreturn]] void fail(const char* name, const char* what) const {
    throw RunResultError(where_ + "." + name + ": " + what);
  }
  [[noreturn]] void fail(const char* what) const { throw RunResultError(where_ + ": " + what); }

  const Json& object_;
  std::string where_;
};

RunComponent component(const Members& from) {
  RunComponent component;
  component.id = from.text("id");
  component.name = from.text("name");
  component.placement = from.text("placement");
  component.exit = from.text("exit");
  component.pid = from.whole("pid");
  component.cpu_seconds = from.number("cpu_seconds");
  component.stats = from.numbers("stats");
  return component;
}

RunHop hop(const Members& from) {
  RunHop hop;
  hop.from = from.text("from");
  hop.to = from.text("to");
  hop.transport = from.text("transport");
  hop.packets = from.count("packets");
  hop.bytes = from.count("bytes");
  hop.lost = from.count("lost");
  hop.reordered = from.count("reordered");
  hop.p50_us = from.number("p50_us");
  hop.p99_us = from.number("p99_us");
  hop.max_us = from.number("max_us");
  hop.mb_per_s = from.number("mb_per_s");
  hop.end_of_stream = from.flag("end_of_stream");
  hop.queue_high_water = from.count("queue_high_water");
  hop.queue_limit = from.count("queue_limit");
  for (std::size_t i = 0; i < from.list("histogram").size(); ++i) {
    const Members bucket = from.item("histogram", i);
    hop.histogram.push_back({bucket.number("le_us"), bucket.count("count")});
    if (i > 0 && hop.histogram[i - 1].le_us >= hop.histogram[i].le_us) {
      throw RunResultError("hop " + hop.from + ": the histogram's buckets are not in ascending order");
    }
  }
  return hop;
}

}  // namespace

std::optional<double> RunResult::stat(const std::string& name) const {
  for (const RunComponent& component : components) {
    if (const auto found = component.stats.find(name); found != component.stats.end()) return found->second;
  }
  return std::nullopt;
}

RunResult parse_run_result(const std::string& json, const std::string& file_name) {
  const Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) throw RunResultError(file_name + ": invalid or truncated JSON");
  const Members top(document, file_name);
  if (top.number("format") != kFormat) {
    throw RunResultError(file_name + ": the format is not 1; use voice-report of the same release");
  }
  RunResult result;
  result.assembly = top.text("assembly");
  result.sad = top.text("sad");
  result.started = top.text("started");
  result.outcome = top.text("outcome");
  result.message = top.text("message");
  result.seconds = top.number("seconds");
  result.realtime = top.flag("realtime");
  for (std::size_t i = 0; i < top.list("components").size(); ++i) {
    result.components.push_back(component(top.item("components", i)));
  }
  for (std::size_t i = 0; i < top.list("hops").size(); ++i) result.hops.push_back(hop(top.item("hops", i)));
  return result;
}

RunResult read_run_result(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw RunResultError(path + ": cannot be read; create it with orbweaver run FILE.sad.xml --json " + path);
  return parse_run_result({std::istreambuf_iterator<char>(file), {}}, path);
}

}  // namespace orbweaver::voice
