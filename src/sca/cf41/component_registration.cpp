#include "sca/cf41/component_registration.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/printable.h"

namespace orbweaver::sca {
namespace {

using Type = CF::ComponentEnumType;
using CF::ErrorNumberType;
using RegisterError = CF::ComponentRegistry::RegisterError;

/// Length of a peer's text in a message.
constexpr std::size_t kMaxText = 200;
/// Limits of a registration: of what a device manager lists, of the allocation properties of a device, the
/// values of each, each text of them, and all of these.
constexpr std::size_t kMaxComponents = 1024, kMaxProperties = 1024, kMaxValues = 256, kMaxTextBytes = 1024,
                      kMaxPropertyBytes = 256 * 1024;
/// Length of the name of a directory (SCA 4.1, SCA1).
constexpr std::size_t kMaxDirectoryName = 40;

std::string in_quotes(const std::string& text) { return "'" + printable(text, kMaxText) + "'"; }

[[noreturn]] void reject(ErrorNumberType number, const std::string& message) {
  throw RegisterError(number, message);
}

bool is_device(Type type) {
  return type == Type::DEVICE_COMPONENT || type == Type::LOADABLE_DEVICE_COMPONENT ||
         type == Type::EXECUTABLE_DEVICE_COMPONENT;
}
bool is_service(Type type) {
  return type == Type::SERVICE_COMPONENT || type == Type::MANAGEABLE_SERVICE_COMPONENT;
}

template <class T>
std::optional<T> info(const CF::ComponentType& component, const std::string& id) {
  for (const CF::DataType& each : component.specializedInfo()) {
    T value;
    if (each.id() != id) continue;
    if (each.value() >>= value) return value;
    reject(ErrorNumberType::CF_EINVAL, "the value of " + id + " in the specializedInfo of component " +
                                           in_quotes(component.identifier()) + " has another type");
  }
  return std::nullopt;
}

MatchAction action_of(CF::PropertyActionType action) {
  switch (action) {
    case CF::PropertyActionType::CF_EQ: return MatchAction::equal;
    case CF::PropertyActionType::CF_NE: return MatchAction::not_equal;
    case CF::PropertyActionType::CF_GT: return MatchAction::greater;
    case CF::PropertyActionType::CF_GE: return MatchAction::greater_equal;
    case CF::PropertyActionType::CF_LT: return MatchAction::less;
    case CF::PropertyActionType::CF_LE: return MatchAction::less_equal;
    case CF::PropertyActionType::CF_EXTERNAL: break;
  }
  return MatchAction::external;
}

std::string type_of(CF::PropertyType type) {
  switch (type) {
    case CF::PropertyType::CF_BOOLEAN: return "boolean";
    case CF::PropertyType::CF_CHAR: return "char";
    case CF::PropertyType::CF_DOUBLE: return "double";
    case CF::PropertyType::CF_FLOAT: return "float";
    case CF::PropertyType::CF_SHORT: return "short";
    case CF::PropertyType::CF_LONG: return "long";
    case CF::PropertyType::CF_OBJREF: return "objref";
    case CF::PropertyType::CF_OCTET: return "octet";
    case CF::PropertyType::CF_USHORT: return "ushort";
    case CF::PropertyType::CF_ULONG: return "ulong";
    case CF::PropertyType::CF_STRING: break;
  }
  return "string";
}

/// Adds the octets of a property to `bytes`. Raises RegisterError above the limits.
void check_texts(const CF::ComponentType& component, const AllocationProperty& property, std::size_t& bytes) {
  const auto add = [&](const std::string& text) {
    bytes += text.size();
    if (text.size() > kMaxTextBytes || bytes > kMaxPropertyBytes)
      reject(ErrorNumberType::CF_E2BIG,
             "a text of allocation property " + in_quotes(property.id) + " of device " +
                 in_quotes(component.identifier()) + " has more than " + std::to_string(kMaxTextBytes) +
                 " octets, or all texts of its allocation properties have more than " +
                 std::to_string(kMaxPropertyBytes));
  };
  add(property.id);
  add(property.value);
  for (const std::string& value : property.more_values) add(value);
}

std::vector<AllocationProperty> allocation_properties(const CF::ComponentType& component) {
  std::vector<AllocationProperty> properties;
  const auto told = info<CF::AllocationProperties>(component, CF::ALLOCATION_PROPS_ID);
  if (!told) return properties;
  if (told->size() > kMaxProperties)
    reject(ErrorNumberType::CF_E2BIG, "device " + in_quotes(component.identifier()) + " has more than " +
                                          std::to_string(kMaxProperties) + " allocation properties");
  std::size_t bytes = 0;
  for (const CF::AllocationPropertyType& each : *told) {
    AllocationProperty property{each.id(), each.id(), type_of(each.type()), action_of(each.action()), ""};
    if (each.values().size() > kMaxValues)
      reject(ErrorNumberType::CF_E2BIG, "allocation property " + in_quotes(each.id()) + " of device " +
                                            in_quotes(component.identifier()) + " has more than " +
                                            std::to_string(kMaxValues) + " values");
    if (!each.values().empty()) {
      property.value = each.values().front();
      property.more_values.assign(each.values().begin() + 1, each.values().end());
    }
    check_texts(component, property, bytes);
    properties.push_back(std::move(property));
  }
  return properties;
}

void check_object(const CF::ComponentType& component) {
  if (!component.componentObject())
    throw CF::InvalidObjectReference("the object of component " + in_quotes(component.identifier()) +
                                     " is nil");
}

RegisteredDevice device_of(const CF::ComponentType& component) {
  RegisteredDevice device;
  device.id = device.label = component.identifier();
  device.profile = component.profile();
  device.executes = component.type() == Type::EXECUTABLE_DEVICE_COMPONENT;
  device.is_sca41 = true;
  device.properties = allocation_properties(component);
  return device;
}

/// A name for the directory of the node's file system in that of the domain, by the rules of the standard.
std::string label_of(const std::string& id) {
  std::string label = id.substr(0, kMaxDirectoryName);
  for (char& c : label) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter && !(c >= '0' && c <= '9') && c != '.' && c != '-') c = '_';
  }
  return label;
}

bool is_registered(const Domain& domain, const CF::ComponentType& component, const std::string& reference) {
  const auto registered = domain.object<CORBA::Object>(reference);
  return registered && registered->_is_equivalent(component.componentObject());
}

/// The registrant of a component of which `record` has been kept. A further registration of the same object,
/// whose reference all clients can get, does not change it.
template <class Record>
std::string registrant_of(const Domain& domain, const CF::ComponentType& component, const Caller& caller,
                          const std::optional<Record>& record) {
  return record && is_registered(domain, component, record->reference) ? record->registrant : caller.identity;
}

void register_manager(Domain& domain, const CF::ComponentType& component, const Caller& caller) {
  NodeDescription node;
  node.record.registrant =
      registrant_of(domain, component, caller, domain.nodes().known_node(component.identifier()));
  node.record.id = component.identifier();
  node.record.label = label_of(component.identifier());
  node.record.profile = component.profile();
  node.record.is_sca41 = true;
  if (const auto manager = info<CF::ManagerInfo>(component, CF::MANAGER_INFO_ID)) {
    node.files = manager->fileSys();
    if (manager->deployedComponents().size() > kMaxComponents)
      reject(ErrorNumberType::CF_E2BIG, "node " + in_quotes(component.identifier()) + " has more than " +
                                            std::to_string(kMaxComponents) + " components");
    // Those that have registered themselves keep their registrants; the others have that of the node.
    const Caller of_node;
    for (const CF::ComponentType& each : manager->deployedComponents()) {
      check_object(each);
      if (is_device(each.type())) {
        node.devices.push_back({device_of(each), {}});
        node.devices.back().record.registrant =
            registrant_of(domain, each, of_node, domain.nodes().known_device(each.identifier()));
        node.devices.back().record.reference = domain.orb()->object_to_string(each.componentObject());
        node.registered.push_back(each.componentObject());
      } else if (is_service(each.type())) {
        node.services.push_back(
            {each.identifier(), component.identifier(),
             domain.orb()->object_to_string(each.componentObject()), 0,
             registrant_of(domain, each, of_node, domain.nodes().known_service(each.identifier()))});
      }
    }
  }
  domain.nodes().register_node(std::move(node), component.componentObject());
}

/// Raises RegisterError if the domain has kept another component of this identifier, which runs.
template <class Record>
void check_registered(const Domain& domain, const CF::ComponentType& component,
                      const std::optional<Record>& record) {
  if (record && is_registered(domain, component, record->reference)) return;
  reject(ErrorNumberType::CF_EEXIST, "another component of the identifier " +
                                         in_quotes(component.identifier()) +
                                         " is registered, and runs: give each an identifier of its own");
}

/// Raises UnregisterError unless the caller may unregister the component, or there is none.
void check_unregistration(const DomainModel& model, const std::string& id, const Caller& caller) {
  if (caller.is_administrator) return;
  std::string registrant, node;
  if (const auto record = model.node(id)) {
    registrant = record->registrant;
  } else if (const auto device = model.device(id)) {
    registrant = device->registrant;
    node = device->node;
  } else if (const auto service = model.service(id)) {
    registrant = service->registrant;
    node = service->node;
  } else {
    return;
  }
  const auto of_node = model.node(node);
  const bool is_same = !caller.identity.empty() &&
                       (caller.identity == registrant || (of_node && caller.identity == of_node->registrant));
  if (is_same) return;
  throw CF::FullComponentRegistry::UnregisterError(
      ErrorNumberType::CF_EPERM,
      "component " + in_quotes(id) + " was not registered by " + in_quotes(caller.identity) +
          ": only who has registered it or its node, and the user of the domain manager, may unregister it");
}

}  // namespace

void register_component(Domain& domain, const CF::ComponentType& component, const Caller& caller) {
  check_object(component);
  DomainModel& model = domain.model();
  const std::string& id = component.identifier();
  try {
    if (component.type() == Type::DEVICE_MANAGER_COMPONENT) {
      register_manager(domain, component, caller);
      return check_registered(domain, component, model.node(id));
    }
    const std::string node = info<std::string>(component, CF::DEVICE_MANAGER_ID).value_or("");
    if (is_device(component.type())) {
      RegisteredDevice device = device_of(component);
      device.registrant = registrant_of(domain, component, caller, domain.nodes().known_device(id));
      domain.nodes().register_device(std::move(device), node, component.componentObject());
      return check_registered(domain, component, model.device(id));
    }
    if (is_service(component.type())) {
      domain.nodes().register_service(
          component.componentObject(), node, id,
          registrant_of(domain, component, caller, domain.nodes().known_service(id)));
      return check_registered(domain, component, model.service(id));
    }
  } catch (const CF::DomainManager::RegisterError& e) {
    reject(e.errorNumber(), e.msg());
  } catch (const CF::DomainManager::DeviceManagerNotRegistered&) {
    reject(ErrorNumberType::CF_ENOENT,
           "the device manager of component " + in_quotes(id) +
               " is not registered: register it first, and give its identifier as " + CF::DEVICE_MANAGER_ID +
               " in the specializedInfo");
  }
  reject(ErrorNumberType::CF_EINVAL,
         "component " + in_quotes(id) +
             " is no device manager, device or service: components of applications "
             "register with COMPONENT_REGISTRY_IOR");
}

void unregister_component(Domain& domain, const std::string& identifier, const Caller& caller) {
  using UnregisterError = CF::FullComponentRegistry::UnregisterError;
  check_unregistration(domain.model(), identifier, caller);
  try {
    if (domain.nodes().unregister(identifier)) return;
  } catch (const CF::DomainManager::UnregisterError& e) {
    throw UnregisterError(e.errorNumber(), e.msg());
  } catch (const CF::InvalidObjectReference& e) {  // unregistered meanwhile
    throw UnregisterError(ErrorNumberType::CF_ENOENT, e.msg());
  }
  throw UnregisterError(ErrorNumberType::CF_ENOENT,
                        "no component of the identifier " + in_quotes(identifier) + " is registered");
}

}  // namespace orbweaver::sca
