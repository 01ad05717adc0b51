// Description and activity of a component: its ports and properties, and its current state.
#include "sca/runtime/component_core.h"
#include "sca/runtime/ossie_types.h"
#include "sca/runtime/stream_types.h"

namespace orbweaver::sca {
namespace {

namespace idl = ::orbweaver::framework;

/// The repository id of the port in an SCD.
template <class Port>
std::string repid_of(const Port& port) {
  if (port.port_interface() == PortInterface::ossie) {
    return with_ossie_sample(port.type(), []<class Sample>(std::type_identity<Sample>) -> std::string {
      return OssieInterface<Sample>::Standard::_static_interface().repository_id;
    });
  }
  switch (port.type()) {
    case SampleType::octet: return StreamInterface<std::uint8_t>::Stub::_static_interface().repository_id;
    case SampleType::int16: return StreamInterface<std::int16_t>::Stub::_static_interface().repository_id;
    case SampleType::real32: return StreamInterface<float>::Stub::_static_interface().repository_id;
    default: break;
  }
  return StreamInterface<std::complex<float>>::Stub::_static_interface().repository_id;
}

idl::ActivityState state_of(Activity::State state) {
  switch (state) {
    case Activity::State::working: return idl::ActivityState::ACTIVITY_WORKING;
    case Activity::State::waiting: return idl::ActivityState::ACTIVITY_WAITING_FOR_PACKETS;
    case Activity::State::sleeping: return idl::ActivityState::ACTIVITY_SLEEPING;
    case Activity::State::finished: return idl::ActivityState::ACTIVITY_FINISHED;
    case Activity::State::stopped: break;
  }
  return idl::ActivityState::ACTIVITY_STOPPED;
}

idl::PropertyAccess mode_of(PropertyMode mode) {
  switch (mode) {
    case PropertyMode::readonly: return idl::PropertyAccess::PROPERTY_READONLY;
    case PropertyMode::writeonly: return idl::PropertyAccess::PROPERTY_WRITEONLY;
    case PropertyMode::readwrite: break;
  }
  return idl::PropertyAccess::PROPERTY_READWRITE;
}

idl::ValueDescription type_of(const SimpleType& type, bool is_sequence) {
  return {type.name, type.is_complex, is_sequence};
}

}  // namespace

idl::ComponentDescription ComponentCore::description() const {
  idl::PortDescriptionList ports;
  for (const InputPort* port : component_.inputs()) ports.emplace_back(port->name(), true, repid_of(*port));
  for (const OutputPort* port : component_.outputs())
    ports.emplace_back(port->name(), false, repid_of(*port));
  idl::PropertyDescriptionList properties;
  for (const PropertyBase* property : component_.properties()) {
    const DeclaredType type = property->declared_type();
    idl::MemberDescriptionList members;
    for (const MemberType& member : type.members)
      members.emplace_back(member.id, type_of(member.type, member.is_sequence));
    properties.emplace_back(
        property->id(), mode_of(property->mode()),
        type.form == PropertyForm::structure || type.form == PropertyForm::structure_sequence,
        type_of(type.type,
                type.form == PropertyForm::sequence || type.form == PropertyForm::structure_sequence),
        std::move(members));
  }
  return {std::move(ports), std::move(properties)};
}

idl::ComponentActivity ComponentCore::activity() const {
  const Activity now = component_.activity();
  idl::InputActivityList inputs;
  for (const InputPort* port : component_.inputs()) {
    idl::StreamActivityList streams;
    for (const StreamCounts& f : port->monitor().figures())
      streams.emplace_back(f.stream_id, f.packets, f.end_of_stream, false);
    inputs.emplace_back(port->name(), static_cast<std::uint32_t>(port->queue_limit()),
                        static_cast<std::uint32_t>(port->queue_depth()), std::move(streams));
  }
  idl::StreamActivityList outputs;
  for (const OutputPort* port : component_.outputs()) {
    for (const auto connections = port->connections(); const auto& connection : *connections)
      outputs.emplace_back(connection->stream_id(), connection->packets(), false, connection->broken());
  }
  return {state_of(now.state),   now.steps,         now.handling,      now.sending,
          now.waiting_for_block, std::move(inputs), std::move(outputs)};
}

}  // namespace orbweaver::sca
