#include "sca/launch/application.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <orbweaver/sca/detail/stream_monitor.h>
#include "sca/launch/component_error.h"
#include "sca/runtime/property_any.h"
#include "sca/runtime/stream_types.h"
#include "services/naming/naming_context.h"

namespace orbweaver::sca {
namespace {

using ::orbweaver::framework::ObservableResource;
using ::orbweaver::framework::Output;
using ::orbweaver::stream::Input;

/// Timeout of status calls (members named with_timeout), in units of 100 ns: one second.
constexpr TimeBase::TimeT kStatusCallTimeout = 10'000'000;

IDL::traits<CORBA::ORB>::ref_type make_orb(const std::vector<std::string>& options) {
  std::vector<std::string> words{"orbweaver"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return CORBA::ORB_init(argc, argv.data());
}

}  // namespace

LaunchedAssembly::LaunchedAssembly(const Assembly& assembly, const Plan& plan,
                                   const std::vector<std::string>& orb_options)
    : assembly_(assembly), plan_(plan), orb_(make_orb(orb_options)), members_(assembly.components.size()),
      factories_(assembly.factories.size()) {
  poa_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  poa_->the_POAManager()->activate();
  naming_ = naming::make_naming_service(poa_);
  naming_ior_ = orb_->object_to_string(naming_);
  CORBA::Any limit;
  limit <<= kStatusCallTimeout;
  timeout_policies_ = {orb_->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)};
  std::set<std::size_t> senders;
  for (const Connection& c : assembly_.connections) senders.insert(c.uses.component);
  for (std::size_t i = 0; i < assembly_.components.size(); ++i) {
    if (senders.count(i) == 0) sinks_.push_back(i);
  }
}

LaunchedAssembly::~LaunchedAssembly() {
  try {
    orb_->destroy();
  } catch (const CORBA::Exception&) {  // a destructor cannot report it
  }
}

template <class Call>
void LaunchedAssembly::each_in(const std::vector<std::size_t>& order, const char* what, Call call) {
  for (const std::size_t i : order) {
    const ActiveCall calling(*this, i);
    try {
      call(members_[i]);
    } catch (const CORBA::Exception&) {
      fail_call("component " + id(i) + " cannot be " + what);
    }
  }
}

void LaunchedAssembly::initialize() {
  each_in(plan_.start_order, "initialized", [](DeployedComponent& m) { m.resource->initialize(); });
}

void LaunchedAssembly::configure() {
  for (const std::size_t i : plan_.start_order) {
    CF::Properties properties;
    for (const Setting& setting : plan_.components[i].configuration)
      properties.emplace_back(setting.id, any_of(setting.type, setting.value));
    if (properties.empty()) continue;
    const ActiveCall calling(*this, i);
    try {
      members_[i].resource->configure(properties);
    } catch (const CORBA::Exception&) {
      fail_call("component " + id(i) + " cannot be configured");
    }
  }
}

void LaunchedAssembly::start() {
  each_in(plan_.start_order, "started", [](DeployedComponent& m) { m.resource->start(); });
}

IDL::traits<CORBA::Object>::ref_type LaunchedAssembly::port(std::size_t component, const std::string& name) {
  if (name.empty()) return members_[component].resource;
  const ActiveCall calling(*this, component);
  try {
    return members_[component].resource->getPort(name);
  } catch (const CORBA::Exception&) {
    fail_call("port '" + name + "' of component " + id(component) + " is not available");
  }
}

void LaunchedAssembly::connect() {
  expect_streams();
  for (const Connection& c : assembly_.connections) {
    const auto from = IDL::traits<CF::Port>::narrow(port(c.uses.component, c.uses.port));
    const auto to = port(c.provides.component, c.provides.port);
    const ActiveCall calling(*this, c.uses.component);
    try {
      if (!from) throw std::runtime_error("the uses port is not a CF::Port");
      from->connectPort(to, c.id);
    } catch (const std::exception&) {
      fail_call("connection '" + c.id + "' cannot be made (" + c.where.text() + ")");
    }
    watch_sink(c, to);
  }
}

void LaunchedAssembly::watch_sink(const Connection& connection,
                                  const IDL::traits<CORBA::Object>::ref_type& port) {
  const PortReference& end = connection.provides;
  if (std::find(sinks_.begin(), sinks_.end(), end.component) == sinks_.end()) return;
  auto input = IDL::traits<Input>::narrow(port);
  const auto streams =
      std::count_if(assembly_.connections.begin(), assembly_.connections.end(), [&](const auto& other) {
        return other.provides.component == end.component && other.provides.port == end.port;
      });
  sink_inputs_.push_back(
      {end.component, static_cast<std::size_t>(streams), input ? with_call_timeout<Input>(input) : nullptr});
}

void LaunchedAssembly::watch_sinks() {
  for (const Connection& c : assembly_.connections) {
    if (std::find(sinks_.begin(), sinks_.end(), c.provides.component) != sinks_.end())
      watch_sink(c, port(c.provides.component, c.provides.port));
  }
}

Progress LaunchedAssembly::progress() {
  Progress progress;
  try {
    for (SinkInput& sink : sink_inputs_) {
      if (!sink.input) continue;
      ::orbweaver::stream::InputStatistics statistics;
      try {
        statistics = sink.input->statistics();
      } catch (const CORBA::NO_IMPLEMENT&) {  // a component of another framework without statistics
        sink.input = nullptr;
        continue;
      }
      sink.has_ended = statistics.streams().size() >= sink.streams;
      for (const auto& stream : statistics.streams()) {
        progress.packets += stream.packets();
        progress.bytes += stream.bytes();
        sink.has_ended = sink.has_ended && stream.end_of_stream();
      }
    }
    progress.finished = !sinks_.empty() && std::all_of(sinks_.begin(), sinks_.end(),
                                                       [&](std::size_t i) { return has_finished(i); });
  } catch (const CORBA::TIMEOUT&) {
    progress.finished = false;
  } catch (const CORBA::Exception&) {
    fail_call("a sink stopped responding");
  }
  return progress;
}

bool LaunchedAssembly::has_finished(std::size_t sink) const {
  if (members_[sink].with_timeout) return members_[sink].with_timeout->finished();
  bool connected = false;
  for (const SinkInput& input : sink_inputs_) {
    if (input.component != sink) continue;
    connected = true;
    if (!input.has_ended) return false;
  }
  return connected;
}

void LaunchedAssembly::stop() {
  for (auto i = plan_.start_order.rbegin(); i != plan_.start_order.rend(); ++i) {
    const ActiveCall calling(*this, *i);
    try {
      if (members_[*i].resource) members_[*i].resource->stop();
    } catch (const CORBA::Exception&) {
    }
  }
}

void LaunchedAssembly::collect(RunResult& result) {
  result.hops.clear();
  for (std::size_t i = 0; i < assembly_.connections.size(); ++i) {
    const Connection& c = assembly_.connections[i];
    HopResult hop;
    hop.from = id(c.uses.component) + "." + c.uses.port;
    hop.to = id(c.provides.component) + (c.provides.port.empty() ? "" : "." + c.provides.port);
    std::uint64_t sent = 0;
    try {
      sent = collect_sent(i, hop);
    } catch (const std::exception&) {  // the sender does not respond; the receiver may
    }
    hop.has_counts = false;
    try {
      collect_received(i, sent, hop);
    } catch (const std::exception&) {
    }
    result.hops.push_back(std::move(hop));
  }
  result.unconnected.clear();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].observable) continue;
    collect_dropped(i, result);
    collect_copied(i, result);
    const ActiveCall calling(*this, i);
    try {
      for (const auto& counter : members_[i].observable->counters()) {
        result.components[i].stats.emplace_back(counter.name(), counter.value());
      }
      result.components[i].cpu_seconds = static_cast<double>(members_[i].observable->thread_cpu_ns()) / 1e9;
    } catch (const CORBA::Exception&) {
    }
  }
}

std::uint64_t LaunchedAssembly::collect_sent(std::size_t connection, HopResult& hop) {
  const Connection& c = assembly_.connections[connection];
  std::uint64_t sent = 0;
  if (members_[c.uses.component].resource) {
    if (const auto output = IDL::traits<Output>::narrow(port(c.uses.component, c.uses.port))) {
      const ActiveCall calling(*this, c.uses.component);
      const auto links = output->connections();
      for (const auto& link : links) {
        if (link.connection_id() != c.id) continue;
        hop.transport = link.transport();
        sent = link.packets();
      }
    }
  }
  return sent;
}

void LaunchedAssembly::collect_received(std::size_t connection, std::uint64_t sent, HopResult& hop) {
  const Connection& c = assembly_.connections[connection];
  if (!members_[c.provides.component].resource) return;
  const auto input = IDL::traits<Input>::narrow(port(c.provides.component, c.provides.port));
  if (!input) return;
  const ActiveCall calling(*this, c.provides.component);
  const auto statistics = input->statistics();
  hop.has_counts = true;
  hop.queue_high_water = statistics.queue_high_water();
  hop.queue_limit = statistics.queue_limit();
  const auto* const s = find_stream(statistics, stream_id_of(c.id));
  if (s == nullptr) return;
  hop.packets = s->packets();
  hop.bytes = s->bytes();
  hop.lost = s->lost();
  hop.reordered = s->reordered();
  hop.first_ns = s->first_ns();
  hop.last_ns = s->last_ns();
  hop.max_ns = s->max_latency_ns();
  hop.latency = s->latency();
  hop.end_of_stream = s->end_of_stream();
  // After the end of the stream nothing is in transit any more: packets that were sent but not received are
  // lost, even if no later sequence number reveals the gap.
  if (hop.end_of_stream && sent > hop.packets) hop.lost = std::max(hop.lost, sent - hop.packets);
}

void LaunchedAssembly::collect_copied(std::size_t component, RunResult& result) {
  const ComponentDescriptor& declared = assembly_.package_of(component).component;
  try {
    std::uint64_t bytes = 0;
    for (const PortDeclaration& uses : declared.uses) {
      const auto output = IDL::traits<Output>::narrow(port(component, uses.name));
      const ActiveCall calling(*this, component);
      if (output) bytes += output->copied_bytes();
    }
    for (const PortDeclaration& provides : declared.provides) {
      const auto input = IDL::traits<Input>::narrow(port(component, provides.name));
      const ActiveCall calling(*this, component);
      if (input) bytes += input->copied_bytes();
    }
    result.components[component].copied_bytes = bytes;
  } catch (const std::exception&) {  // unknown: the component does not respond
  }
}

void LaunchedAssembly::collect_dropped(std::size_t component, RunResult& result) {
  for (const PortDeclaration& declared : assembly_.package_of(component).component.uses) {
    const bool connected =
        std::any_of(assembly_.connections.begin(), assembly_.connections.end(),
                    [&](auto& c) { return c.uses.component == component && c.uses.port == declared.name; });
    if (connected) continue;
    try {
      const auto output = IDL::traits<Output>::narrow(port(component, declared.name));
      const ActiveCall calling(*this, component);
      if (output) result.unconnected.push_back({id(component) + "." + declared.name, output->dropped()});
    } catch (const std::exception&) {  // omit a port that does not respond
    }
  }
}

}  // namespace orbweaver::sca
