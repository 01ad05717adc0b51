// Queries of an application's components: their ports and properties, and their activity.
#include <orbweaver/sca/detail/stream_monitor.h>
#include "platform/process.h"
#include "sca/deploy/description.h"
#include "sca/launch/application.h"

namespace orbweaver::sca {
namespace {

namespace idl = ::orbweaver::framework;

Snapshot::State state_of(idl::ActivityState state) {
  switch (state) {
    case idl::ActivityState::ACTIVITY_WORKING: return Snapshot::State::working;
    case idl::ActivityState::ACTIVITY_WAITING_FOR_PACKETS: return Snapshot::State::waiting;
    case idl::ActivityState::ACTIVITY_SLEEPING: return Snapshot::State::sleeping;
    case idl::ActivityState::ACTIVITY_FINISHED: return Snapshot::State::finished;
    case idl::ActivityState::ACTIVITY_STOPPED: break;
  }
  return Snapshot::State::not_started;
}

PropertyMode mode_of(idl::PropertyAccess access) {
  switch (access) {
    case idl::PropertyAccess::PROPERTY_READONLY: return PropertyMode::readonly;
    case idl::PropertyAccess::PROPERTY_WRITEONLY: return PropertyMode::writeonly;
    case idl::PropertyAccess::PROPERTY_READWRITE: break;
  }
  return PropertyMode::readwrite;
}

DeclaredType type_of(const idl::PropertyDescription& property) {
  const auto simple = [](const idl::ValueDescription& type) {
    return SimpleType{type.name(), type.is_complex()};
  };
  DeclaredType type;
  const bool is_sequence = property.type().is_sequence();
  if (!property.is_struct()) {
    type.form = is_sequence ? PropertyForm::sequence : PropertyForm::simple;
    type.type = simple(property.type());
    return type;
  }
  type.form = is_sequence ? PropertyForm::structure_sequence : PropertyForm::structure;
  for (const auto& member : property.members())
    type.members.push_back({member.id(), simple(member.type()), member.type().is_sequence()});
  return type;
}

}  // namespace

void LaunchedAssembly::check_descriptions() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].observable) continue;
    const ActiveCall calling(*this, i);
    Description description;
    try {
      const auto reported = members_[i].observable->description();
      for (const auto& port : reported.ports())
        description.ports.push_back({port.name(), port.provides(), port.repid()});
      for (const auto& property : reported.properties())
        description.properties.push_back({property.id(), mode_of(property.access()), type_of(property)});
    } catch (const CORBA::Exception& e) {
      throw ComponentUnreachable("component " + id(i) + " does not report its ports: " + e.what());
    }
    if (const auto checked = check_description(assembly_, i, description); !checked)
      throw std::runtime_error(checked.error().message);
  }
}

std::optional<std::size_t> LaunchedAssembly::connection_of(std::uint64_t stream_id) const {
  for (std::size_t i = 0; i < assembly_.connections.size(); ++i) {
    if (stream_id_of(assembly_.connections[i].id) == stream_id) return i;
  }
  return std::nullopt;
}

Snapshot LaunchedAssembly::snapshot(const std::vector<int>& pids) {
  Snapshot snapshot;
  snapshot.components.resize(members_.size());
  snapshot.connections.resize(assembly_.connections.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Snapshot::Component& component = snapshot.components[i];
    component.pid = pids[i];
    if (platform::is_stopped(pids[i])) {
      component.state = Snapshot::State::process_stopped;
    } else if (members_[i].with_timeout) {
      try {
        ask(i, snapshot);
      } catch (const CORBA::Exception&) {
        component.state = Snapshot::State::unresponsive;
      }
    }
  }
  return snapshot;
}

void LaunchedAssembly::ask(std::size_t index, Snapshot& snapshot) const {
  Snapshot::Component& component = snapshot.components[index];
  const auto activity = members_[index].with_timeout->activity();
  component.state = state_of(activity.state());
  component.steps = activity.steps();
  component.handling = activity.handling();
  if (!activity.sending().empty()) component.sending = connection_of(stream_id_of(activity.sending()));
  component.waiting_for_block = activity.waiting_for_block();
  for (const auto& input : activity.inputs()) {
    component.queues.push_back({input.port(), input.queue_limit(), input.queue_used()});
    for (const auto& stream : input.streams()) {
      if (const auto connection = connection_of(stream.stream_id())) {
        snapshot.connections[*connection].taken = stream.packets();
        snapshot.connections[*connection].ended = stream.ended();
      }
    }
  }
  for (const auto& stream : activity.outputs()) {
    if (const auto connection = connection_of(stream.stream_id())) {
      snapshot.connections[*connection].sent = stream.packets();
      snapshot.connections[*connection].broken = stream.broken();
    }
  }
}

void LaunchedAssembly::close_all_inputs() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const ActiveCall calling(*this, i);
    try {
      if (members_[i].with_timeout) members_[i].with_timeout->close_inputs();
    } catch (const CORBA::Exception&) {
    }
  }
}

void LaunchedAssembly::end_streams(std::size_t component) {
  const ActiveCall calling(*this, component);
  try {
    members_[component].observable->end_streams();
  } catch (const CORBA::Exception& e) {
    throw ComponentUnreachable("component " + id(component) + " cannot be ended: " + e.what());
  }
}

}  // namespace orbweaver::sca
