#include "sca/monitor/component_reader.h"

#include <algorithm>
#include <utility>

#include <orbweaver/sca/detail/stream_monitor.h>
#include "base/log.h"
#include "base/printable.h"
#include "sca/cf/component_object.h"

#include "sca/cf/device_states.h"
#include "sca/deployment/device_object.h"
#include "sca/runtime/stream_types.h"

namespace orbweaver::sca {
namespace {

namespace idl = ::orbweaver::framework;

const char* text_of(idl::ActivityState state) {
  switch (state) {
    case idl::ActivityState::ACTIVITY_WORKING: return "working";
    case idl::ActivityState::ACTIVITY_WAITING_FOR_PACKETS: return "waiting";
    case idl::ActivityState::ACTIVITY_SLEEPING: return "sleeping";
    case idl::ActivityState::ACTIVITY_FINISHED: return "finished";
    case idl::ActivityState::ACTIVITY_STOPPED: break;
  }
  return "stopped";
}

/// Fills in the statistics of one stream of an input port.
void take(const ::orbweaver::stream::InputStatistics& statistics, std::uint64_t stream_id,
          monitor::Connection& connection) {
  connection.measured = true;
  connection.queue_depth = statistics.queue_depth();
  connection.queue_limit = statistics.queue_limit();
  connection.queue_high_water = statistics.queue_high_water();
  const auto* const stream = find_stream(statistics, stream_id);
  if (stream == nullptr) return;
  connection.packets = stream->packets();
  connection.bytes = stream->bytes();
  connection.lost = stream->lost();
  connection.reordered = stream->reordered();
  connection.max_latency_ns = stream->max_latency_ns();
  connection.latency = stream->latency();
  connection.ended = stream->end_of_stream();
}

template <class Map>
void forget_unused(Map& map) {
  std::erase_if(map, [](const auto& each) { return !each.second.used; });
  for (auto& each : map) each.second.used = false;
}

}  // namespace

ComponentReader::ComponentReader(const IDL::traits<CORBA::ORB>::ref_type& orb)
    : orb_(orb), devices_(orb), components_(orb), outputs_(orb), inputs_(orb) {}

void ComponentReader::begin(platform::Deadline deadline) { deadline_ = deadline; }

void ComponentReader::read(const RegisteredDevice& record, monitor::Device& device) {
  devices_.read(record.reference, deadline_, [&](const IDL::traits<CORBA::Object>::ref_type& object) {
    const DeviceObject calls(object, record.is_sca41);
    device.usage = state_text(calls.usage_state());
    device.administration = state_text(calls.admin_state());
    device.operation = state_text(calls.operational_state());
  });
}

void ComponentReader::end() {
  devices_.forget_unused();
  components_.forget_unused();
  outputs_.forget_unused();
  inputs_.forget_unused();
  forget_unused(known_);
  std::erase_if(port_names_, [&](const auto& each) { return !known_.contains(each.second.owner); });
}

std::string ComponentReader::shown(const std::string& text, Known& known) {
  if (text.size() <= kMaxMonitoredText) return text;
  exceeds_limits(known);
  return printable(text, kMaxMonitoredText);
}

void ComponentReader::exceeds_limits(Known& known) {
  if (std::exchange(known.is_reported, true)) return;
  log::warn("component '" + printable(known.id, kMaxMonitoredText) + "' reports more than " +
            std::to_string(kMaxMonitoredPorts) + " ports, " + std::to_string(kMaxMonitoredCounters) +
            " counters, or " + std::to_string(kMaxMonitoredText) +
            " octets of a name: the monitor does not show the rest");
}

void ComponentReader::describe(const DeployedComponent& record,
                               const IDL::traits<Observable>::ref_type& object, Known& known) {
  std::vector<monitor::Port> ports;
  const auto description = object->description();
  const auto component = ComponentObject::narrow(object, record.is_sca41);
  const auto names = IDL::traits<idl::ObservableComponent>::narrow(object);  // nil in 2.2.2
  const std::size_t count = std::min(description.ports().size(), kMaxMonitoredPorts);
  if (description.ports().size() > count) exceeds_limits(known);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& each = description.ports()[i];
    const bool is_shown = each.name().size() <= kMaxMonitoredText;
    if (is_shown) {
      ports.push_back({each.name(), each.provides(), shown(each.repid(), known)});
    } else {
      exceeds_limits(known);
    }
    if (i < known.ports_found || deadline_.passed()) continue;
    IDL::traits<CORBA::Object>::ref_type port;
    if (!is_shown) {
    } else if (names && !each.provides()) {
      port = names->uses_port(each.name());
    } else if (component) {
      port = component.port(each.name(), {});
    }
    if (port) port_names_[orb_->object_to_string(port)] = {record.id, each.name(), record.reference};
    known.ports_found = i + 1;
  }
  known.ports = std::move(ports);
  known.read = known.ports_found >= count;
}

void ComponentReader::read(const DeployedComponent& record, monitor::Component& component) {
  if (record.reference.empty()) return;
  Known& known = known_[record.reference];
  known.used = true;
  known.id = record.id;
  port_names_[record.reference] = {record.id, {}, record.reference};
  if (record.is_factory) return;
  using Outcome = Peers<Observable>::Outcome;
  const Outcome outcome = components_.read(record.reference, deadline_, [&](const auto& object) {
    if (!known.read) describe(record, object, known);
    component.state = text_of(object->activity().state());
    component.cpu_ns = object->thread_cpu_ns();
    for (const auto& counter : object->counters()) {
      if (component.counters.size() == kMaxMonitoredCounters) {
        exceeds_limits(known);
        break;
      }
      component.counters.emplace_back(shown(counter.name(), known), counter.value());
    }
  });
  if (outcome == Outcome::no_answer) component.state = "unresponsive";
  component.ports = known.ports;
}

std::string ComponentReader::reference_of(const std::string& component, const std::string& port) const {
  for (const auto& [reference, name] : port_names_)
    if (name.component == component && name.port == port) return reference;
  return {};
}

void ComponentReader::read(const DeployedConnection& record, monitor::Connection& connection) {
  connection.from = record.component;
  if (const auto uses = port_names_.find(record.uses); uses != port_names_.end()) {
    connection.from = uses->second.component;
    connection.from_port = uses->second.port;
  }
  std::string output_reference = record.uses;
  if (!record.uses_port.empty()) {
    connection.from_port = record.uses_port;
    output_reference = reference_of(record.component, record.uses_port);
  }
  const auto provides = port_names_.find(record.provides);
  if (provides != port_names_.end()) {
    connection.to = provides->second.component;
    connection.to_port = provides->second.port;
  }
  if (!output_reference.empty()) {
    outputs_.read(output_reference, deadline_, [&](const auto& output) {
      for (const auto& each : output->connections()) {
        if (each.connection_id() != record.id) continue;
        connection.transport = printable(each.transport(), kMaxMonitoredText);
        connection.broken = each.broken();
      }
    });
  }
  if (record.provides.empty() || (provides != port_names_.end() && provides->second.port.empty())) return;
  inputs_.read(record.provides, deadline_,
               [&](const auto& input) { take(input->statistics(), stream_id_of(record.id), connection); });
}

}  // namespace orbweaver::sca
