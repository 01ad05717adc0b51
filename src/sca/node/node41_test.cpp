#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "Device41C.h"
#include "sca/node/testing/node_process.h"

namespace orbweaver::sca {
namespace {

using testing::FakeDomain;
using testing::NodeProcess;
using testing::NodeProfiles;

/// The device that a node has registered, as one of SCA 4.1.
IDL::traits<::orbweaver::framework::ExecutableDevice41>::ref_type device41(
    const CF::ComponentType& component) {
  return IDL::traits<::orbweaver::framework::ExecutableDevice41>::narrow(component.componentObject());
}

const std::vector<std::string> kDomain41{"--name", "left", "--domain", "orbweaver/DomainManager41"};

TEST(Node41, RegistersWithADomainManagerOfSca41) {
  FakeDomain domain;
  const auto registry = domain.begin_registry();
  NodeProcess node(domain, kDomain41);
  node.until("all its devices and services are registered with the domain");
  const CF::Components components = registry->components();
  ASSERT_EQ(components.size(), 2u);
  EXPECT_EQ(components[0].identifier(), "DCE:orbweaver.node:left");
  EXPECT_EQ(components[0].type(), CF::ComponentEnumType::DEVICE_MANAGER_COMPONENT);
  CF::ManagerInfo info;
  ASSERT_TRUE(components[0].specializedInfo().at(0).value() >>= info);
  EXPECT_EQ(components[1].identifier(), "executable_device:left");
  EXPECT_EQ(components[1].type(), CF::ComponentEnumType::EXECUTABLE_DEVICE_COMPONENT);
  EXPECT_TRUE(info.fileSys()->exists(components[1].profile()));
  const auto device = device41(components[1]);
  domain.folder.write("program", "#!/bin/sh\necho it runs; exec sleep 1000\n");
  device->load(domain.files, "/program", CF::LoadableInterface::LoadType::EXECUTABLE);
  const auto execution = device->execute("/program", {}, {});
  node.until("it runs");
  device->terminate(execution);
  EXPECT_TRUE(node.runs(2));
  const auto manager =
      IDL::traits<::orbweaver::framework::DeviceManager41>::narrow(components[0].componentObject());
  EXPECT_EQ(manager->deployedComponents().size(), 1u);
  manager->shutdown();
  node.until_its_end();
  EXPECT_EQ(registry->unregistered(), std::vector<std::string>{"DCE:orbweaver.node:left"});
}

TEST(Node41, StartsDevicesOfSca41WithItsComponentRegistry) {
  FakeDomain domain;
  NodeProfiles profiles;
  profiles.replace("orbweaver-device.scd.xml", "<componenttype>executabledevice<",
                   "<componenttype>ExecutableDeviceComponent<");
  std::vector<std::string> arguments = kDomain41;
  arguments.push_back(profiles.folder.path("node.dcd.xml").string());
  {
    const auto registry = domain.begin_registry();
    NodeProcess node(domain, arguments);
    node.until("all its devices and services are registered with the domain");
    ASSERT_EQ(registry->components().size(), 2u);
    EXPECT_EQ(device41(registry->components()[1])->identifier(), "executable_device:left");
    node.signal(SIGTERM);
    node.until_its_end();
    EXPECT_EQ(node.end(), "exited with status 0");
  }
  domain.begin();
  arguments[3] = "orbweaver/orbweaver";
  NodeProcess node(domain, arguments);
  node.until("rejects device 'executable_device:left': it is a device of SCA 4.1, and the domain manager");
}

}  // namespace
}  // namespace orbweaver::sca
