#include "sca/cf222/nodes.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "sca/cf/call_error.h"
#include "sca/cf222/remote_calls.h"
#include "sca/deployment/concurrently.h"

namespace orbweaver::sca {
namespace {

using CF::DomainManager;

/// The reason of a removal that is no loss.
constexpr const char* kUnregistered = "it was unregistered";

[[noreturn]] void raise_as_exception(const Error& error) {
  throw DomainManager::RegisterError(error_number_of(error), error.message);
}

}  // namespace

Nodes::Nodes(const DomainParts& parts, MountedFileManager& files, NodeConnections& connections,
             DevicesRegistered registered, DevicesLost lost, const NodeWatchOptions& watch,
             const DeviceQuestionLimits& questions)
    : parts_(parts), files_(files), connections_(connections), registered_(std::move(registered)),
      lost_(std::move(lost)), questions_(questions),
      watch_([this](const std::string& id, const ObjectRef& node,
                    const std::string& reason) { return drop(id, reason, node); },
             [this](const std::string& id, const ObjectRef& node) {
               try {
                 register_again(id, node);
               } catch (const std::exception&) {
                 parts_.log.problem("node '" + id +
                                    "' answers again and cannot be registered: " + reason_of_failed_call());
               }
             },
             watch),
      watch_options_(watch) {}

// ---- references ----

std::optional<Node> Nodes::known_node(const std::string& id) {
  if (auto record = parts_.model.node(id)) return record;
  const std::lock_guard lock(changing_);
  const auto lost = described_.find(id);
  return lost == described_.end() ? std::nullopt : std::optional(lost->second.record);
}

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
  const std::vector<RegisteredDevice> before = parts_.model.devices();
  const auto described = describe_node(node);
  if (!described) {
    throw CF::InvalidObjectReference("a device manager cannot be registered: " + described.error().message);
  }
  add(*described, node, before);
}

void Nodes::register_node(NodeDescription description, const ObjectRef& node) {
  const std::vector<RegisteredDevice> before = parts_.model.devices();
  description.record.reference = parts_.orb->object_to_string(node);
  description.files = limited<CF::FileSystem>(description.files, kAttributeLimit);
  if (description.files) description.record.files = parts_.orb->object_to_string(description.files);
  if (auto completed = complete_registered(description); !completed) raise_as_exception(completed.error());
  // Devices that have registered themselves.
  for (const RegisteredDevice& device : existing(description.record.id))
    description.registered.push_back(limited<CORBA::Object>(parts_.orb, device.reference, kAttributeLimit));
  add(description, node, before);
}

void Nodes::register_again(const std::string& id, const ObjectRef& node) {
  std::optional<NodeDescription> described;
  {
    const std::lock_guard lock(changing_);
    const auto found = described_.find(id);
    if (found != described_.end()) described = found->second;
  }
  if (!described) return register_node(limited<CF::DeviceManager>(node, kAttributeLimit));
  std::vector<char> exist(described->devices.size());
  run_concurrently(exist.size(),
                   [&](std::size_t i) { exist[i] = is_there(described->devices[i].record.reference); });
  std::size_t next = 0;
  std::erase_if(described->devices, [&](const DeviceDescription&) { return !exist[next++]; });
  add(*described, node, parts_.model.devices());
}

std::vector<RegisteredDevice> Nodes::existing(const std::string& node) const {
  std::vector<RegisteredDevice> devices = parts_.model.devices();
  std::erase_if(devices, [&](const RegisteredDevice& device) { return device.node != node; });
  std::vector<char> exist(devices.size());
  run_concurrently(devices.size(), [&](std::size_t i) { exist[i] = is_there(devices[i].reference); });
  std::size_t next = 0;
  std::erase_if(devices, [&](const RegisteredDevice&) { return !exist[next++]; });
  return devices;
}

bool Nodes::is_there(const std::string& reference) const {
  try {
    return exists(reference);
  } catch (const CORBA::Exception&) {
    return false;
  }
}

NodeDescription Nodes::recorded(const Node& node) const {
  NodeDescription description;
  description.record = node;
  description.files = limited<CF::FileSystem>(parts_.orb, node.files, kAttributeLimit);
  for (const RegisteredDevice& device : existing(node.id)) description.devices.push_back({device, {}});
  for (const Service& service : parts_.model.services())
    if (service.node == node.id) description.services.push_back(service);
  return description;
}

void Nodes::add(const NodeDescription& description, const ObjectRef& node,
                const std::vector<RegisteredDevice>& before) {
  const Node& record = description.record;
  const auto present = parts_.model.node(record.id);
  if (present && is_another_that_exists(node, present->reference)) {
    parts_.log.problem("node '" + record.id +
                       "' is registered already, and runs: another device manager of this identifier is "
                       "ignored; give each node an id of its own");
    return;
  }
  // A node that is registered again, be it after a restart of the domain manager, keeps its applications.
  if (!record.is_sca41 && !description.missing_profile.empty() &&
      !(present && is(node, present->reference))) {
    parts_.log.problem("node '" + record.id + "' cannot be registered: its profile " +
                       description.missing_profile + " does not exist in its file system, or cannot be read");
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
    if (auto done = put(description); !done) raise_as_exception(done.error());
    watch_.watch(record.id, node);
    node_profiles_[record.id] = description.profile;
    remember(description);
    for (const DeviceDescription& device : description.devices)
      if (auto done = put(device, replaced); !done) parts_.log.problem(done.error().message);
    for (const Service& service : description.services)
      if (auto done = put(service); !done) parts_.log.problem(done.error().message);
    // Devices that ended while the domain manager did not run.
    for (const RegisteredDevice& device : before) {
      const auto& registered = description.registered;
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
  for (const std::string& problem : description.problems)
    parts_.log.problem("node '" + record.id + "': " + problem);
  if (!replaced.empty()) lost_(replaced, "a device of node '" + record.label + "' has ended");
  std::vector<std::string> devices;
  for (const DeviceDescription& device : description.devices) devices.push_back(device.record.id);
  registered_(devices);
  connections_.add(record.id, description.profile);
  connections_.connect(record.id);
}

void Nodes::remember(const NodeDescription& node) {
  if (!node.record.is_sca41) {
    described_.erase(node.record.id);
    return;
  }
  // Those of nodes that were lost, and have not answered again.
  if (described_.size() >= DomainModel::kMaxNodes)
    std::erase_if(described_, [&](const auto& each) { return !parts_.model.node(each.first); });
  described_[node.record.id] = node;
}

Result<void> Nodes::put(const NodeDescription& node) {
  const auto before = parts_.model.node(node.record.id);
  if (node.files) {
    if (auto mounted = mount(node.record, node.files); !mounted) return mounted;
  }
  if (auto stored = parts_.model.put(node.record); !stored) {
    if (!before) unmount(node.record.id);
    return stored;
  }
  if (before) return {};
  parts_.log.event("node '" + node.record.id + "' (" + node.record.label + ") is registered");
  parts_.channels.added(Category::DEVICE_MANAGER, node.record.id, node.record.label,
                        limited<CORBA::Object>(parts_.orb, node.record.reference, kAttributeLimit));
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
    files_.mount_fixed(point, files);
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
  std::string problem;
  try {
    // A label does not hide files of the domain, or of clients.
    if (files_.exists(point)) {
      problem = "there is such a file or mount";
    } else {
      files_.mount_fixed(point, files);
      mounts_[node].push_back(point);
    }
  } catch (const CORBA::Exception& e) {  // the folder of the domain cannot be read
    problem = e.what();
  }
  if (!problem.empty())
    parts_.log.problem("the file system of node '" + node + "' is not mounted at " + point +
                       ", too: " + problem);
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
      files_.unmount_fixed(point);
    } catch (const CF::FileManager::NonExistentMount&) {
    }
  }
  mounts_.erase(mounted);
}

bool Nodes::drop(const std::string& id, const std::string& reason, const ObjectRef& node) {
  std::vector<std::string> devices;
  std::vector<Service> services;
  std::string label;
  {
    const std::lock_guard lock(changing_);
    const auto record = parts_.model.node(id);
    if (!record || (node && !is(node, record->reference))) return true;
    label = record->label;
    std::vector<RegisteredDevice> dropped = parts_.model.devices();
    std::erase_if(dropped, [&](const RegisteredDevice& device) { return device.node != id; });
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
    for (const RegisteredDevice& device : dropped) {
      profiles_.remove(device.id);
      parts_.channels.removed(Category::DEVICE, device.id, device.label);
      devices.push_back(device.id);
    }
    parts_.channels.removed(Category::DEVICE_MANAGER, id, label);
    if (reason == kUnregistered) described_.erase(id);
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
  if (!services.empty()) connections_.connect_to_others();
  return true;
}

void Nodes::unregister_node(const NodeRef& node) {
  if (!node) throw CF::InvalidObjectReference("the device manager is nil");
  const auto record = find(node);
  if (!record) throw CF::InvalidObjectReference("the device manager is not registered");
  remove_node(record->id);
}

void Nodes::remove_node(const std::string& id) {
  watch_.forget(id);
  if (!drop(id, kUnregistered))
    throw DomainManager::UnregisterError(CF::ErrorNumberType::CF_EIO, "the state cannot be stored");
}

bool Nodes::unregister(const std::string& id) {
  if (parts_.model.node(id)) {
    remove_node(id);
  } else if (const auto device = parts_.model.device(id)) {
    remove_device(*device);
  } else if (parts_.model.service(id)) {
    remove_service(id);
  } else {
    return false;
  }
  return true;
}

void Nodes::recover() {
  const std::vector<Node> nodes = parts_.model.nodes();
  run_concurrently(nodes.size(), [&](std::size_t i) {
    std::string reason = "it did not exist any more when the domain manager was started";
    try {
      if (exists(nodes[i].reference)) {
        const ObjectRef node = limited<CORBA::Object>(parts_.orb, nodes[i].reference, kAttributeLimit);
        nodes[i].is_sca41 ? register_node(recorded(nodes[i]), node)
                          : register_node(node_of(nodes[i].reference));
        return;
      }
    } catch (const std::exception& e) {
      reason += std::string(" (") + e.what() + ")";
    }
    drop(nodes[i].id, reason);
  });
}

}  // namespace orbweaver::sca
