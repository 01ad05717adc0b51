#include "monitor/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include <orbweaver/sca/detail/latency_histogram.h>
#include "base/utf8.h"

namespace orbweaver::monitor {
namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string number(std::uint64_t value) { return std::to_string(value); }

/// A label's value: escaped as the format has it; control characters and invalid UTF-8 become '?'.
std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Utf8Character next = decode_utf8(text);
    if (text[0] == '\n') {
      result += "\\n";
    } else if (!next.valid || next.code < 0x20 || next.code == 0x7f) {
      result += '?';
    } else {
      if (text[0] == '\\' || text[0] == '"') result += '\\';
      result += text.substr(0, next.bytes);
    }
    text.remove_prefix(std::min(next.bytes, text.size()));
  }
  return result;
}

/// Writes families of metrics, each as a whole.
class Writer {
 public:
  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    text_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
    text_.append(name).append(" ").append(type).append("\n");
  }
  template <class Value>
  void sample(const Labels& labels, Value value, const char* suffix = "") {
    text_.append(name_).append(suffix);
    if (!labels.empty()) {
      char separator = '{';
      for (const auto& [label, text] : labels) {
        text_.append(1, separator).append(label).append("=\"").append(escaped(text)).append("\"");
        separator = ',';
      }
      text_ += '}';
    }
    text_.append(" ").append(number(value)).append("\n");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

Labels labels_of(const Component& component) {
  return {{"application", component.application}, {"component", component.id}, {"node", component.node}};
}

Labels labels_of(const Connection& connection) {
  return {{"application", connection.application},
          {"connection", connection.id},
          {"from", connection.from + "." + connection.from_port},
          {"to", connection.to + "." + connection.to_port}};
}

/// A metric that is a number of each measured connection.
struct ConnectionMetric {
  const char* name;
  const char* type;
  const char* help;
  std::uint64_t Connection::*value;
};

constexpr ConnectionMetric kConnectionMetrics[] = {
    {"orbweaver_connection_packets_total", "counter", "Packets received.", &Connection::packets},
    {"orbweaver_connection_bytes_total", "counter", "Bytes of samples received.", &Connection::bytes},
    {"orbweaver_connection_lost_packets", "gauge", "Packets that were skipped and have not come since.",
     &Connection::lost},
    {"orbweaver_connection_reordered_packets_total", "counter", "Packets that came after a later one.",
     &Connection::reordered},
    {"orbweaver_connection_queue_packets", "gauge", "Packets in the receiver's queue.",
     &Connection::queue_depth},
    {"orbweaver_connection_queue_limit_packets", "gauge", "Capacity of the receiver's queue.",
     &Connection::queue_limit},
    {"orbweaver_connection_queue_high_water_packets", "gauge", "Most packets that were in the queue.",
     &Connection::queue_high_water},
};

void write_domain(Writer& out, const Snapshot& snapshot) {
  out.family("orbweaver_node_up", "gauge", "1 if the node responds.");
  for (const Node& each : snapshot.nodes)
    out.sample({{"node", each.id}, {"label", each.label}}, std::uint64_t{each.responds});
  out.family("orbweaver_application_state", "gauge", "1, with the state of the application.");
  for (const Application& each : snapshot.applications) {
    out.sample({{"application", each.id}, {"name", each.name}, {"state", each.state}}, std::uint64_t{1});
  }
}

void write_components(Writer& out, const Snapshot& snapshot) {
  out.family("orbweaver_component_state", "gauge", "1, with the state of the component.");
  for (const Component& each : snapshot.components) {
    Labels labels = labels_of(each);
    labels.emplace_back("state", each.state);
    out.sample(labels, std::uint64_t{1});
  }
  out.family("orbweaver_component_cpu_seconds_total", "counter", "Processor time of the component.");
  for (const Component& each : snapshot.components) {
    if (each.cpu_ns) out.sample(labels_of(each), static_cast<double>(*each.cpu_ns) / 1e9);
  }
  out.family("orbweaver_component_counter", "gauge", "A number that the component defines.");
  for (const Component& each : snapshot.components) {
    for (const auto& [name, value] : each.counters) {
      Labels labels = labels_of(each);
      labels.emplace_back("counter", name);
      out.sample(labels, value);
    }
  }
}

void write_latency(Writer& out, const Connection& connection) {
  const Labels labels = labels_of(connection);
  const std::size_t used = std::min(connection.latency.size(), sca::LatencyHistogram::kBuckets);
  std::uint64_t count = 0;
  double sum_ns = 0;
  std::size_t bucket = 0;
  // From 1 µs to 17 s; the bounds are bounds of buckets only for powers of two of nanoseconds.
  for (std::uint64_t bound_ns = 1024; bound_ns <= (std::uint64_t{1} << 34); bound_ns *= 4) {
    for (; bucket < used && sca::LatencyHistogram::upper_ns(bucket) < bound_ns; ++bucket) {
      const auto upper = static_cast<double>(sca::LatencyHistogram::upper_ns(bucket));
      const double lower =
          bucket == 0 ? 0 : static_cast<double>(sca::LatencyHistogram::upper_ns(bucket - 1)) + 1;
      count += connection.latency[bucket];
      sum_ns += static_cast<double>(connection.latency[bucket]) * (lower + upper) / 2;
    }
    Labels with_bound = labels;
    with_bound.emplace_back("le", number(static_cast<double>(bound_ns) / 1e9));
    out.sample(with_bound, count, "_bucket");
  }
  for (; bucket < used; ++bucket) {
    count += connection.latency[bucket];
    sum_ns += static_cast<double>(connection.latency[bucket]) *
              static_cast<double>(sca::LatencyHistogram::upper_ns(bucket));
  }
  Labels with_bound = labels;
  with_bound.emplace_back("le", "+Inf");
  out.sample(with_bound, count, "_bucket");
  out.sample(labels, sum_ns / 1e9, "_sum");
  out.sample(labels, count, "_count");
}

void write_connections(Writer& out, const Snapshot& snapshot) {
  for (const ConnectionMetric& metric : kConnectionMetrics) {
    out.family(metric.name, metric.type, metric.help);
    for (const Connection& each : snapshot.connections) {
      if (each.measured) out.sample(labels_of(each), each.*metric.value);
    }
  }
  out.family("orbweaver_connection_broken", "gauge", "1 if the sender cannot send any more.");
  for (const Connection& each : snapshot.connections) out.sample(labels_of(each), std::uint64_t{each.broken});
  out.family("orbweaver_connection_latency_seconds", "histogram",
             "Time from the push of a packet until the receiver's thread takes it.");
  for (const Connection& each : snapshot.connections) {
    if (each.measured) write_latency(out, each);
  }
}

}  // namespace

std::string metrics_of(const Snapshot& snapshot, const MonitorStatus& status) {
  Writer out;
  out.family("orbweaver_domain_readable", "gauge", "1 if all of the domain could be read.");
  out.sample({{"domain", snapshot.domain}}, std::uint64_t{snapshot.problem.empty()});
  write_domain(out, snapshot);
  write_components(out, snapshot);
  write_connections(out, snapshot);
  out.family("orbweaver_monitor_readings_total", "counter", "How often the domain was read.");
  out.sample({}, status.readings);
  out.family("orbweaver_monitor_reading_seconds", "gauge", "Duration of the last reading.");
  out.sample({}, static_cast<double>(status.reading_ns) / 1e9);
  out.family("orbweaver_monitor_event_streams", "gauge", "Browsers that receive events.");
  out.sample({}, static_cast<std::uint64_t>(status.watches));
  out.family("orbweaver_monitor_connections", "gauge", "Open HTTP connections.");
  out.sample({}, static_cast<std::uint64_t>(status.connections));
  return out.take();
}

}  // namespace orbweaver::monitor
