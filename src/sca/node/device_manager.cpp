#include "sca/node/device_manager.h"

#include <chrono>
#include <utility>

#include "base/printable.h"
#include "sca/cf/sca41_port.h"
#include "sca/device/failure_log.h"
#include "sca/own_device/call_limit.h"
#include "sca/profile/property_values.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Of each call of a device that registers. A device that hangs keeps its own registration waiting only.
constexpr int kCallMs = 10'000;

std::string in_quotes(const std::string& text) { return "'" + printable(text, 200) + "'"; }

std::string first(const CF::StringSequence& messages) {
  return messages.empty() ? "" : printable(messages.front(), 400);
}

/// The object of a device of Orbweaver in SCA 4.1; nil if it has none.
IDL::traits<CORBA::Object>::ref_type sca41_object_of(const IDL::traits<CF::Device>::ref_type& device) {
  try {
    return device->getPort(kSca41Port);
  } catch (const CORBA::Exception&) {  // UnknownPort, or another one of a device without ports
    return nullptr;
  }
}

CF::ComponentEnumType type_of(const IDL::traits<CF::Device>::ref_type& device) {
  if (device->_is_a(CF::ExecutableDevice::_interface_id()))
    return CF::ComponentEnumType::EXECUTABLE_DEVICE_COMPONENT;
  return device->_is_a(CF::LoadableDevice::_interface_id()) ? CF::ComponentEnumType::LOADABLE_DEVICE_COMPONENT
                                                            : CF::ComponentEnumType::DEVICE_COMPONENT;
}

}  // namespace

CF::Properties configuration_of(const NodeConfiguration& node, const NodeComponent& component) {
  const PropertyFile& file = node.package_of(component).properties;
  CF::Properties properties;
  const auto add = [&](const auto& list) {
    for (const auto& property : list) {
      if (!property.configurable || property.read_only) continue;
      if (const auto value = configured_value(property, component.settings))
        properties.emplace_back(property.id, any_of(declared_type(property), *value));
    }
  };
  add(file.simple);
  add(file.sequences);
  add(file.structs);
  return properties;
}

DeviceManagerServant::DeviceManagerServant(const NodeConfiguration& node, DeviceManagerOptions options,
                                           IDL::traits<CORBA::ORB>::ref_type orb, Message message,
                                           std::function<void()> shutdown)
    : node_(node), options_(std::move(options)), orb_(std::move(orb)), message_(std::move(message)),
      shutdown_(std::move(shutdown)), properties_(make_properties()) {}

std::vector<DeviceProperty> DeviceManagerServant::make_properties() {
  std::vector<DeviceProperty> list;
  for (const SimpleProperty& property : node_.manager.properties.simple) {
    if (property.is_complex || property.type == PropertyType::utc_time) continue;
    std::string value = property.value.value_or(property.is_numeric() ? "0" : "");
    for (const PropertySetting& setting : node_.manager_settings) {
      if (setting.id == property.id && !property.is_none(setting.value)) value = setting.value;
    }
    const std::string id = property.id;
    configured_[id] = property.canonical(value);
    DeviceProperty made{id, std::string(type_name(property.type)),
                        [this, id] {
                          const std::lock_guard lock(mutex_);
                          return configured_.at(id);
                        },
                        nullptr};
    if (property.configurable && !property.read_only) {
      made.write = [this, id, &property](const std::string& text) {
        if (property.problem(text)) return false;
        const std::lock_guard lock(mutex_);
        configured_[id] = property.canonical(text);
        return true;
      };
    }
    list.push_back(std::move(made));
  }
  return list;
}

const NodeComponent* DeviceManagerServant::find(const std::string& id) const {
  for (const auto& [declared, used] : options_.component_ids) {
    if (used == id) return node_.find(declared);
  }
  return nullptr;
}

void DeviceManagerServant::reject(const std::string& message) const {
  message_(message);
  fail(message);
}

void DeviceManagerServant::fail(const std::string& message) const {
  options_.failed(message);
  throw CF::InvalidObjectReference(message);
}

CF::DeviceSequence DeviceManagerServant::registeredDevices() {
  CF::DeviceSequence list;
  for (const Device& device : registrations().devices)
    if (device.reference) list.push_back(device.reference);
  return list;
}

CF::DeviceManager::ServiceSequence DeviceManagerServant::registeredServices() {
  CF::DeviceManager::ServiceSequence list;
  for (const Service& service : registrations().services) list.emplace_back(service.reference, service.name);
  return list;
}

void DeviceManagerServant::registerDevice(DeviceRef registeringDevice) {
  if (!registeringDevice) fail("registerDevice has failed: the reference is nil");
  Device registered;
  DeviceRef device;
  try {
    device = with_call_limit<CF::Device>(orb_, registeringDevice, kCallMs);
    registered.id = device->identifier();
    registered.reference = registeringDevice;
    registered.object41 = sca41_object_of(device);
    registered.type = type_of(device);
  } catch (const CORBA::Exception& e) {
    reject(std::string("an object registers as a device and cannot be called: ") + e.what());
  }
  add(std::move(registered), ComponentObject(device));
}

void DeviceManagerServant::register_device41(const std::string& id, CF::ComponentEnumType type,
                                             const ObjectRef& object) {
  add({id, nullptr, object, type},
      ComponentObject::sca41(with_call_limit<CORBA::Object>(orb_, object, kCallMs)));
}

void DeviceManagerServant::add(Device registering, const ComponentObject& calls) {
  const std::string id = registering.id;
  const ObjectRef object = registering.object();
  const NodeComponent* const component = find(id);
  if (component == nullptr || !component->is_device)
    reject("a device registers as " + in_quotes(id) + ", which the DCD does not have: it is rejected");
  ObjectRef registered_before;
  {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = devices_.try_emplace(id, std::move(registering));
    if (!is_new) registered_before = found->second.object();
  }
  if (registered_before && registered_before->_is_equivalent(object)) return;
  if (registered_before) reject("device " + in_quotes(id) + " registers a second time: it is rejected");
  try {
    prepare(calls, *component);
  } catch (const CF::InvalidObjectReference&) {
    const std::lock_guard lock(mutex_);
    devices_.erase(id);
    throw;
  }
  const std::lock_guard lock(mutex_);
  const auto registered = devices_.find(id);  // gone if its process has ended meanwhile
  if (registered != devices_.end()) registered->second.ready = true;
  changed_locked();
}

void DeviceManagerServant::prepare(const ComponentObject& device, const NodeComponent& component) const {
  const std::string subject = "device " + in_quotes(component.id);
  try {
    device.initialize();
    const CF::Properties properties = configuration_of(node_, component);
    if (!properties.empty()) device.configure(properties);
    return;
  } catch (const CF::LifeCycle::InitializeError& e) {
    reject(subject + " cannot be initialized: " + first(e.errorMessages()));
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    reject(subject + " cannot be configured: " + printable(e.msg(), 400));
  } catch (const CF::PropertySet::PartialConfiguration& e) {
    const auto& invalid = e.invalidProperties();
    reject(subject + " cannot be configured: " +
           (invalid.empty() ? "" : "it rejects property " + in_quotes(invalid.front().id())));
  } catch (const CORBA::Exception& e) {
    reject(subject + " cannot be initialized and configured: " + e.what());
  }
}

void DeviceManagerServant::unregisterDevice(DeviceRef registeredDevice) {
  if (!registeredDevice) fail("unregisterDevice has failed: the reference is nil");
  {
    const std::lock_guard lock(mutex_);
    for (auto each = devices_.begin(); each != devices_.end(); ++each) {
      if (!each->second.reference || !each->second.reference->_is_equivalent(registeredDevice)) continue;
      devices_.erase(each);
      changed_locked();
      return;
    }
  }
  fail("unregisterDevice has failed: the device is not registered");
}

void DeviceManagerServant::registerService(ObjectRef registeringService, const std::string& name) {
  if (!registeringService) fail("registerService has failed: the reference is nil");
  bool is_declared = false;
  for (const NodeComponent& component : node_.components)
    is_declared = is_declared || (!component.is_device && component.name == name);
  if (!is_declared)
    reject("a service registers as " + in_quotes(name) + ", which the DCD does not have: it is rejected");
  ObjectRef registered_before;
  {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = services_.try_emplace(name, registeringService);
    if (is_new) changed_locked();
    if (!is_new) registered_before = found->second;
  }
  if (registered_before && registered_before->_is_equivalent(registeringService)) return;
  if (registered_before) reject("service " + in_quotes(name) + " registers a second time: it is rejected");
}

void DeviceManagerServant::unregisterService(ObjectRef unregisteringService, const std::string& name) {
  if (!unregisteringService) fail("unregisterService has failed: the reference is nil");
  {
    const std::lock_guard lock(mutex_);
    const auto found = services_.find(name);
    if (found != services_.end() && found->second->_is_equivalent(unregisteringService)) {
      services_.erase(found);
      changed_locked();
      return;
    }
  }
  fail("unregisterService has failed: the service is not registered under the name " + in_quotes(name));
}

bool DeviceManagerServant::unregister(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (devices_.erase(id) + services_.erase(id) == 0) return false;
  changed_locked();
  return true;
}

std::string DeviceManagerServant::profile_of(const std::string& id) const {
  const NodeComponent* const component = find(id);
  const auto found = options_.profiles.find(component != nullptr ? component->id : id);
  return found == options_.profiles.end() ? "" : found->second;
}

std::string DeviceManagerServant::getComponentImplementationId(const std::string& id) {
  const NodeComponent* const component = find(id);
  const auto found = options_.implementations.find(component != nullptr ? component->id : id);
  return found == options_.implementations.end() ? "" : found->second;
}

DeviceManagerServant::ObjectRef DeviceManagerServant::getPort(const std::string& name) {
  if (options_.log_port && name == LogPort::kName) return options_.log_port;
  if (name == kSca41Port && sca41_object_) return sca41_object_;
  throw CF::PortSupplier::UnknownPort();
}

DeviceManagerServant::Registrations DeviceManagerServant::registrations() const {
  const std::lock_guard lock(mutex_);
  Registrations all;
  for (const auto& [id, device] : devices_) {
    if (device.ready) all.devices.push_back(device);
  }
  for (const auto& [name, reference] : services_) all.services.push_back({name, reference});
  all.version = version_;
  return all;
}

void DeviceManagerServant::wait_for_change(std::uint64_t version, int timeout_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                    [&] { return woken_ || version_ != version; });
}

void DeviceManagerServant::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

std::optional<DeviceManagerServant::Device> DeviceManagerServant::device(const std::string& id) const {
  const auto used = options_.component_ids.find(id);
  const std::lock_guard lock(mutex_);
  const auto found = used == options_.component_ids.end() ? devices_.end() : devices_.find(used->second);
  if (found == devices_.end() || !found->second.ready) return std::nullopt;
  return found->second;
}

bool DeviceManagerServant::has_service(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return services_.contains(name);
}

void DeviceManagerServant::forget(const NodeComponent& component) {
  const auto used = options_.component_ids.find(component.id);
  const std::lock_guard lock(mutex_);
  if (component.is_device && used != options_.component_ids.end()) devices_.erase(used->second);
  if (!component.is_device) services_.erase(component.name);
  changed_locked();
}

void DeviceManagerServant::changed_locked() {
  ++version_;
  changed_.notify_all();
}

}  // namespace orbweaver::sca
