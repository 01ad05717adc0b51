#include "monitor/document.h"

#include <cmath>

namespace orbweaver::monitor {
namespace {

using nlohmann::json;

void put(json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

/// Numbers for people and plots need three digits; fewer digits make smaller changes.
double rounded(double value) {
  if (!std::isfinite(value)) return 0;
  const double step = value < 10 ? 100.0 : value < 100 ? 10.0 : 1.0;
  return std::round(value * step) / step;
}

double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1000.0; }

json json_of(const Node& node) {
  json result{{"label", node.label}, {"responds", node.responds}, {"devices", json::object()}};
  for (const Device& each : node.devices) {
    json device{{"label", each.label}};
    put(device, "usage", each.usage);
    put(device, "administration", each.administration);
    put(device, "operation", each.operation);
    result["devices"][each.id] = std::move(device);
  }
  return result;
}

json json_of(const Application& application) {
  json result{{"name", application.name}, {"state", application.state}};
  put(result, "installed", application.installed);
  put(result, "failure", application.failure);
  return result;
}

json json_of(const Component& component, const std::optional<double>& cpu_percent) {
  json result{{"name", component.name}, {"ports", json::object()}, {"counters", json::object()}};
  put(result, "application", component.application);
  put(result, "node", component.node);
  put(result, "device", component.device);
  put(result, "state", component.state);
  if (component.process >= 0) result["process"] = component.process;
  if (component.cpu_ns)
    result["cpu_seconds"] = std::round(static_cast<double>(*component.cpu_ns) / 1e6) / 1e3;
  if (cpu_percent) result["cpu_percent"] = rounded(*cpu_percent);
  for (const Port& each : component.ports) {
    result["ports"][each.name] = {{"direction", each.provides ? "in" : "out"}, {"interface", each.interface}};
  }
  for (const auto& [name, value] : component.counters) {
    if (std::isfinite(value)) result["counters"][name] = value;
  }
  return result;
}

json end_of(const std::string& component, const std::string& port) {
  json result = json::object();
  put(result, "component", component);
  put(result, "port", port);
  return result;
}

void put_measured(json& result, const Connection& connection) {
  result["packets"] = connection.packets;
  result["bytes"] = connection.bytes;
  result["lost"] = connection.lost;
  result["reordered"] = connection.reordered;
  result["ended"] = connection.ended;
  result["queue"] = {{"depth", connection.queue_depth},
                     {"limit", connection.queue_limit},
                     {"high_water", connection.queue_high_water}};
  result["latency"] = {{"max_us", microseconds(connection.max_latency_ns)}};
}

void put_rates(json& result, const ConnectionRates& rates) {
  result["packets_per_s"] = rounded(rates.packets_per_s);
  result["bytes_per_s"] = rounded(rates.bytes_per_s);
  json& latency = result["latency"];
  if (rates.histogram.empty()) return;
  latency["p50_us"] = microseconds(rates.p50_ns);
  latency["p99_us"] = microseconds(rates.p99_ns);
  json& histogram = latency["histogram"] = json::array();
  for (const auto& [upper_ns, count] : rates.histogram)
    histogram.push_back(json::array({microseconds(upper_ns), count}));
}

json json_of(const Connection& connection, const std::optional<ConnectionRates>& rates) {
  json result{{"from", end_of(connection.from, connection.from_port)},
              {"to", end_of(connection.to, connection.to_port)},
              {"broken", connection.broken}};
  put(result, "application", connection.application);
  put(result, "transport", connection.transport);
  if (!connection.measured) return result;
  put_measured(result, connection);
  if (rates) put_rates(result, *rates);
  return result;
}

}  // namespace

json document_of(const Snapshot& snapshot, const RateMeter& rates) {
  json result{{"domain", snapshot.domain},      {"read_ms", snapshot.unix_ms},
              {"nodes", json::object()},        {"installed", json::object()},
              {"applications", json::object()}, {"components", json::object()},
              {"connections", json::object()}};
  put(result, "problem", snapshot.problem);
  for (const Node& each : snapshot.nodes) result["nodes"][each.id] = json_of(each);
  for (const Installed& each : snapshot.installed)
    result["installed"][each.id] = {{"name", each.name}, {"profile", each.profile}};
  for (const Application& each : snapshot.applications) result["applications"][each.id] = json_of(each);
  for (const Component& each : snapshot.components)
    result["components"][each.id] = json_of(each, rates.cpu_percent(each.id));
  for (const Connection& each : snapshot.connections)
    result["connections"][each.id] = json_of(each, rates.connection(each.id));
  return result;
}

json merge_patch(const json& from, const json& to) {
  json patch = json::object();
  for (const auto& [name, value] : from.items()) {
    if (!to.contains(name)) patch[name] = nullptr;
  }
  for (const auto& [name, value] : to.items()) {
    const auto before = from.find(name);
    if (before == from.end()) {
      patch[name] = value;
    } else if (before->is_object() && value.is_object()) {
      json inner = merge_patch(*before, value);
      if (!inner.empty()) patch[name] = std::move(inner);
    } else if (*before != value) {
      patch[name] = value;
    }
  }
  return patch;
}

json json_of(const Property& property) {
  json result{{"id", property.id},
              {"type", property.type},
              {"value", property.value},
              {"writable", property.writable}};
  put(result, "name", property.name);
  put(result, "units", property.units);
  put(result, "description", property.description);
  if (property.structured) result["structured"] = true;
  if (property.min) result["min"] = *property.min;
  if (property.max) result["max"] = *property.max;
  for (const auto& [value, label] : property.choices)
    result["choices"].push_back({{"value", value}, {"label", label}});
  return result;
}

json json_of(const LogLine& line) {
  return {{"number", line.number}, {"time_ms", line.unix_ms},
          {"level", line.level},   {"level_name", line.level_name},
          {"source", line.source}, {"source_id", line.source_id},
          {"text", line.text}};
}

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace orbweaver::monitor
