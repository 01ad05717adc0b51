#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CF41C.h"
#include "CFS.h"
#include "sca/cf/component_object.h"
#include "sca/device/device_properties.h"
#include "sca/profile/node_configuration.h"

namespace orbweaver::sca {

/// What a device manager is, besides its DCD.
struct DeviceManagerOptions {
  std::string id;
  std::string label;
  std::string profile;  ///< File name of the DCD in its file system.
  IDL::traits<CF::FileSystem>::ref_type files;
  /// Ids of the components, as their processes know them, by id in the DCD.
  std::map<std::string, std::string> component_ids;
  /// Implementations of the components, by id.
  std::map<std::string, std::string> implementations;
  /// File names of their SPDs in the file system of the node, by id.
  std::map<std::string, std::string> profiles = {};
  /// The uses port `Log`; nil: the device manager has no ports.
  IDL::traits<CORBA::Object>::ref_type log_port;
  /// Called with the reason of a registration, or its opposite, that fails: a text for the log. By any
  /// thread.
  std::function<void(const std::string&)> failed = [](const std::string&) {};
};

/// Servant of a CF::DeviceManager (SCA 2.2.2 3.1.3.2.4): the devices and services of a node. A device is
/// initialized and configured when it registers, and then ready for the domain. Any thread; no lock is held
/// during calls of other objects.
class DeviceManagerServant final : public virtual CORBA::servant_traits<CF::DeviceManager>::base_type {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using DeviceRef = IDL::traits<CF::Device>::ref_type;
  using Message = std::function<void(const std::string&)>;

  struct Device {
    std::string id;
    DeviceRef reference;  ///< Nil: it is a device of SCA 4.1.
    ObjectRef object41;   ///< In SCA 4.1. Nil: it is a device of SCA 2.2.2 only.
    CF::ComponentEnumType type = CF::ComponentEnumType::DEVICE_COMPONENT;
    bool ready = false;  ///< Initialized and configured.

    ObjectRef object() const { return reference ? ObjectRef(reference) : object41; }
  };
  struct Service {
    std::string name;
    ObjectRef reference;
  };
  /// The ready devices, and the services; `version` is another one after each change.
  struct Registrations {
    std::vector<Device> devices;
    std::vector<Service> services;
    std::uint64_t version = 0;
  };

  /// `node` outlives the servant. `message` prints one line about a device; called by any thread.
  DeviceManagerServant(const NodeConfiguration& node, DeviceManagerOptions options,
                       IDL::traits<CORBA::ORB>::ref_type orb, Message message,
                       std::function<void()> shutdown);

  std::string deviceConfigurationProfile() override { return options_.profile; }
  IDL::traits<CF::FileSystem>::ref_type fileSys() override { return options_.files; }
  std::string identifier() override { return options_.id; }
  std::string label() override { return options_.label; }
  CF::DeviceSequence registeredDevices() override;
  CF::DeviceManager::ServiceSequence registeredServices() override;
  void registerDevice(DeviceRef registeringDevice) override;
  void unregisterDevice(DeviceRef registeredDevice) override;
  void shutdown() override { shutdown_(); }
  void registerService(ObjectRef registeringService, const std::string& name) override;
  void unregisterService(ObjectRef unregisteringService, const std::string& name) override;
  std::string getComponentImplementationId(const std::string& componentInstantiationId) override;

  void configure(const CF::Properties& configProperties) override { properties_.configure(configProperties); }
  void query(CF::Properties& configProperties) override { properties_.query(configProperties); }
  ObjectRef getPort(const std::string& name) override;

  // For the object of the node in SCA 4.1.

  const std::string& id() const { return options_.id; }
  const std::string& profile() const { return options_.profile; }
  IDL::traits<CF::FileSystem>::ref_type files() const { return options_.files; }
  /// File name of the SPD of a device; empty: there is none of this id.
  std::string profile_of(const std::string& id) const;
  /// Before the node is called. There is one port, kSca41Port, which returns it.
  void set_sca41_object(ObjectRef object) { sca41_object_ = std::move(object); }
  /// Registers a device of SCA 4.1, as registerDevice() one of 2.2.2. The object is not nil.
  void register_device41(const std::string& id, CF::ComponentEnumType type, const ObjectRef& object);
  /// Unregisters the device of this id, or the service of this name. False if there is none.
  bool unregister(const std::string& id);

  /// Number of devices and services in the DCD.
  std::size_t declared() const { return node_.components.size(); }
  Registrations registrations() const;
  /// Waits until registrations().version is not `version`, or until wake(), at most `timeout_ms`.
  void wait_for_change(std::uint64_t version, int timeout_ms);
  void wake();
  /// A ready device, by its id in the DCD; empty if there is none.
  std::optional<Device> device(const std::string& id) const;
  bool has_service(const std::string& name) const;
  /// Forgets a device or service whose process has ended.
  void forget(const NodeComponent& component);

 private:
  std::vector<DeviceProperty> make_properties();
  const NodeComponent* find(const std::string& id) const;
  /// Prints a message about a rejected object, and raises InvalidObjectReference with it, as fail().
  [[noreturn]] void reject(const std::string& message) const;
  /// Writes a failure to the log, and raises InvalidObjectReference with its message.
  [[noreturn]] void fail(const std::string& message) const;
  /// Initializes and configures a device, and adds it. Raises InvalidObjectReference.
  void add(Device device, const ComponentObject& calls);
  void prepare(const ComponentObject& device, const NodeComponent& component) const;
  void changed_locked();

  const NodeConfiguration& node_;
  const DeviceManagerOptions options_;
  const IDL::traits<CORBA::ORB>::ref_type orb_;
  const Message message_;
  const std::function<void()> shutdown_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Device> devices_;          // by id
  std::map<std::string, ObjectRef> services_;      // by name
  std::map<std::string, std::string> configured_;  // values of properties, by id
  std::uint64_t version_ = 1;
  bool woken_ = false;
  ObjectRef sca41_object_;
  DeviceProperties properties_;
};

/// The properties of kind configure that a node sets in a device or service: the values of the DCD, otherwise
/// those of its PRF.
CF::Properties configuration_of(const NodeConfiguration& node, const NodeComponent& component);

}  // namespace orbweaver::sca
