// A node as SCA 4.1 sees it: devices of 4.1 register with it, and it registers with a domain manager of 4.1.
#include "sca/node/device_manager41.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Device41C.h"
#include "sca/device/device_servant41.h"
#include "sca/files/testing/served_folder.h"
#include "sca/node/domain_link.h"
#include "sca/node/testing/fake_domain.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;
using testing::TestOrb;
using Type = CF::ComponentEnumType;

/// The device manager of a node with one device, as a client of 4.1 sees it.
struct Node41 {
  Node41() {
    auto loaded = load_node(ORBWEAVER_NODE_PROFILES "/node.dcd.xml");
    EXPECT_TRUE(loaded) << loaded.error().message;
    node = std::move(*loaded);
    DeviceManagerOptions options;
    options.id = "node";
    options.profile = "/node.dcd.xml";
    options.component_ids["executable_device"] = "executable_device";
    options.profiles["executable_device"] = "/orbweaver-device.spd.xml";
    options.files = make_file_system(folder.path().string(), orb.poa);
    servant = CORBA::make_reference<DeviceManagerServant>(
        node, options, orb.orb, [](const std::string&) {}, [this] { is_shut_down = true; });
    object = orb.poa->id_to_reference(
        orb.poa->activate_object(CORBA::make_reference<DeviceManagerServant41>(servant)));
    servant->set_sca41_object(object);
    manager = IDL::traits<framework::DeviceManager41>::narrow(client.use<CORBA::Object>(object));
  }
  /// A device of this process, which is one of both editions.
  CORBA::servant_reference<ExecutableDeviceServant> make_device(const std::string& id) {
    DeviceOptions options;
    options.id = id;
    options.cache_folder = folder.path(id).string();
    options.limit_group = false;
    DeviceEvents events;
    events.failed = [](const std::string&) {};
    auto device = CORBA::make_reference<ExecutableDeviceServant>(options, events, orb.poa);
    device->set_sca41_object(
        orb.poa->id_to_reference(orb.poa->activate_object(CORBA::make_reference<DeviceServant41>(device))));
    return device;
  }
  /// What the device registers.
  static CF::ComponentType description(const CORBA::servant_reference<ExecutableDeviceServant>& device) {
    return {device->identifier(), {}, Type::EXECUTABLE_DEVICE_COMPONENT, device->getPort("SCA41"), {}, {}};
  }
  std::string error_of(const CF::ComponentType& component) {
    try {
      manager->registerComponent(component);
    } catch (const CF::ComponentRegistry::RegisterError& e) {
      return e.msg();
    }
    return "";
  }

  TemporaryFolder folder;
  TestOrb orb, client;
  NodeConfiguration node;
  std::atomic<bool> is_shut_down{false};
  CORBA::servant_reference<DeviceManagerServant> servant;
  IDL::traits<CORBA::Object>::ref_type object;
  IDL::traits<framework::DeviceManager41>::ref_type manager;
};

TEST(DeviceManager41, RegistersDevicesOf41AndInitializesThem) {
  Node41 node;
  const auto device = node.make_device("executable_device");
  EXPECT_THAT(node.manager->deployedComponents(), IsEmpty());
  node.manager->registerComponent(Node41::description(device));
  const CF::Components components = node.manager->deployedComponents();
  ASSERT_EQ(components.size(), 1u);
  EXPECT_EQ(components[0].identifier(), "executable_device");
  EXPECT_EQ(components[0].profile(), "/orbweaver-device.spd.xml");
  EXPECT_EQ(components[0].type(), Type::EXECUTABLE_DEVICE_COMPONENT);
  EXPECT_TRUE(components[0].componentObject()->_is_a("IDL:CF/ExecutableInterface:1.0"));
  std::string manager;
  ASSERT_TRUE(components[0].specializedInfo().at(0).value() >>= manager);
  EXPECT_EQ(manager, "node");
  EXPECT_THAT(node.servant->registeredDevices(), IsEmpty()) << "it is no CF::Device";
  CF::Properties limit{CF::DataType("cache_limit_mb", CORBA::Any())};
  device->query(limit);
  EXPECT_EQ(text_of(limit[0].value()), "4096") << "as its PRF has configured it";
  node.manager->unregisterComponent("executable_device");
  EXPECT_THAT(node.manager->deployedComponents(), IsEmpty());
  EXPECT_THROW(node.manager->unregisterComponent("executable_device"),
               CF::FullComponentRegistry::UnregisterError);
}

TEST(DeviceManager41, DoesNotUnregisterADeviceThatTheDomainHasRejected) {
  Node41 node;
  const auto registry = CORBA::make_reference<testing::FakeRegistry>();
  registry->reject("executable_device");
  DomainAddress address;
  address.reference = node.client.orb->object_to_string(
      node.client.poa->id_to_reference(node.client.poa->activate_object(registry)));
  DomainLink link(node.orb.orb, address, *node.servant, {nullptr, node.object}, [](const std::string&) {});
  const auto device = node.make_device("executable_device");
  const auto has_registered = [&](std::size_t components) {
    return becomes_true([&] { return registry->components().size() == components; });
  };
  node.manager->registerComponent(Node41::description(device));
  ASSERT_TRUE(has_registered(2)) << "the node, and the device";
  node.manager->unregisterComponent("executable_device");
  registry->reject("");
  // The link unregisters what has gone before it registers what has come.
  node.manager->registerComponent(Node41::description(node.make_device("executable_device")));
  ASSERT_TRUE(has_registered(3));
  EXPECT_THAT(registry->unregistered(), IsEmpty()) << "the registry has one of another node";
  node.manager->unregisterComponent("executable_device");
  EXPECT_TRUE(becomes_true([&] { return !registry->unregistered().empty(); }));
  EXPECT_THAT(registry->unregistered(), ElementsAre("executable_device"));
}

TEST(DeviceManager41, ShowsADeviceOf222ByItsObjectOf41) {
  Node41 node;
  const auto device = node.make_device("executable_device");
  node.servant->registerDevice(
      IDL::traits<CF::Device>::narrow(node.orb.poa->id_to_reference(node.orb.poa->activate_object(device))));
  EXPECT_EQ(node.servant->registeredDevices().size(), 1u);
  const CF::Components components = node.manager->deployedComponents();
  ASSERT_EQ(components.size(), 1u);
  EXPECT_TRUE(components[0].componentObject()->_is_a("IDL:CF/ExecutableInterface:1.0"));
}

TEST(DeviceManager41, RejectsWhatItsDcdDoesNotHave) {
  Node41 node;
  EXPECT_THAT(node.error_of(Node41::description(node.make_device("other"))),
              HasSubstr("'other', which the DCD does not have"));
  const auto device = node.make_device("executable_device");
  CF::ComponentType nothing = Node41::description(device);
  nothing.componentObject(nullptr);
  EXPECT_THROW(node.manager->registerComponent(nothing), CF::InvalidObjectReference);
  CF::ComponentType component = Node41::description(device);
  component.type(Type::APPLICATION_COMPONENT);
  EXPECT_THAT(node.error_of(component), HasSubstr("is no device or service"));
  EXPECT_EQ(node.error_of(Node41::description(device)), "");
  EXPECT_EQ(node.error_of(Node41::description(device)), "") << "the same device";
  EXPECT_THAT(node.error_of(Node41::description(node.make_device("executable_device"))),
              HasSubstr("registers a second time"));
}

TEST(DeviceManager41, DescribesItselfWithItsFilesAndIsShutDown) {
  Node41 node;
  EXPECT_EQ(node.manager->identifier(), "node");
  EXPECT_TRUE(node.servant->getPort("SCA41")->_is_equivalent(node.object));
  const CF::ComponentType self = component_type(*node.servant, node.object);
  EXPECT_EQ(self.type(), Type::DEVICE_MANAGER_COMPONENT);
  EXPECT_EQ(self.profile(), "/node.dcd.xml");
  CF::ManagerInfo info;
  ASSERT_TRUE(self.specializedInfo().at(0).value() >>= info);
  EXPECT_TRUE(info.fileSys());
  EXPECT_THROW(node.manager->configure({CF::DataType("none", any_of("ulong", "1"))}),
               CF::PropertySet::InvalidConfiguration);
  node.manager->shutdown();
  EXPECT_TRUE(node.is_shut_down);
}

}  // namespace
}  // namespace orbweaver::sca
