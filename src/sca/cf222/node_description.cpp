#include "sca/cf222/node_description.h"

#include <optional>
#include <utility>

#include "sca/cf/sca41_port.h"
#include "sca/cf222/remote_calls.h"
#include "sca/deployment/concurrently.h"

namespace orbweaver::sca {
namespace {

/// Limits of what a device manager tells.
constexpr std::size_t kMaxTextBytes = 1024;
constexpr std::size_t kMaxDevices = 1024;
constexpr std::size_t kMaxConnections = 1024;

Result<void> check_text(const char* what, const std::string& text) {
  if (text.empty()) return Error{ErrorKind::invalid, std::string("its ") + what + " is empty"};
  if (text.size() <= kMaxTextBytes) return {};
  return Error{ErrorKind::invalid,
               std::string("its ") + what + " has more than " + std::to_string(kMaxTextBytes) + " octets"};
}

std::string stringified(const IDL::traits<CORBA::Object>::ref_type& object) {
  return object->_get_orb()->object_to_string(object);
}

/// The reference of the object that stands for a device or device manager of Orbweaver in SCA 4.1; empty: it
/// has none.
std::string sca41_object(CF::PortSupplier& object) {
  try {
    const auto other = object.getPort(kSca41Port);
    return other ? stringified(other) : std::string();
  } catch (const CORBA::Exception&) {  // UnknownPort, or it does not have the operation
    return {};
  }
}

void take(std::vector<std::optional<Result<DeviceDescription>>>& described, NodeDescription& description) {
  for (auto& each : described) {
    if (*each) {
      description.devices.push_back(std::move(**each));
    } else {
      description.problems.push_back(each->error().message);
    }
  }
}

/// The description that `describe` returns, or an error if it throws what is no exception of a call: a device
/// whose answer cannot be used does not affect others.
template <class Describe>
Result<DeviceDescription> described_by(Describe describe) {
  try {
    return describe();
  } catch (const std::exception& e) {
    return Error{ErrorKind::invalid, std::string("a device cannot be described: ") + e.what()};
  }
}

void describe_devices(const CF::DeviceSequence& devices, NodeDescription& description) {
  std::vector<std::optional<Result<DeviceDescription>>> described(devices.size());
  run_concurrently(devices.size(), [&](std::size_t i) {
    described[i].emplace(
        described_by([&] { return describe_device(devices[i], description.record.id, description.files); }));
  });
  description.registered.assign(devices.begin(), devices.end());
  take(described, description);
}

/// Reads the DCD of a node.
void read_connections(NodeDescription& description) {
  if (auto profile = read_node_profile(description.files, description.record, description.missing_profile)) {
    std::vector<NodeConnection>& connections = profile->configuration.connections;
    if (connections.size() > kMaxConnections) {
      description.problems.push_back("its DCD has more than " + std::to_string(kMaxConnections) +
                                     " connections: the others are not made");
      connections.resize(kMaxConnections);
    }
    description.profile = std::make_shared<const NodeProfile>(std::move(*profile));
  } else {
    description.problems.push_back("the connections of its DCD are not made: " + profile.error().message);
  }
}

}  // namespace

Result<DeviceDescription> describe_device(const IDL::traits<CF::Device>::ref_type& device,
                                          const std::string& node,
                                          const IDL::traits<CF::FileSystem>::ref_type& files) {
  DeviceDescription description;
  RegisteredDevice& record = description.record;
  try {
    if (!device) return Error{ErrorKind::unavailable, "the reference of a device is nil"};
    const auto calls = limited<CF::Device>(device, kAttributeLimit);
    record.id = calls->identifier();
    record.label = calls->label();
    record.profile = calls->softwareProfile();
    record.executes = calls->_is_a(CF::ExecutableDevice::_interface_id());
    record.node = node;
    record.reference = stringified(device);
    record.sca41_object = sca41_object(*calls);
    for (const auto& [what, text] :
         {std::pair{"identifier", &record.id}, {"label", &record.label}, {"profile", &record.profile}}) {
      if (auto checked = check_text(what, *text); !checked)
        return Error{ErrorKind::invalid, "a device: " + checked.error().message};
    }
  } catch (const CORBA::Exception& e) {
    const auto* const system = dynamic_cast<const CORBA::SystemException*>(&e);
    return Error{ErrorKind::unavailable,
                 "a device" + (record.id.empty() ? "" : " ('" + record.id + "')") +
                     " cannot be called: " + (system != nullptr ? why(*system) : std::string(e._name()))};
  }
  auto profile = read_device_profile(files, record.profile);
  if (!profile) return Error{profile.error().kind, "device '" + record.id + "': " + profile.error().message};
  // SCA 2.2.2 3.1.3.2.3, registerDevice: its profile references allocation properties.
  if (!profile->has_allocation_properties)
    return Error{ErrorKind::invalid, "device '" + record.id + "': its profile, " + record.profile +
                                         ", has no allocation property; declare one in its PRF, by <kind "
                                         "kindtype=\"allocation\"/>"};
  description.profile = std::move(*profile);
  return description;
}

Result<DeviceDescription> describe_registered(RegisteredDevice record, const std::string& node,
                                              const IDL::traits<CF::FileSystem>::ref_type& files) {
  DeviceDescription description;
  for (const auto& [what, text] : {std::pair{"identifier", &record.id}, {"label", &record.label}}) {
    if (auto checked = check_text(what, *text); !checked)
      return Error{ErrorKind::invalid, "a device: " + checked.error().message};
  }
  if (record.profile.size() > kMaxTextBytes)
    return Error{ErrorKind::invalid, "device '" + record.id + "': the name of its profile has more than " +
                                         std::to_string(kMaxTextBytes) + " octets"};
  record.node = node;
  // A device that has told its allocation properties needs no profile.
  if (record.properties.empty() && !record.profile.empty() && files) {
    auto profile = read_device_profile(files, record.profile);
    if (!profile)
      return Error{profile.error().kind, "device '" + record.id + "': " + profile.error().message};
    description.profile = std::move(*profile);
  }
  description.record = std::move(record);
  return description;
}

Result<void> check_service_name(const std::string& name) {
  if (auto checked = check_text("name", name); !checked)
    return Error{ErrorKind::invalid, "a service: " + checked.error().message};
  return {};
}

Result<void> complete_registered(NodeDescription& description) {
  Node& record = description.record;
  if (auto checked = check_text("identifier", record.id); !checked) return checked;
  if (auto checked = check_text("label", record.label); !checked) return checked;
  if (record.profile.size() > kMaxTextBytes) record.profile.clear();  // only shown
  if (description.devices.size() > kMaxDevices || description.services.size() > kMaxDevices)
    return Error{ErrorKind::invalid,
                 "it has more than " + std::to_string(kMaxDevices) + " devices or services"};
  std::vector<DeviceDescription> devices(std::move(description.devices));
  std::vector<std::optional<Result<DeviceDescription>>> described(devices.size());
  run_concurrently(devices.size(), [&](std::size_t i) {
    described[i].emplace(described_by(
        [&] { return describe_registered(std::move(devices[i].record), record.id, description.files); }));
  });
  description.devices.clear();
  take(described, description);
  std::erase_if(description.services, [&](const Service& service) {
    const auto checked = check_service_name(service.name);
    if (!checked) description.problems.push_back(checked.error().message);
    return !checked;
  });
  if (description.files && !record.profile.empty()) read_connections(description);
  return {};
}

Result<NodeDescription> describe_node(const IDL::traits<CF::DeviceManager>::ref_type& node) {
  NodeDescription description;
  Node& record = description.record;
  CF::DeviceSequence devices;
  try {
    const auto calls = limited<CF::DeviceManager>(node, kAttributeLimit);
    record.id = calls->identifier();
    record.label = calls->label();
    record.profile = calls->deviceConfigurationProfile();
    record.reference = stringified(node);
    record.sca41_object = sca41_object(*calls);
    description.files = limited<CF::FileSystem>(calls->fileSys(), kAttributeLimit);
    if (!description.files) return Error{ErrorKind::unavailable, "its file system is nil"};
    devices = calls->registeredDevices();
    for (const CF::DeviceManager::ServiceType& service : calls->registeredServices()) {
      if (!service.serviceObject()) continue;
      if (auto checked = check_service_name(service.serviceName()); !checked) {
        description.problems.push_back(checked.error().message);
        continue;
      }
      description.services.push_back(
          {service.serviceName(), record.id, stringified(service.serviceObject())});
    }
  } catch (const CORBA::SystemException& e) {
    return Error{ErrorKind::unavailable, "it cannot be called: " + why(e)};
  } catch (const CORBA::Exception& e) {
    return Error{ErrorKind::unavailable, std::string("it raises ") + e._name()};
  }
  if (auto checked = check_text("identifier", record.id); !checked) return checked.take_error();
  if (auto checked = check_text("label", record.label); !checked) return checked.take_error();
  if (record.profile.size() > kMaxTextBytes) record.profile.clear();  // only shown
  if (devices.size() > kMaxDevices || description.services.size() > kMaxDevices)
    return Error{ErrorKind::invalid,
                 "it has more than " + std::to_string(kMaxDevices) + " devices or services"};
  describe_devices(devices, description);
  read_connections(description);
  return description;
}

}  // namespace orbweaver::sca
