#include "sca/cf/component_object.h"

#include <utility>

namespace orbweaver::sca {

using CF::ControllableInterface;

ComponentObject ComponentObject::sca41(Ref object) {
  ComponentObject component;
  component.object_ = std::move(object);
  return component;
}

ComponentObject ComponentObject::narrow(const Ref& object, bool is_sca41) {
  return is_sca41 ? sca41(object) : ComponentObject(IDL::traits<CF::Resource>::narrow(object));
}

void ComponentObject::initialize() const {
  if (resource_) return resource_->initialize();
  if (const auto life_cycle = IDL::traits<CF::LifeCycle>::narrow(object_)) life_cycle->initialize();
}

void ComponentObject::release() const {
  if (resource_) return resource_->releaseObject();
  if (const auto life_cycle = IDL::traits<CF::LifeCycle>::narrow(object_)) life_cycle->releaseObject();
}

void ComponentObject::start() const {
  if (resource_) return resource_->start();
  try {
    if (const auto control = IDL::traits<ControllableInterface>::narrow(object_)) control->start();
  } catch (const ControllableInterface::StartError& e) {
    throw CF::Resource::StartError(e.errorNumber(), e.msg());
  }
}

void ComponentObject::stop() const {
  if (resource_) return resource_->stop();
  try {
    if (const auto control = IDL::traits<ControllableInterface>::narrow(object_)) control->stop();
  } catch (const ControllableInterface::StopError& e) {
    throw CF::Resource::StopError(e.errorNumber(), e.msg());
  }
}

void ComponentObject::configure(const CF::Properties& properties) const {
  if (resource_) return resource_->configure(properties);
  if (const auto set = IDL::traits<CF::PropertySet>::narrow(object_)) return set->configure(properties);
  throw CF::PropertySet::InvalidConfiguration("it has no properties: it is no CF::PropertySet", properties);
}

void ComponentObject::query(CF::Properties& properties) const {
  if (resource_) return resource_->query(properties);
  if (const auto set = IDL::traits<CF::PropertySet>::narrow(object_)) return set->query(properties);
  if (!properties.empty()) throw CF::UnknownProperties(properties);
}

void ComponentObject::run_test(std::uint32_t test, CF::Properties& values) const {
  if (resource_) return resource_->runTest(test, values);
  const auto tests = IDL::traits<CF::TestableInterface>::narrow(object_);
  if (!tests) throw CF::TestableObject::UnknownTest();
  try {
    tests->runTest(test, values);
  } catch (const CF::TestableInterface::UnknownTest&) {
    throw CF::TestableObject::UnknownTest();
  }
}

ComponentObject::Ref ComponentObject::port(const std::string& name, const std::string& connection) const {
  if (resource_) return resource_->getPort(name);
  CF::PortAccessor::Connections ports{{CF::PortAccessor::ConnectionIdType(connection, name), nullptr}};
  port_accessor()->getProvidesPorts(ports);
  return ports.empty() ? nullptr : ports.front().portReference();
}

IDL::traits<CF::PortAccessor>::ref_type ComponentObject::port_accessor() const {
  if (auto ports = IDL::traits<CF::PortAccessor>::narrow(object_)) return ports;
  throw CF::PortSupplier::UnknownPort();
}

}  // namespace orbweaver::sca
