#include "sca/cf41/component_types.h"

#include <cstdint>

#include "CF41DomainC.h"
#include "Domain41C.h"

namespace orbweaver::sca {
namespace {

using Type = CF::ComponentEnumType;

template <class T>
void add(CF::Properties& info, const std::string& id, const T& value) {
  CORBA::Any any;
  any <<= value;
  info.emplace_back(id, std::move(any));
}

}  // namespace

CF::ComponentType component_type(const Domain& domain, const Node& node) {
  return {
      node.id, node.profile, Type::DEVICE_MANAGER_COMPONENT, domain.object<CORBA::Object>(node.reference), {},
      {}};
}

CF::ComponentType component_type(const Domain& domain, const Device& device) {
  CF::Properties info;
  add(info, CF::DEVICE_MANAGER_ID, device.node);
  return {device.id,
          device.profile,
          device.executes ? Type::EXECUTABLE_DEVICE_COMPONENT : Type::DEVICE_COMPONENT,
          domain.object<CORBA::Object>(device.reference),
          {},
          info};
}

CF::ComponentType component_type(const Domain& domain, const InstalledApplication& installed) {
  return {installed.id,
          installed.profile,
          Type::APPLICATION_FACTORY_COMPONENT,
          domain.facade_object(kFacade41, "factory", installed.id, CF41::ApplicationFactory::_interface_id()),
          {},
          {}};
}

CF::ComponentType component_type(const Domain& domain, const Application& application) {
  return {application.id,
          application.profile,
          Type::APPLICATION_MANAGER_COMPONENT,
          domain.facade_object(kFacade41, "application", application.id,
                               framework::ApplicationManager41::_interface_id()),
          {},
          {}};
}

CF::ComponentType component_type(const Domain& domain, const DeployedComponent& component) {
  CF::Properties info;
  add(info, CF::IMPLEMENTATION_ID, component.implementation);
  add(info, CF::TARGET_DEVICE_ID, component.device);
  if (component.process >= 0) {
    CF::ExecutableInterface::ExecutionID_Type execution;
    execution.processId(static_cast<std::uint64_t>(component.process));
    add(info, CF::EXECUTION_ID, execution);
  }
  return {component.id,
          {},
          component.is_factory ? Type::APPLICATION_COMPONENT_FACTORY_COMPONENT
                               : Type::MANAGEABLE_APPLICATION_COMPONENT,
          domain.object<CORBA::Object>(component.reference),
          {},
          info};
}

}  // namespace orbweaver::sca
