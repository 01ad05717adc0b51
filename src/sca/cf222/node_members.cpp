// Devices and services of the nodes of a domain; nodes.cpp has the nodes.
#include <algorithm>
#include <utility>

#include "sca/cf222/device_state.h"
#include "sca/cf222/nodes.h"
#include "sca/cf222/remote_calls.h"
#include "sca/deployment/concurrently.h"

namespace orbweaver::sca {
namespace {

using CF::DomainManager;

[[noreturn]] void raise(const Error& error) {
  throw DomainManager::RegisterError(error_number_of(error), error.message);
}

}  // namespace

// ---- records of lost nodes, too ----

std::optional<RegisteredDevice> Nodes::known_device(const std::string& id) {
  if (auto record = parts_.model.device(id)) return record;
  const std::lock_guard lock(changing_);
  for (const auto& [node, description] : described_)
    for (const DeviceDescription& device : description.devices)
      if (device.record.id == id) return device.record;
  return std::nullopt;
}

std::optional<Service> Nodes::known_service(const std::string& name) {
  if (auto record = parts_.model.service(name)) return record;
  const std::lock_guard lock(changing_);
  for (const auto& [node, description] : described_)
    for (const Service& service : description.services)
      if (service.name == name) return service;
  return std::nullopt;
}

// ---- devices ----

void Nodes::register_device(const DeviceRef& device, const NodeRef& node) {
  if (!device) throw CF::InvalidObjectReference("the device is nil");
  if (!node) throw CF::InvalidObjectReference("the device manager is nil");
  const auto registered = find(node);
  if (!registered) throw DomainManager::DeviceManagerNotRegistered();
  IDL::traits<CF::FileSystem>::ref_type files;
  try {
    files = limited<CF::FileSystem>(node_of(registered->reference)->fileSys(), kAttributeLimit);
  } catch (const CORBA::SystemException& e) {
    throw CF::InvalidObjectReference("the device manager cannot be called: " + why(e));
  }
  const auto described = describe_device(device, registered->id, files);
  if (!described) {
    parts_.log.problem("node '" + registered->id + "': " + described.error().message);
    if (described.error().kind == ErrorKind::invalid) throw CF::InvalidProfile();
    throw CF::InvalidObjectReference(described.error().message);
  }
  add(*described, device);
}

void Nodes::register_device(RegisteredDevice record, const std::string& node, const ObjectRef& device) {
  const auto registered = parts_.model.node(node);
  if (!registered) throw DomainManager::DeviceManagerNotRegistered();
  record.reference = parts_.orb->object_to_string(device);
  auto described = describe_registered(
      std::move(record), node, limited<CF::FileSystem>(parts_.orb, registered->files, kAttributeLimit));
  if (!described) {
    parts_.log.problem("node '" + node + "': " + described.error().message);
    raise(described.error());
  }
  add(*described, device);
}

void Nodes::add(const DeviceDescription& description, const ObjectRef& device) {
  const RegisteredDevice& record = description.record;
  const auto before = parts_.model.device(record.id);
  if (before && is_another_that_exists(device, before->reference)) {
    parts_.log.problem("device '" + before->id +
                       "' is registered already, and runs: another device of this identifier is ignored");
    return;
  }
  std::vector<std::string> replaced;
  {
    const std::lock_guard lock(changing_);
    if (auto done = put(description, replaced); !done) raise(done.error());
    if (const auto known = described_.find(record.node); known != described_.end()) {
      auto& devices = known->second.devices;
      std::erase_if(devices, [&](const DeviceDescription& each) { return each.record.id == record.id; });
      devices.push_back(description);
    }
  }
  if (!replaced.empty()) lost_(replaced, "device '" + record.label + "' was started again");
  registered_({record.id});
  connections_.connect(record.node);
}

Result<void> Nodes::put(const DeviceDescription& device, std::vector<std::string>& replaced) {
  const RegisteredDevice& record = device.record;
  questions_.registered(record.reference);
  const auto before = parts_.model.device(record.id);
  if (before != record) {
    if (auto stored = parts_.model.put(record); !stored) return stored;
  }
  DeviceProfile profile = device.profile;
  if (const auto node = node_profiles_.find(record.node); node != node_profiles_.end() && node->second)
    profile.deployer_requires = deployer_requires(*node->second, record.id);
  profiles_.put(record.id, std::move(profile));
  const auto object = limited<CORBA::Object>(parts_.orb, record.reference, kAttributeLimit);
  const bool is_same = before && is(object, before->reference);
  if (before && !is_same) replaced.push_back(record.id);
  if (is_same) return {};
  parts_.log.event("device '" + record.id + "' (" + record.label + ") of node '" + record.node +
                   "' is registered");
  parts_.channels.added(Category::DEVICE, record.id, record.label, object);
  return {};
}

void Nodes::unregister_device(const DeviceRef& device) {
  if (!device) throw CF::InvalidObjectReference("the device is nil");
  for (const RegisteredDevice& each : parts_.model.devices())
    if (is(device, each.reference)) return remove_device(each);
  throw CF::InvalidObjectReference("the device is not registered");
}

void Nodes::remove_device(const RegisteredDevice& record) {
  const std::string& id = record.id;
  {
    const std::lock_guard lock(changing_);
    if (const auto found = parts_.model.device(id); !found || found->reference != record.reference)
      throw CF::InvalidObjectReference("the device is not registered");
    if (auto removed = parts_.model.remove_device(id); !removed)
      throw DomainManager::UnregisterError(error_number_of(removed.error()), removed.error().message);
    profiles_.remove(id);
    if (const auto node = described_.find(record.node); node != described_.end())
      std::erase_if(node->second.devices,
                    [&](const DeviceDescription& each) { return each.record.id == id; });
    parts_.channels.removed(Category::DEVICE, id, record.label);
    parts_.log.event("device '" + id + "' (" + record.label + ") is unregistered");
  }
  connections_.devices_lost({id}, false);
  lost_({id}, "device '" + record.label + "' was unregistered");
}

std::vector<DeploymentDevice> Nodes::devices() {
  const std::vector<RegisteredDevice> records = parts_.model.devices();
  std::vector<DeploymentDevice> devices(records.size());
  const platform::Deadline deadline = questions_.deadline();
  const auto ask = [&](std::size_t i) {
    const auto profile = profiles_.find(records[i].id);
    const auto device = limited<CORBA::Object>(parts_.orb, records[i].reference, kAttributeLimit);
    devices[i] = questions_.present_state(records[i], device, profile ? *profile : DeviceProfile(), deadline);
  };
  run_concurrently(records.size(), ask, kDevicesAtATime);
  return devices;
}

std::vector<DeploymentDevice> Nodes::registered_devices() const {
  std::vector<DeploymentDevice> devices;
  for (const RegisteredDevice& record : parts_.model.devices()) {
    const auto profile = profiles_.find(record.id);
    const auto device = limited<CORBA::Object>(parts_.orb, record.reference, kAttributeLimit);
    devices.push_back(registered_device(record, device, profile ? *profile : DeviceProfile()));
  }
  return devices;
}

// ---- services ----

void Nodes::register_service(const ObjectRef& service, const NodeRef& node, const std::string& name) {
  if (!service || !node) throw CF::InvalidObjectReference("the service or the device manager is nil");
  const auto registered = find(node);
  if (!registered) throw DomainManager::DeviceManagerNotRegistered();
  register_service(service, registered->id, name);
}

void Nodes::register_service(const ObjectRef& service, const std::string& node, const std::string& name,
                             const std::string& registrant) {
  if (auto checked = check_service_name(name); !checked) raise(checked.error());
  if (!node.empty() && !parts_.model.node(node)) throw DomainManager::DeviceManagerNotRegistered();
  if (const auto before = parts_.model.service(name);
      before && is_another_that_exists(service, before->reference)) {
    parts_.log.problem("service '" + name +
                       "' is registered already, and runs: another service of this name is ignored");
    return;
  }
  bool is_replaced = false;
  {
    const std::lock_guard lock(changing_);
    const Service record{name, node, parts_.orb->object_to_string(service), 0, registrant};
    const auto before = parts_.model.service(name);
    is_replaced = before && (before->node != node || before->reference != record.reference);
    if (auto done = put(record); !done) raise(done.error());
    if (const auto known = described_.find(node); known != described_.end()) {
      auto& services = known->second.services;
      std::erase_if(services, [&](const Service& each) { return each.name == name; });
      services.push_back(record);
    }
  }
  if (is_replaced) connections_.service_lost(name);
  connections_.connect(node);
  if (is_replaced) connections_.connect_to_others();
}

Result<void> Nodes::put(const Service& service) {
  const auto before = parts_.model.service(service.name);
  if (before && before->node == service.node && before->reference == service.reference) return {};
  if (auto stored = parts_.model.put(service); !stored) return stored;
  parts_.log.event("service '" + service.name + "' of node '" + service.node + "' is registered");
  parts_.channels.added(Category::SERVICE, source_of(service), service.name,
                        limited<CORBA::Object>(parts_.orb, service.reference, kAttributeLimit));
  return {};
}

void Nodes::unregister_service(const ObjectRef& service, const std::string& name) {
  if (!service) throw CF::InvalidObjectReference("the service is nil");
  const auto found = parts_.model.service(name);
  if (!found || !is(service, found->reference))
    throw CF::InvalidObjectReference("service '" + name + "' is not registered, or is another object");
  remove_service(name);
}

void Nodes::remove_service(const std::string& name) {
  {
    const std::lock_guard lock(changing_);
    const auto found = parts_.model.service(name);
    if (auto removed = parts_.model.remove_service(name); !removed)
      throw DomainManager::UnregisterError(error_number_of(removed.error()), removed.error().message);
    parts_.log.event("service '" + name + "' is unregistered");
    if (found) parts_.channels.removed(Category::SERVICE, source_of(*found), name);
    if (const auto known = found ? described_.find(found->node) : described_.end(); known != described_.end())
      std::erase_if(known->second.services, [&](const Service& each) { return each.name == name; });
  }
  connections_.service_lost(name);
  connections_.connect_to_others();
}

}  // namespace orbweaver::sca
