#include "sca/node/device_manager41.h"

#include "base/printable.h"

namespace orbweaver::sca {
namespace {

using Type = CF::ComponentEnumType;
using CF::ErrorNumberType;

template <class T>
CF::DataType info(const std::string& id, const T& value) {
  CORBA::Any any;
  any <<= value;
  return {id, std::move(any)};
}

bool is_device(Type type) {
  return type == Type::DEVICE_COMPONENT || type == Type::LOADABLE_DEVICE_COMPONENT ||
         type == Type::EXECUTABLE_DEVICE_COMPONENT;
}
bool is_service(Type type) {
  return type == Type::SERVICE_COMPONENT || type == Type::MANAGEABLE_SERVICE_COMPONENT;
}

}  // namespace

void DeviceManagerServant41::registerComponent(const CF::ComponentType& registeringComponent) {
  using RegisterError = CF::ComponentRegistry::RegisterError;
  const CF::ComponentType& component = registeringComponent;
  if (!component.componentObject()) throw CF::InvalidObjectReference("the object of the component is nil");
  if (!is_device(component.type()) && !is_service(component.type()))
    throw RegisterError(ErrorNumberType::CF_EINVAL,
                        "component '" + printable(component.identifier(), 200) + "' is no device or service");
  try {
    if (is_device(component.type())) {
      manager_->register_device41(component.identifier(), component.type(), component.componentObject());
    } else {
      manager_->registerService(component.componentObject(), component.identifier());
    }
  } catch (const CF::InvalidObjectReference& e) {
    throw RegisterError(ErrorNumberType::CF_EINVAL, e.msg());
  }
}

void DeviceManagerServant41::unregisterComponent(const std::string& identifier) {
  if (manager_->unregister(identifier)) return;
  throw CF::FullComponentRegistry::UnregisterError(
      ErrorNumberType::CF_ENOENT,
      "no device or service of the identifier '" + printable(identifier, 200) + "' is registered");
}

CF::Components DeviceManagerServant41::deployedComponents() {
  const auto now = manager_->registrations();
  CF::Components components;
  for (const auto& device : now.devices) components.push_back(component_type(*manager_, device));
  for (const auto& service : now.services) components.push_back(component_type(*manager_, service));
  return components;
}

CF::ComponentType component_type(const DeviceManagerServant& manager,
                                 const IDL::traits<CORBA::Object>::ref_type& object) {
  return {manager.id(),
          manager.profile(),
          Type::DEVICE_MANAGER_COMPONENT,
          object,
          {},
          {info(CF::MANAGER_INFO_ID, CF::ManagerInfo(manager.files(), {}))}};
}

CF::ComponentType component_type(const DeviceManagerServant& manager,
                                 const DeviceManagerServant::Device& device) {
  IDL::traits<CORBA::Object>::ref_type object = device.object41;
  if (!object) object = device.reference;
  return {device.id,   manager.profile_of(device.id),
          device.type, object,
          {},          {info(CF::DEVICE_MANAGER_ID, manager.id())}};
}

CF::ComponentType component_type(const DeviceManagerServant& manager,
                                 const DeviceManagerServant::Service& service) {
  return {service.name,      {}, Type::SERVICE_COMPONENT,
          service.reference, {}, {info(CF::DEVICE_MANAGER_ID, manager.id())}};
}

}  // namespace orbweaver::sca
