#include "sca/cf222/nodes.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "sca/cf222/concurrently.h"
#include "sca/cf222/device_state.h"
#include "sca/cf222/remote_calls.h"

namespace orbweaver::sca {
namespace {

using CF::DomainManager;

/// The reason of a removal that is no loss.
constexpr const char* kUnregistered = "it was unregistered";

[[noreturn]] void raise(const Error& error) {
  throw DomainManager::RegisterError(error_number_of(error), error.message);
}

}  // namespace

Nodes::Nodes(const DomainParts& parts, MountedFileManager& files, NodeConnections& connections,
             DevicesRegistered registered, DevicesLost lost, const NodeWatchOptions& watch)
    : parts_(parts), files_(files), connections_(connections), registered_(std::move(registered)),
      lost_(std::move(lost)),
      watch_([this](const std::string& id, const NodeRef& node,
                    const std::string& reason) { return drop(id, reason, node); },
             [this](const std::string& id, const NodeRef& node) {
               try {
                 register_node(node);
               } catch (const CORBA::Exception& e) {
                 parts_.log.problem("node '" + id + "' answers again and cannot be registered: " + e.what());
               }
             },
             watch),
      watch_options_(watch) {}

// ---- references ----

Nodes::NodeRef Nodes::node_of(const std::string& reference) const {
  return limited<CF::DeviceManager>(parts_.orb, reference, kAttributeLimit);
}

bool Nodes::is(const ObjectRef& object, const std::string& reference) const {
  const auto other = limited<CORBA::Object>(parts_.orb, reference, kAttributeLimit);
  return other && other->_is_equivalent(object);
}

std::optional<Node> Nodes::find(const NodeRef& node) const {
  for (Node& each : parts_.model.nodes())
    if (node && is(node, each.reference)) return std::move(each);
  return std::nullopt;
}

bool Nodes::exists(const std::string& reference) const {
  const auto object = limited<CORBA::Object>(parts_.orb, reference, watch_options_.limit);
  for (int timeouts = 1; object; ++timeouts) {
    try {
      return !object->_non_existent();
    } catch (const CORBA::TIMEOUT&) {
      if (timeouts >= watch_options_.timeouts) throw;
    }
    std::this_thread::sleep_for(watch_options_.interval);
  }
  return false;
}

// ---- nodes ----

bool Nodes::is_another_that_exists(const ObjectRef& object, const std::string& reference) const {
  try {
    const auto other = limited<CORBA::Object>(parts_.orb, reference, kAttributeLimit);
    return other && !other->_is_equivalent(object) && exists(reference);
  } catch (const CORBA::SystemException&) {  // its process has ended
    return false;
  }
}

void Nodes::register_node(const NodeRef& node) {
  if (!node) throw CF::InvalidObjectReference("the device manager is nil");
  const std::vector<Device> before = parts_.model.devices();
  const auto described = describe_node(node);
  if (!described) {
    const std::string message = "a device manager cannot be registered: " + described.error().message;
    parts_.log.problem(message);
    throw CF::InvalidObjectReference(message);
  }
  const Node& record = described->record;
  const auto present = parts_.model.node(record.id);
  if (present && is_another_that_exists(node, present->reference)) {
    parts_.log.problem("node '" + record.id +
                       "' is registered already, and runs: another device manager of this identifier is "
                       "ignored; give each node an id of its own");
    return;
  }
  // A node that is registered again, be it after a restart of the domain manager, keeps its applications.
  if (!described->missing_profile.empty() && !(present && is(node, present->reference))) {
    parts_.log.problem("node '" + record.id + "' cannot be registered: its profile " +
                       described->missing_profile + " does not exist in its file system, or cannot be read");
    throw CF::InvalidProfile();
  }
  // A node whose process is another one has lost its devices.
  if (present && !is(node, present->reference) && !drop(record.id, "its device manager was started again"))
    throw DomainManager::RegisterError(CF::ErrorNumberType::CF_EIO, "the state cannot be stored");
  std::vector<std::string> replaced;
  {
    std::unique_lock lock(changing_);
    // What is told of the loss of an earlier node with this id is not about this one.
    left_.wait(lock, [&] { return !leaving_.contains(record.id); });
    if (auto done = put(*described); !done) raise(done.error());
    node_profiles_[record.id] = described->profile;
    watch_.watch(record.id, node);
    for (const DeviceDescription& device : described->devices)
      if (auto done = put(device, replaced); !done) parts_.log.problem(done.error().message);
    for (const Service& service : described->services)
      if (auto done = put(service); !done) parts_.log.problem(done.error().message);
    // Devices that ended while the domain manager did not run.
    for (const Device& device : before) {
      const auto& registered = described->registered;
      if (device.node != record.id ||
          std::any_of(registered.begin(), registered.end(),
                      [&](const ObjectRef& other) { return other && is(other, device.reference); }))
        continue;
      if (const auto now = parts_.model.device(device.id); now != device) continue;  // replaced
      if (!parts_.model.remove_device(device.id)) continue;
      profiles_.remove(device.id);
      parts_.channels.removed(Category::DEVICE, device.id, device.label);
      replaced.push_back(device.id);
    }
  }
  for (const std::string& problem : described->problems)
    parts_.log.problem("node '" + record.id + "': " + problem);
  if (!replaced.empty()) lost_(replaced, "a device of node '" + record.label + "' has ended");
  std::vector<std::string> devices;
  for (const DeviceDescription& device : described->devices) devices.push_back(device.record.id);
  registered_(devices);
  connections_.add(record.id, described->profile);
  connections_.connect(record.id);
}

Result<void> Nodes::put(const NodeDescription& node) {
  const auto before = parts_.model.node(node.record.id);
  if (auto mounted = mount(node.record, node.files); !mounted) return mounted;
  if (auto stored = parts_.model.put(node.record); !stored) {
    if (!before) unmount(node.record.id);
    return stored;
  }
  if (before) return {};
  parts_.log.event("node '" + node.record.id + "' (" + node.record.label + ") is registered");
  parts_.channels.added(Category::DEVICE_MANAGER, node.record.id, node.record.label,
                        node_of(node.record.reference));
  return {};
}

Result<void> Nodes::mount(const Node& record, const IDL::traits<CF::FileSystem>::ref_type& files) {
  // SCA 2.2.2 3.1.3.2.3, registerDeviceManager: "/DomainName/HostName". The label alone is a second name.
  const std::string alias = "/" + record.label;
  const std::string point = "/" + parts_.name + alias;
  const auto mounted = mounts_.find(record.id);
  for (const auto& [node, other] : mounts_) {
    if (node != record.id && other.front() == point)
      return Error{ErrorKind::invalid, "node '" + node + "' has the label '" + record.label +
                                           "', too: give each node a label of its own"};
  }
  try {
    if (record.label.find('/') != std::string::npos)
      throw CF::InvalidFileName(CF::ErrorNumberType::CF_EINVAL, "it contains '/'");
    if (mounted != mounts_.end()) unmount(record.id);
    files_.mount(point, files);
    mounts_[record.id] = {point};
    mount_alias(record.id, alias, files);
    return {};
  } catch (const CF::InvalidFileName& e) {
    return Error{ErrorKind::invalid,
                 "the label '" + record.label + "' cannot be the name of a directory: " + e.msg()};
  } catch (const CORBA::Exception& e) {
    return Error{ErrorKind::unavailable, "the file system of node '" + record.id + "' cannot be mounted at " +
                                             point + ": " + e.what()};
  }
}

void Nodes::mount_alias(const std::string& node, const std::string& point,
                        const IDL::traits<CF::FileSystem>::ref_type& files) {
  try {
    files_.mount(point, files);
    mounts_[node].push_back(point);
  } catch (const CF::FileManager::MountPointAlreadyExists&) {  // by a client
  } catch (const CORBA::NO_RESOURCES&) {
  }
}

std::string Nodes::source_of(const Service& service) const {
  const auto profile = node_profiles_.find(service.node);
  if (profile == node_profiles_.end() || !profile->second) return service.name;
  for (const NodeComponent& component : profile->second->configuration.components)
    if (!component.is_device && component.name == service.name) return component.id + profile->second->suffix;
  return service.name;
}

void Nodes::unmount(const std::string& node) {
  const auto mounted = mounts_.find(node);
  if (mounted == mounts_.end()) return;
  for (const std::string& point : mounted->second) {
    try {
      files_.unmount(point);
    } catch (const CF::FileManager::NonExistentMount&) {  // unmounted by a client
    }
  }
  mounts_.erase(mounted);
}

bool Nodes::drop(const std::string& id, const std::string& reason, const NodeRef& node) {
  std::vector<std::string> devices;
  std::vector<Service> services;
  std::string label;
  {
    const std::lock_guard lock(changing_);
    const auto record = parts_.model.node(id);
    if (!record || (node && !is(node, record->reference))) return true;
    label = record->label;
    std::vector<Device> dropped = parts_.model.devices();
    std::erase_if(dropped, [&](const Device& device) { return device.node != id; });
    services = parts_.model.services();
    std::erase_if(services, [&](const Service& service) { return service.node != id; });
    if (auto removed = parts_.model.remove_node(id); !removed) {
      parts_.log.problem("node '" + id + "' is lost, and cannot be removed: " + removed.error().message);
      return false;
    }
    unmount(id);
    for (const Service& service : services)
      parts_.channels.removed(Category::SERVICE, source_of(service), service.name);
    node_profiles_.erase(id);
    for (const Device& device : dropped) {
      profiles_.remove(device.id);
      parts_.channels.removed(Category::DEVICE, device.id, device.label);
      devices.push_back(device.id);
    }
    parts_.channels.removed(Category::DEVICE_MANAGER, id, label);
    const std::string text = "node '" + id + "' (" + label + ") is removed: " + reason;
    reason == kUnregistered ? parts_.log.event(text) : parts_.log.problem(text);
    leaving_.insert(id);
  }
  if (reason == kUnregistered) connections_.remove(id);  // its ports exist
  for (const Service& service : services) connections_.service_lost(service.name);
  lost_(devices, "node '" + label + "' is lost: " + reason);
  connections_.remove(id);
  {
    const std::lock_guard lock(changing_);
    leaving_.erase(id);
  }
  left_.notify_all();
  return true;
}

void Nodes::unregister_node(const NodeRef& node) {
  if (!node) throw CF::InvalidObjectReference("the device manager is nil");
  const auto record = find(node);
  if (!record) throw CF::InvalidObjectReference("the device manager is not registered");
  watch_.forget(record->id);
  if (!drop(record->id, kUnregistered))
    throw DomainManager::UnregisterError(CF::ErrorNumberType::CF_EIO, "the state cannot be stored");
}

void Nodes::recover() {
  const std::vector<Node> nodes = parts_.model.nodes();
  concurrently(nodes.size(), [&](std::size_t i) {
    std::string reason = "it did not exist any more when the domain manager was started";
    try {
      if (exists(nodes[i].reference)) {
        register_node(node_of(nodes[i].reference));
        return;
      }
    } catch (const CORBA::Exception& e) {
      reason += std::string(" (") + e.what() + ")";
    }
    drop(nodes[i].id, reason);
  });
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
  const auto before = parts_.model.device(described->record.id);
  if (before && is_another_that_exists(device, before->reference)) {
    parts_.log.problem("device '" + before->id +
                       "' is registered already, and runs: another device of this identifier is ignored");
    return;
  }
  std::vector<std::string> replaced;
  {
    const std::lock_guard lock(changing_);
    if (auto done = put(*described, replaced); !done) raise(done.error());
  }
  if (!replaced.empty()) lost_(replaced, "device '" + described->record.label + "' was started again");
  registered_({described->record.id});
  connections_.connect(registered->id);
}

Result<void> Nodes::put(const DeviceDescription& device, std::vector<std::string>& replaced) {
  const Device& record = device.record;
  const auto before = parts_.model.device(record.id);
  if (before != record) {
    if (auto stored = parts_.model.put(record); !stored) return stored;
  }
  profiles_.put(record.id, device.profile);
  const auto object = limited<CF::Device>(parts_.orb, record.reference, kAttributeLimit);
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
  std::optional<Device> found;
  {
    const std::lock_guard lock(changing_);
    for (Device& each : parts_.model.devices())
      if (is(device, each.reference)) found = std::move(each);
    if (!found) throw CF::InvalidObjectReference("the device is not registered");
    if (auto removed = parts_.model.remove_device(found->id); !removed)
      throw DomainManager::UnregisterError(error_number_of(removed.error()), removed.error().message);
    profiles_.remove(found->id);
    parts_.channels.removed(Category::DEVICE, found->id, found->label);
    parts_.log.event("device '" + found->id + "' (" + found->label + ") is unregistered");
  }
  connections_.devices_lost({found->id}, false);
  lost_({found->id}, "device '" + found->label + "' was unregistered");
}

std::vector<DeploymentDevice> Nodes::devices() {
  const std::vector<Device> records = parts_.model.devices();
  std::vector<DeploymentDevice> devices(records.size());
  concurrently(records.size(), [&](std::size_t i) {
    const auto profile = profiles_.find(records[i].id);
    const auto device = limited<CF::Device>(parts_.orb, records[i].reference, kAttributeLimit);
    devices[i] = present_state(records[i], device, profile ? *profile : DeviceProfile());
  });
  return devices;
}

std::vector<DeploymentDevice> Nodes::registered_devices() const {
  std::vector<DeploymentDevice> devices;
  for (const Device& record : parts_.model.devices()) {
    const auto profile = profiles_.find(record.id);
    const auto device = limited<CF::Device>(parts_.orb, record.reference, kAttributeLimit);
    devices.push_back(registered_device(record, device, profile ? *profile : DeviceProfile()));
  }
  return devices;
}

// ---- services ----

void Nodes::register_service(const ObjectRef& service, const NodeRef& node, const std::string& name) {
  if (!service || !node) throw CF::InvalidObjectReference("the service or the device manager is nil");
  if (auto checked = check_service_name(name); !checked) raise(checked.error());
  const auto registered = find(node);
  if (!registered) throw DomainManager::DeviceManagerNotRegistered();
  if (const auto before = parts_.model.service(name);
      before && is_another_that_exists(service, before->reference)) {
    parts_.log.problem("service '" + name +
                       "' is registered already, and runs: another service of this name is ignored");
    return;
  }
  bool is_replaced = false;
  {
    const std::lock_guard lock(changing_);
    const Service record{name, registered->id, parts_.orb->object_to_string(service)};
    const auto before = parts_.model.service(name);
    is_replaced = before && before != record;
    if (auto done = put(record); !done) raise(done.error());
  }
  if (is_replaced) connections_.service_lost(name);
  connections_.connect(registered->id);
}

Result<void> Nodes::put(const Service& service) {
  const auto before = parts_.model.service(service.name);
  if (before == service) return {};
  if (auto stored = parts_.model.put(service); !stored) return stored;
  parts_.log.event("service '" + service.name + "' of node '" + service.node + "' is registered");
  parts_.channels.added(Category::SERVICE, source_of(service), service.name,
                        limited<CORBA::Object>(parts_.orb, service.reference, kAttributeLimit));
  return {};
}

void Nodes::unregister_service(const ObjectRef& service, const std::string& name) {
  if (!service) throw CF::InvalidObjectReference("the service is nil");
  {
    const std::lock_guard lock(changing_);
    const auto found = parts_.model.service(name);
    if (!found || !is(service, found->reference))
      throw CF::InvalidObjectReference("service '" + name + "' is not registered, or is another object");
    if (auto removed = parts_.model.remove_service(name); !removed)
      throw DomainManager::UnregisterError(error_number_of(removed.error()), removed.error().message);
    parts_.log.event("service '" + name + "' is unregistered");
    parts_.channels.removed(Category::SERVICE, source_of(*found), name);
  }
  connections_.service_lost(name);
}

}  // namespace orbweaver::sca
