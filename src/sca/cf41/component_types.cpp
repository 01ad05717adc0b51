#include "sca/cf41/component_types.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <string>

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

/// The object of a node or device in SCA 4.1.
template <class Record>
IDL::traits<CORBA::Object>::ref_type object_of(const Domain& domain, const Record& record) {
  return domain.object<CORBA::Object>(record.sca41_object.empty() ? record.reference : record.sca41_object);
}

CF::PropertyActionType action_type(MatchAction action) {
  switch (action) {
    case MatchAction::equal: return CF::PropertyActionType::CF_EQ;
    case MatchAction::not_equal: return CF::PropertyActionType::CF_NE;
    case MatchAction::greater: return CF::PropertyActionType::CF_GT;
    case MatchAction::greater_equal: return CF::PropertyActionType::CF_GE;
    case MatchAction::less: return CF::PropertyActionType::CF_LT;
    case MatchAction::less_equal: return CF::PropertyActionType::CF_LE;
    case MatchAction::external: break;
  }
  return CF::PropertyActionType::CF_EXTERNAL;
}

CF::PropertyType property_type(const std::string& type) {
  static constexpr const char* kTypes[] = {"boolean", "char",  "double", "float",  "short", "long",
                                           "objref",  "octet", "string", "ushort", "ulong"};
  for (std::size_t i = 0; i < std::size(kTypes); ++i)
    if (type == kTypes[i]) return static_cast<CF::PropertyType>(i);
  return CF::PropertyType::CF_STRING;
}

CF::AllocationProperties allocation_properties(const RegisteredDevice& device) {
  CF::AllocationProperties properties;
  for (const AllocationProperty& each : device.properties) {
    CF::StringSequence values;
    // Without a value: a capacity whose amount the device does not tell.
    if (each.action != MatchAction::external || !each.value.empty()) values.push_back(each.value);
    values.insert(values.end(), each.more_values.begin(), each.more_values.end());
    properties.emplace_back(each.id, values, action_type(each.action), property_type(each.type));
  }
  return properties;
}

}  // namespace

CF::Components manager_types(Domain& domain) {
  std::map<std::string, CF::Components> devices, services;  // by node
  for (const RegisteredDevice& device : domain.model().devices())
    devices[device.node].push_back(component_type(domain, device));
  for (const Service& service : domain.model().services())
    services[service.node].push_back(
        {service.name, {}, Type::SERVICE_COMPONENT, domain.object<CORBA::Object>(service.reference), {}, {}});
  // The file systems of nodes, as they are mounted: nodes of 2.2.2 are not called.
  std::map<std::string, IDL::traits<CF::FileSystem>::ref_type> files;
  for (const CF::FileManager::MountType& mount : domain.file_manager()->getMounts())
    files.emplace(mount.mountPoint(), mount.fs());
  CF::Components managers;
  for (const Node& node : domain.model().nodes()) {
    CF::ManagerInfo manager;
    const auto mounted = files.find("/" + domain.name() + "/" + node.label);
    if (node.is_sca41) {
      manager.fileSys(domain.object<CF::FileSystem>(node.files));
    } else if (mounted != files.end()) {
      manager.fileSys(mounted->second);
    }
    const CF::Components& of_node = devices[node.id];
    manager.deployedComponents(of_node);
    const CF::Components& others = services[node.id];
    manager.deployedComponents().insert(manager.deployedComponents().end(), others.begin(), others.end());
    CF::Properties info;
    add(info, CF::MANAGER_INFO_ID, manager);
    add(info, CF::COMPONENTS_ID, of_node);
    managers.push_back(
        {node.id, node.profile, Type::DEVICE_MANAGER_COMPONENT, object_of(domain, node), {}, info});
  }
  return managers;
}

CF::ComponentType component_type(const Domain& domain, const RegisteredDevice& device) {
  CF::Properties info;
  add(info, CF::DEVICE_MANAGER_ID, device.node);
  if (!device.properties.empty()) add(info, CF::ALLOCATION_PROPS_ID, allocation_properties(device));
  return {device.id,
          device.profile,
          device.executes ? Type::EXECUTABLE_DEVICE_COMPONENT : Type::DEVICE_COMPONENT,
          object_of(domain, device),
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
    execution.threadId(component.execution.thread);
    execution.processCollocation(component.execution.collocation);
    execution.cores(component.execution.cores);
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
