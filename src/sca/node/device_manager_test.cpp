#include "sca/node/device_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/device/executable_device.h"
#include "sca/device/failure_log.h"
#include "sca/files/testing/served_folder.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;
using testing::TestOrb;

/// A device whose initialize() fails.
class FailingDevice : public virtual CORBA::servant_traits<CF::Device>::base_type {
 public:
  explicit FailingDevice(std::string id) : id_(std::move(id)) {}

  std::string identifier() override { return id_; }
  void initialize() override { throw CF::LifeCycle::InitializeError({"no antenna"}); }
  void releaseObject() override {}
  void runTest(std::uint32_t, CF::Properties&) override {}
  void configure(const CF::Properties&) override {}
  void query(CF::Properties&) override {}
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string&) override { return nullptr; }
  void start() override {}
  void stop() override {}
  CF::Device::UsageType usageState() override { return CF::Device::UsageType::IDLE; }
  CF::Device::AdminType adminState() override { return CF::Device::AdminType::UNLOCKED; }
  void adminState(CF::Device::AdminType) override {}
  CF::Device::OperationalType operationalState() override { return CF::Device::OperationalType::ENABLED; }
  std::string softwareProfile() override { return {}; }
  std::string label() override { return {}; }
  IDL::traits<CF::AggregateDevice>::ref_type compositeDevice() override { return nullptr; }
  bool allocateCapacity(const CF::Properties&) override { return false; }
  void deallocateCapacity(const CF::Properties&) override {}

 private:
  const std::string id_;
};

/// The device manager of a node with one device.
struct ManagedNode {
  explicit ManagedNode(const std::function<void(NodeConfiguration&)>& change = {}) {
    auto loaded = load_node(ORBWEAVER_NODE_PROFILES "/node.dcd.xml");
    EXPECT_TRUE(loaded) << loaded.error().message;
    node = std::move(*loaded);
    if (change) change(node);
    DeviceManagerOptions options;
    options.id = "node";
    options.component_ids["executable_device"] = "executable_device";
    options.implementations["executable_device"] = "process";
    options.failed = [this](const std::string& text) { failures.push_back(text); };
    options.log_port =
        orb.poa->id_to_reference(orb.poa->activate_object(CORBA::make_reference<LogPort>(log)));
    manager = CORBA::make_reference<DeviceManagerServant>(
        node, options, orb.orb, [this](const std::string& line) { messages.push_back(line); },
        [this] { is_shut_down = true; });
  }

  IDL::traits<CF::Device>::ref_type executable_device(const std::string& id) {
    DeviceOptions options;
    options.id = id;
    options.cache_folder = folder.path(std::to_string(++devices)).string();
    options.limit_group = false;
    return activate(CORBA::make_reference<ExecutableDeviceServant>(options, DeviceEvents{}, orb.poa));
  }
  template <class Servant>
  IDL::traits<CF::Device>::ref_type activate(const CORBA::servant_reference<Servant>& servant) {
    return IDL::traits<CF::Device>::narrow(orb.poa->id_to_reference(orb.poa->activate_object(servant)));
  }
  /// The message of the exception that registerDevice raises; "accepted" if it raises none.
  std::string registration(const IDL::traits<CF::Device>::ref_type& device) {
    try {
      manager->registerDevice(device);
      return "accepted";
    } catch (const CF::InvalidObjectReference& e) {
      return e.msg();
    }
  }

  TemporaryFolder folder;
  TestOrb orb;
  int devices = 0;
  NodeConfiguration node;
  std::vector<std::string> messages, failures;
  bool is_shut_down = false;
  FailureLog log{orb.orb, {}, {"node", "node"}};
  CORBA::servant_reference<DeviceManagerServant> manager;
};

TEST(DeviceManager, RegistersTheDevicesOfItsConfiguration) {
  ManagedNode managed;
  const auto device = managed.executable_device("executable_device");
  EXPECT_EQ(managed.registration(device), "accepted");
  ASSERT_EQ(managed.manager->registeredDevices().size(), 1u);
  EXPECT_TRUE(managed.manager->registeredDevices()[0]->_is_equivalent(device));
  EXPECT_THAT(managed.messages, IsEmpty());
  managed.manager->unregisterDevice(device);
  EXPECT_THAT(managed.manager->registeredDevices(), IsEmpty());
  EXPECT_THROW(managed.manager->unregisterDevice(device), CF::InvalidObjectReference);
}

TEST(DeviceManager, RejectsAForeignId) {
  ManagedNode managed;
  const std::string expected = "a device registers as 'other', which the DCD does not have: it is rejected";
  EXPECT_EQ(managed.registration(managed.executable_device("other")), expected);
  EXPECT_THAT(managed.messages, ElementsAre(expected));
}

TEST(DeviceManager, RejectsASecondRegistration) {
  ManagedNode managed;
  const auto first = managed.executable_device("executable_device");
  EXPECT_EQ(managed.registration(first), "accepted");
  const std::string expected = "device 'executable_device' registers a second time: it is rejected";
  EXPECT_EQ(managed.registration(managed.executable_device("executable_device")), expected);
  EXPECT_THAT(managed.messages, ElementsAre(expected));
  EXPECT_TRUE(managed.manager->registeredDevices().at(0)->_is_equivalent(first));
}

// SCA 2.2.2 3.1.3.2.4: a device that is registered is ignored.
TEST(DeviceManager, IgnoresADeviceThatIsRegistered) {
  ManagedNode managed;
  const auto device = managed.executable_device("executable_device");
  EXPECT_EQ(managed.registration(device), "accepted");
  const auto version = managed.manager->registrations().version;
  EXPECT_EQ(managed.registration(device), "accepted");
  EXPECT_EQ(managed.manager->registeredDevices().size(), 1u);
  EXPECT_EQ(managed.manager->registrations().version, version);
  EXPECT_THAT(managed.messages, IsEmpty());
}

TEST(DeviceManager, RejectsADeviceThatCannotBeInitialized) {
  ManagedNode managed;
  const auto device = managed.activate(CORBA::make_reference<FailingDevice>("executable_device"));
  EXPECT_EQ(managed.registration(device), "device 'executable_device' cannot be initialized: no antenna");
  EXPECT_THAT(managed.manager->registeredDevices(), IsEmpty());
  EXPECT_EQ(managed.registration(managed.executable_device("executable_device")), "accepted");
}

TEST(DeviceManager, RejectsNil) {
  ManagedNode managed;
  EXPECT_EQ(managed.registration(nullptr), "registerDevice has failed: the reference is nil");
  EXPECT_THROW(managed.manager->registerService(nullptr, "log"), CF::InvalidObjectReference);
}

TEST(DeviceManager, RejectsAServiceThatItsConfigurationDoesNotHave) {
  ManagedNode managed;
  EXPECT_THROW(managed.manager->registerService(managed.executable_device("x"), "log"),
               CF::InvalidObjectReference);
  EXPECT_THAT(managed.messages.at(0), HasSubstr("a service registers as 'log'"));
}

TEST(DeviceManager, RaisesAnExceptionForAServiceThatIsNotRegistered) {
  ManagedNode managed;
  EXPECT_THROW(managed.manager->unregisterService(managed.executable_device("x"), "log"),
               CF::InvalidObjectReference);
  EXPECT_THROW(managed.manager->unregisterService(nullptr, "log"), CF::InvalidObjectReference);
}

/// A service `clock` in the DCD.
void add_clock(NodeConfiguration& node) {
  NodeComponent clock;
  clock.id = "clock_1";
  clock.name = "clock";
  clock.is_device = false;
  node.components.push_back(clock);
}

TEST(DeviceManager, RegistersTheServicesOfItsConfiguration) {
  ManagedNode managed(add_clock);
  const auto clock = managed.executable_device("clock"), other = managed.executable_device("other");
  managed.manager->registerService(clock, "clock");
  managed.manager->registerService(clock, "clock");
  const auto services = managed.manager->registeredServices();
  ASSERT_EQ(services.size(), 1u) << "it is there once";
  EXPECT_EQ(services[0].serviceName(), "clock");
  EXPECT_TRUE(services[0].serviceObject()->_is_equivalent(clock));
  EXPECT_THROW(managed.manager->registerService(other, "clock"), CF::InvalidObjectReference);
  EXPECT_THROW(managed.manager->unregisterService(other, "clock"), CF::InvalidObjectReference);
  EXPECT_EQ(managed.manager->registeredServices().size(), 1u);
  managed.manager->unregisterService(clock, "clock");
  EXPECT_THAT(managed.manager->registeredServices(), IsEmpty());
  EXPECT_THROW(managed.manager->unregisterService(clock, "clock"), CF::InvalidObjectReference);
}

TEST(DeviceManager, ReportsFailuresOfItsOperations) {
  ManagedNode managed(add_clock);
  const auto device = managed.executable_device("other");
  const auto fails = [&](const std::string& text, const std::function<void()>& call) {
    managed.failures.clear();
    EXPECT_THROW(call(), CF::InvalidObjectReference) << text;
    EXPECT_THAT(managed.failures, ElementsAre(text));
  };
  auto& manager = *managed.manager;
  fails("registerDevice has failed: the reference is nil", [&] { manager.registerDevice(nullptr); });
  fails("a device registers as 'other', which the DCD does not have: it is rejected",
        [&] { manager.registerDevice(device); });
  fails("unregisterDevice has failed: the device is not registered",
        [&] { manager.unregisterDevice(device); });
  fails("registerService has failed: the reference is nil",
        [&] { manager.registerService(nullptr, "clock"); });
  fails("a service registers as 'log', which the DCD does not have: it is rejected",
        [&] { manager.registerService(device, "log"); });
  fails("unregisterService has failed: the service is not registered under the name 'clock'",
        [&] { manager.unregisterService(device, "clock"); });
}

TEST(DeviceManager, HasAUsesPortForLogs) {
  ManagedNode managed;
  EXPECT_TRUE(IDL::traits<CF::Port>::narrow(managed.manager->getPort("Log")));
  EXPECT_THROW(managed.manager->getPort("other"), CF::PortSupplier::UnknownPort);
}

TEST(DeviceManager, HasThePropertiesOfItsProfile) {
  ManagedNode managed([](NodeConfiguration& node) {
    SimpleProperty level;
    level.id = "level";
    level.type = PropertyType::uint32;
    level.configurable = true;
    level.value = "1";
    level.max = 9;
    SimpleProperty site = level;
    site.id = "site";
    site.type = PropertyType::string;
    site.read_only = true;
    site.value = "mast";
    node.manager.properties.simple = {level, site};
    node.manager_settings = {{"level", "0x2", {}}};
  });
  auto& manager = *managed.manager;
  const auto query = [&](const std::string& id) {
    CF::Properties one{{id, {}}};
    manager.query(one);
    return text_of(one.at(0).value()).value_or("none");
  };
  EXPECT_EQ(query("level"), "2") << "the value of the DCD";
  EXPECT_EQ(query("site"), "mast");
  CF::Properties all;
  manager.query(all);
  EXPECT_EQ(all.size(), 2u);
  EXPECT_THROW(query("other"), CF::UnknownProperties);
  manager.configure({{"level", any_of("ulong", "7")}});
  EXPECT_EQ(query("level"), "7");
  EXPECT_THROW(manager.configure({{"level", any_of("ulong", "10")}}), CF::PropertySet::InvalidConfiguration);
  EXPECT_THROW(manager.configure({{"site", any_of("string", "x")}}), CF::PropertySet::InvalidConfiguration);
  EXPECT_THROW(manager.configure({{"level", any_of("ulong", "8")}, {"site", any_of("string", "x")}}),
               CF::PropertySet::PartialConfiguration);
  EXPECT_EQ(query("level"), "8");
}

TEST(DeviceManager, TellsTheImplementationsOfItsComponents) {
  ManagedNode managed;
  EXPECT_EQ(managed.manager->getComponentImplementationId("executable_device"), "process");
  EXPECT_EQ(managed.manager->getComponentImplementationId("other"), "");
}

TEST(DeviceManager, ForgetsADeviceThatHasEnded) {
  ManagedNode managed;
  EXPECT_EQ(managed.registration(managed.executable_device("executable_device")), "accepted");
  const auto version = managed.manager->registrations().version;
  managed.manager->forget(managed.node.components[0]);
  EXPECT_THAT(managed.manager->registeredDevices(), IsEmpty());
  EXPECT_NE(managed.manager->registrations().version, version);
  EXPECT_EQ(managed.registration(managed.executable_device("executable_device")), "accepted");
}

TEST(DeviceManager, ConfiguresADeviceWithTheDefaultsOfItsProfile) {
  ManagedNode managed;
  const CF::Properties properties = configuration_of(managed.node, managed.node.components[0]);
  ASSERT_EQ(properties.size(), 1u);
  EXPECT_EQ(properties[0].id(), "cache_limit_mb");
  EXPECT_EQ(text_of(properties[0].value()), "4096");
}

}  // namespace
}  // namespace orbweaver::sca
