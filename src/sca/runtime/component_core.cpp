#include "sca/runtime/component_core.h"

#include <algorithm>
#include <exception>

#include "sca/component/exception_text.h"
#include "sca/runtime/input_servant.h"
#include "sca/runtime/orb_connection.h"
#include "sca/runtime/output_servant.h"

namespace orbweaver::sca {

PortError connect_output(OutputPort& port, const std::string& connection,
                         const IDL::traits<CORBA::Object>::ref_type& target) {
  if (!target) return PortError::nil_reference;
  if (port.connections()->size() >= kMaxOutputConnections) return PortError::occupied;
  std::shared_ptr<OutputConnection> link = make_orb_connection(port, connection, target);
  if (!link) return PortError::other_type;
  return port.connect(std::move(link)) ? PortError::none : PortError::connected_already;
}

ComponentCore::ObjectRef ComponentCore::activate(
    const CORBA::servant_reference<PortableServer::Servant>& servant) {
  for (InputPort* port : component_.inputs()) {
    ports_.push_back(
        {port->name(), poa_->activate_object(make_input_servant(*port, component_)), PortKind::input});
  }
  for (OutputPort* port : component_.outputs()) {
    ports_.push_back(
        {port->name(), poa_->activate_object(CORBA::make_reference<OutputServant>(*port)), PortKind::output});
  }
  id_ = poa_->activate_object(servant);
  return poa_->id_to_reference(id_);
}

ComponentCore::ObjectRef ComponentCore::find_port(const std::string& name) const {
  const auto found =
      std::find_if(ports_.begin(), ports_.end(), [&](auto& port) { return port.name == name; });
  return found == ports_.end() ? nullptr : poa_->id_to_reference(found->id);
}

ComponentCore::ObjectRef ComponentCore::find_output(const std::string& name) const {
  return component_.find_output(name) == nullptr ? nullptr : find_port(name);
}

CF::Ports ComponentCore::provides_ports() const {
  CF::Ports list;
  for (const ActivePort& port : ports_)
    if (port.kind == PortKind::input) list.emplace_back(port.name, poa_->id_to_reference(port.id));
  return list;
}

::orbweaver::framework::PortObjectList ComponentCore::port_objects() const {
  ::orbweaver::framework::PortObjectList list;
  for (const ActivePort& port : ports_) list.emplace_back(port.name, poa_->id_to_reference(port.id));
  return list;
}

std::uint32_t ComponentCore::connect_outputs(const ::orbweaver::framework::PortConnectionList& connections) {
  std::uint32_t made = 0;
  for (const auto& each : connections) {
    OutputPort* const port = component_.find_output(each.port());
    if (port == nullptr || !is_known_input(*port, each.target())) break;
    try {
      if (connect_output(*port, each.connection_id(), each.target()) != PortError::none) break;
    } catch (const std::exception&) {  // connectPort for this connection alone will raise it again
      break;
    }
    ++made;
  }
  return made;
}

void ComponentCore::initialize() {
  try {
    component_.set_up();
  } catch (...) {
    throw CF::LifeCycle::InitializeError({current_exception_text()});
  }
}

void ComponentCore::release() {
  is_released_ = true;
  std::call_once(releasing_, [this] {
    // Queues first: a sender blocked on a full queue must return before its port can be deactivated.
    component_.shut_down();
    // Inputs stay active until the process ends: a shut-down input discards the packets that are still on
    // their way, which would otherwise be logged as failed calls.
    for (const ActivePort& port : ports_) {
      if (port.kind == PortKind::output) poa_->deactivate_object(port.id);
    }
    poa_->deactivate_object(id_);
    released_();
  });
}

void ComponentCore::start() {
  component_.start();
  is_started_ = true;
}

void ComponentCore::stop() {
  component_.stop();
  is_started_ = false;
}

void ComponentCore::expect_streams(const ::orbweaver::framework::ExpectedStreamsList& streams) {
  for (InputPort* port : component_.inputs()) {
    const auto expected = std::find_if(streams.begin(), streams.end(),
                                       [&](const auto& each) { return each.port() == port->name(); });
    port->expect_streams(expected == streams.end() ? 0 : expected->count());
  }
}

::orbweaver::framework::CounterList ComponentCore::counters() const {
  ::orbweaver::framework::CounterList list;
  for (const Counter* counter : component_.counters()) list.emplace_back(counter->name(), counter->value());
  return list;
}

}  // namespace orbweaver::sca
