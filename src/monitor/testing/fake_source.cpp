#include "monitor/testing/fake_source.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace orbweaver::monitor::testing {
namespace {

/// A component of the voice radio: instantiation, node, its input and output, and what it uses of a core.
struct Stage {
  const char* id;
  const char* node;
  const char* input;
  const char* output;
  const char* interface;  // of the output
  double cpu_percent;
  double packets_per_s;
  double bytes_per_packet;
  double latency_us;
};

constexpr std::array<Stage, 9> kStages{{
    {"source_1", "transmitter", "", "speech_out", "Short", 0.4, 50, 320, 38},
    {"encoder_1", "transmitter", "speech_in", "bits_out", "Octet", 2.1, 50, 40, 41},
    {"framer_1", "transmitter", "bits_in", "channel_out", "Octet", 0.9, 25, 124, 36},
    {"modulator_1", "transmitter", "channel_in", "samples_out", "ComplexFloat", 6.8, 25, 15872, 61},
    {"channel_1", "channel", "samples_in", "samples_out", "ComplexFloat", 34.6, 25, 15872, 212},
    {"demodulator_1", "receiver", "samples_in", "channel_out", "Octet", 41.2, 25, 124, 44},
    {"deframer_1", "receiver", "channel_in", "bits_out", "Octet", 1.2, 50, 40, 39},
    {"decoder_1", "receiver", "bits_in", "speech_out", "Short", 2.4, 50, 320, 42},
    {"sink_1", "receiver", "speech_in", "", "", 0.3, 0, 0, 0},
}};

constexpr const char* kInterface = "IDL:orbweaver/stream/";

std::int64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

/// Adds `count` latencies around `middle_us`, with a tail, on the scale of LatencyBuckets.
void add_latencies(Connection& connection, double middle_us, std::uint64_t count) {
  connection.latency.resize(180);
  const auto middle = static_cast<int>(8 * (std::log2(middle_us * 1000) - 2));
  constexpr std::array<double, 12> kShape{.02, .06, .14, .22, .2, .13, .09, .06, .04, .02, .01, .01};
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const std::size_t bucket = static_cast<std::size_t>(middle - 4) + i * (i < 8 ? 1 : 2);
    connection.latency[std::min<std::size_t>(bucket, 179)] +=
        static_cast<std::uint64_t>(std::lround(kShape[i] * static_cast<double>(count)));
  }
  connection.max_latency_ns =
      std::max(connection.max_latency_ns, static_cast<std::uint64_t>(middle_us * 9000));
}

Component component_of(const Stage& stage, const std::string& application) {
  Component component;
  component.id = std::string(stage.id) + ":" + application;
  component.name = stage.id;
  component.application = application;
  component.node = stage.node;
  component.device = std::string(stage.node) + "_executable";
  component.process = 4100 + (&stage - kStages.data());
  component.state = "stopped";
  component.cpu_ns = 0;
  if (*stage.input != '\0') component.ports.push_back({stage.input, true, {}});
  if (*stage.output != '\0') {
    component.ports.push_back({stage.output, false, std::string(kInterface) + stage.interface + "Input:1.0"});
  }
  if (std::string(stage.id) == "deframer_1") component.counters = {{"frames", 0}, {"bit_errors", 0}};
  return component;
}

Connection connection_of(const Stage& from, const Stage& to, const std::string& application) {
  Connection connection;
  connection.id = std::string(from.id) + "_to_" + to.id + ":" + application;
  connection.application = application;
  connection.from = std::string(from.id) + ":" + application;
  connection.from_port = from.output;
  connection.to = std::string(to.id) + ":" + application;
  connection.to_port = to.input;
  connection.transport = std::string(from.node) == to.node ? "shm" : "tcp";
  connection.measured = true;
  connection.queue_limit = 64;
  return connection;
}

}  // namespace

FakeSource::FakeSource() {
  snapshot_.domain = "orbweaver";
  for (const char* id : {"transmitter", "channel", "receiver"}) {
    const std::string name = id;
    Device device{name + "_executable", name + " executable", "active", "unlocked", "enabled"};
    snapshot_.nodes.push_back({name, name + " node", true, {std::move(device)}});
  }
  snapshot_.nodes[2].devices.push_back({"receiver_audio", "sound card", "idle", "unlocked", "enabled"});
  snapshot_.installed.push_back(
      {"DCE:voice.three-nodes", "Voice on three nodes", "/voice/three-nodes.sad.xml"});
  add_radio("voice_1", "voice_1");
  values_ = {{"es_n0_db", "11"}, {"frequency_offset", "0.03"}, {"label", "a <b>bold</b> \"name\""}};
  add_log_line("info", "domain orbweaver: state in /var/lib/orbweaver/domain.sqlite");
  add_log_line("info", "node transmitter registered with 1 device");
  add_log_line("info", "node channel registered with 1 device");
  add_log_line("warning", "node receiver: memory limits are not enforced: no cgroup may be made");
  add_log_line("info", "application voice_1 created from Voice on three nodes in 212 ms");
  (void)set_state("voice_1", "started");
}

void FakeSource::add_radio(const std::string& id, const std::string& name) {
  snapshot_.applications.push_back({id, name, "DCE:voice.three-nodes", "stopped", {}});
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    snapshot_.components.push_back(component_of(kStages[i], id));
    if (i > 0) snapshot_.connections.push_back(connection_of(kStages[i - 1], kStages[i], id));
  }
}

void FakeSource::advance() {
  const auto started = [&](const std::string& id) {
    return std::any_of(snapshot_.applications.begin(), snapshot_.applications.end(),
                       [&](const Application& each) { return each.id == id && each.state == "started"; });
  };
  const std::uint64_t turn = reads_;
  for (Component& each : snapshot_.components) {
    const auto stage = std::find_if(kStages.begin(), kStages.end(),
                                    [&](const Stage& candidate) { return each.name == candidate.id; });
    if (stage == kStages.end() || !started(each.application)) continue;
    each.cpu_ns = *each.cpu_ns +
                  static_cast<std::uint64_t>(stage->cpu_percent * 1e7 * (0.9 + 0.02 * double(turn % 10)));
    for (auto& [name, value] : each.counters) value += name == "frames" ? 25 : double(turn % 3);
  }
  for (Connection& each : snapshot_.connections) {
    const auto stage = std::find_if(kStages.begin(), kStages.end(), [&](const Stage& candidate) {
      return each.from == std::string(candidate.id) + ":" + each.application;
    });
    if (stage == kStages.end() || !started(each.application)) continue;
    const auto packets = static_cast<std::uint64_t>(stage->packets_per_s);
    each.packets += packets;
    each.bytes += packets * static_cast<std::uint64_t>(stage->bytes_per_packet);
    each.queue_depth = stage->latency_us > 100 ? 3 + turn % 4 : turn % 2;
    each.queue_high_water = std::max<std::uint64_t>(each.queue_high_water, each.queue_depth + 2);
    add_latencies(each, stage->latency_us, packets * 20);
  }
}

Snapshot FakeSource::read() {
  const std::lock_guard lock(mutex_);
  ++reads_;
  advance();
  snapshot_.unix_ms = unix_ms();
  return snapshot_;
}

std::vector<LogLine> FakeSource::log(std::uint64_t after, std::size_t most) {
  const std::lock_guard lock(mutex_);
  std::vector<LogLine> result;
  for (const LogLine& each : lines_) {
    if (each.number > after) result.push_back(each);
  }
  if (result.size() > most) result.erase(result.begin(), result.end() - static_cast<std::ptrdiff_t>(most));
  return result;
}

void FakeSource::add_log_line(const std::string& level, const std::string& text) {
  const std::lock_guard lock(mutex_);
  const char* const name = level == "error"     ? "FAILURE_ALARM"
                           : level == "warning" ? "DEGRADED_ALARM"
                                                : "ADMINISTRATIVE_EVENT";
  lines_.push_back({lines_.size() + 1, unix_ms(), level, name, "domain manager", "orbweaver", text});
}

Result<std::vector<Property>> FakeSource::properties(const std::string& component) {
  const std::lock_guard lock(mutex_);
  const bool known = std::any_of(snapshot_.components.begin(), snapshot_.components.end(),
                                 [&](const Component& each) { return each.id == component; });
  if (!known) return Error{ErrorKind::invalid, "there is no component '" + component + "'"};
  return std::vector<Property>{
      {"es_n0_db", "double", values_["es_n0_db"], "Symbol energy over noise density", "dB", true},
      {"frequency_offset", "double", values_["frequency_offset"], "Carrier offset", "symbol rates", true},
      {"label", "string", values_["label"], "", "", true},
      {"seed", "ulong", "1", "Seed of the noise", "", false},
  };
}

Result<void> FakeSource::set_property(const std::string& component, const std::string& property,
                                      const std::string& value) {
  const auto read = properties(component);
  if (!read) return read.error();
  for (const Property& each : *read) {
    if (each.id != property) continue;
    if (!each.writable) return Error{ErrorKind::invalid, "property '" + property + "' is read only"};
    if (each.type == "double" && value.find_first_not_of("-+.eE0123456789") != std::string::npos)
      return Error{ErrorKind::invalid,
                   "'" + value + "' is no value of type double of property '" + property + "'"};
    const std::lock_guard lock(mutex_);
    values_[property] = value;
    return {};
  }
  return Error{ErrorKind::invalid, "component '" + component + "' has no property '" + property + "'"};
}

Result<void> FakeSource::set_state(const std::string& application, const std::string& state) {
  const std::lock_guard lock(mutex_);
  for (Application& each : snapshot_.applications) {
    if (each.id != application) continue;
    each.state = state;
    for (Component& component : snapshot_.components) {
      if (component.application != application) continue;
      const bool busy = component.name == "channel_1" || component.name == "demodulator_1";
      component.state = state != "started" ? "stopped" : busy ? "working" : "waiting";
    }
    return {};
  }
  return Error{ErrorKind::invalid, "there is no application '" + application + "'"};
}

bool FakeSource::has_application(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return std::any_of(snapshot_.applications.begin(), snapshot_.applications.end(),
                     [&](const Application& each) { return each.id == id; });
}

Result<void> FakeSource::start(const std::string& application) { return set_state(application, "started"); }
Result<void> FakeSource::stop(const std::string& application) { return set_state(application, "stopped"); }

Result<void> FakeSource::create(const std::string& installed, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (installed != snapshot_.installed[0].id)
    return Error{ErrorKind::invalid, "no application '" + installed + "' is installed"};
  add_radio(name, name);
  return {};
}

Result<void> FakeSource::release(const std::string& application) {
  const std::lock_guard lock(mutex_);
  const auto belongs = [&](const auto& each) { return each.application == application; };
  const std::size_t removed =
      std::erase_if(snapshot_.applications, [&](const Application& each) { return each.id == application; });
  if (removed == 0) return Error{ErrorKind::invalid, "there is no application '" + application + "'"};
  std::erase_if(snapshot_.components, belongs);
  std::erase_if(snapshot_.connections, belongs);
  return {};
}

}  // namespace orbweaver::monitor::testing
