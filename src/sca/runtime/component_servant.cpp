#include "sca/runtime/component_servant.h"

#include <algorithm>

#include "sca/component/exception_text.h"
#include "sca/runtime/input_servant.h"
#include "sca/runtime/orb_connection.h"

namespace orbweaver::sca {

void OutputServant::connectPort(IDL::traits<CORBA::Object>::ref_type connection,
                                const std::string& connectionId) {
  if (!connection) throw CF::Port::InvalidPort(1, "the reference is nil");
  std::shared_ptr<OutputConnection> link = make_orb_connection(port_, connectionId, connection);
  if (!link)
    throw CF::Port::InvalidPort(
        2, "port '" + port_.name() + "' cannot send to it: it is not an input of the same type");
  if (!port_.connect(std::move(link)))
    throw CF::Port::InvalidPort(3, "a connection '" + connectionId + "' exists already");
}

void OutputServant::disconnectPort(const std::string& connectionId) {
  if (!port_.disconnect(connectionId))
    throw CF::Port::InvalidPort(4, "there is no connection '" + connectionId + "'");
}

::orbweaver::framework::ConnectionStatisticsList OutputServant::connections() {
  ::orbweaver::framework::ConnectionStatisticsList list;
  for (const auto& link : *port_.connections()) {
    list.emplace_back(link->id(), link->transport(), link->packets(), link->bytes(), link->broken());
  }
  return list;
}

ComponentServant::ComponentServant(Component& component, PoaRef poa, std::function<void()> released)
    : component_(component), poa_(std::move(poa)), released_(std::move(released)) {}

IDL::traits<CORBA::Object>::ref_type ComponentServant::activate() {
  for (InputPort* port : component_.inputs()) {
    ports_.push_back(
        {port->name(), poa_->activate_object(make_input_servant(*port, component_)), PortKind::input});
  }
  for (OutputPort* port : component_.outputs()) {
    ports_.push_back(
        {port->name(), poa_->activate_object(CORBA::make_reference<OutputServant>(*port)), PortKind::output});
  }
  this->_add_ref();
  id_ = poa_->activate_object(CORBA::servant_reference<ComponentServant>::adopt(this));
  return poa_->id_to_reference(id_);
}

void ComponentServant::initialize() {
  try {
    component_.set_up();
  } catch (...) {
    throw CF::LifeCycle::InitializeError({current_exception_text()});
  }
}

void ComponentServant::releaseObject() {
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

void ComponentServant::start() {
  try {
    component_.start();
  } catch (...) {
    throw CF::Resource::StartError(CF::ErrorNumberType::CF_NOTSET, current_exception_text());
  }
}

void ComponentServant::stop() { component_.stop(); }

IDL::traits<CORBA::Object>::ref_type ComponentServant::getPort(const std::string& name) {
  const auto found =
      std::find_if(ports_.begin(), ports_.end(), [&](auto& port) { return port.name == name; });
  if (found == ports_.end()) throw CF::PortSupplier::UnknownPort();
  return poa_->id_to_reference(found->id);
}

void ComponentServant::expect_streams(const ::orbweaver::framework::ExpectedStreamsList& streams) {
  for (InputPort* port : component_.inputs()) {
    const auto expected = std::find_if(streams.begin(), streams.end(),
                                       [&](const auto& each) { return each.port() == port->name(); });
    port->expect_streams(expected == streams.end() ? 0 : expected->count());
  }
}

::orbweaver::framework::CounterList ComponentServant::counters() {
  ::orbweaver::framework::CounterList list;
  for (const Counter* counter : component_.counters()) list.emplace_back(counter->name(), counter->value());
  return list;
}

}  // namespace orbweaver::sca
