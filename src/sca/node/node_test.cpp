#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "sca/node/node_server.h"
#include "sca/node/testing/node_process.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using platform::testing::becomes_true;
using testing::FakeDomain;
using ::testing::HasSubstr;
using testing::joins;
using testing::NodeProcess;
using ::testing::Not;
using testing::TemporaryFolder;

TEST(Node, RegistersItsDeviceWithTheDomain) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  node.until("all its devices and services are registered with the domain");
  ASSERT_EQ(domain.manager->devices().size(), 1u);
  const auto manager = domain.manager->managers().at(0);
  EXPECT_EQ(manager->label(), "left");
  EXPECT_EQ(manager->identifier(), "DCE:orbweaver.node:left");
  EXPECT_EQ(manager->deviceConfigurationProfile(), "/node.dcd.xml");
  EXPECT_EQ(manager->registeredDevices().size(), 1u);
  EXPECT_EQ(manager->getComponentImplementationId("executable_device:left"), "process");
  const auto device = domain.device();
  EXPECT_EQ(device->identifier(), "executable_device:left");
  EXPECT_EQ(device->label(), "executable_device");
  EXPECT_TRUE(manager->fileSys()->exists(device->softwareProfile()));
}

TEST(Node, ExecutesPrograms) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  EXPECT_TRUE(domain.device()->allocateCapacity({{"memory_mb", any_of("ulong", "1")}}));
  const std::int32_t process = domain.execute("echo it runs; exec sleep 1000");
  node.until("it runs");
  EXPECT_TRUE(node.runs(3)) << "node, device and program";
  domain.device()->terminate(process);
  EXPECT_TRUE(node.runs(2));
  EXPECT_TRUE(domain.ended().empty());
}

TEST(Node, ReportsAProcessThatHasEnded) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const std::int32_t process = domain.execute("exit 3");
  ASSERT_TRUE(becomes_true([&] { return domain.ended().size() == 1; }));
  const auto ended = domain.ended().at(0);
  EXPECT_EQ(ended.device_id(), "executable_device:left");
  EXPECT_EQ(ended.process_id(), process);
  EXPECT_EQ(ended.description(), "exited with status 3");
}

TEST(Node, ExecutesSharedLibrariesOfACollocationInOneProcess) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  fs::copy(ORBWEAVER_TEST_MODULE, domain.folder.path("filter.so"));
  const auto device = domain.device();
  device->load(domain.files, "/filter.so", CF::LoadableDevice::LoadType::SHARED_LIBRARY);
  const auto execute = [&](const std::string& name, const std::string& collocation,
                           const std::string& option = "PROCESS_COLLOCATION") {
    return device->execute("/filter.so", {{option, any_of("string", collocation)}},
                           {{"NAMING_CONTEXT_IOR", any_of("string", domain.naming())},
                            {"NAME_BINDING", any_of("string", name)},
                            {"COMPONENT_IDENTIFIER", any_of("string", name)}});
  };
  const auto identifier = [&](const std::string& name) -> std::string {
    try {
      return IDL::traits<CF::Resource>::narrow(domain.resolve(name))->identifier();
    } catch (const CORBA::Exception&) {
      return {};
    }
  };
  const std::int32_t process = execute("first", "together");
  EXPECT_EQ(execute("second", "together", "PROCESS_COLLOCATION_ID"), process) << "the earlier name";
  EXPECT_NE(execute("third", "alone"), process);
  for (const char* const name : {"first", "second", "third"})
    EXPECT_TRUE(becomes_true([&] { return identifier(name) == name; })) << name;
  device->terminate(process);
  EXPECT_EQ(identifier("second"), "second") << "the process ends with its last component";
  device->terminate(process);
  EXPECT_EQ(identifier("first"), "");
  EXPECT_EQ(identifier("third"), "third");
}

TEST(Node, UnregistersAndEndsItsProcesses) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  domain.execute("exec sleep 1000");
  node.signal(SIGTERM);
  EXPECT_EQ(node.end(), "exited with status 0");
  EXPECT_TRUE(domain.manager->managers().empty());
  EXPECT_TRUE(node.nothing_runs());
}

TEST(Node, GoesOnWhenNobodyReadsItsOutput) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const TemporaryFolder folder;
  // More than pipes hold. This test does not read it.
  domain.execute("yes 0123456789 | head -c 1000000; echo > " + folder.path("written").string() +
                 "; exec sleep 1000");
  ASSERT_TRUE(becomes_true([&] { return fs::exists(folder.path("written")); }));
  node.signal(SIGTERM);
  EXPECT_EQ(node.end(), "exited with status 0");
  EXPECT_TRUE(node.nothing_runs());
}

TEST(Node, EndsWhenItIsShutDown) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  domain.manager->managers().at(0)->shutdown();
  EXPECT_EQ(node.end(), "exited with status 0");
}

TEST(Node, LeavesNoProcessWhenItIsKilled) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  domain.execute("exec sleep 1000");
  EXPECT_TRUE(node.runs(3));
  node.signal(SIGKILL);
  EXPECT_EQ(node.end(), "killed by SIGKILL");
  EXPECT_TRUE(node.nothing_runs());
}

TEST(Node, ReportsADeviceThatTheDomainRejects) {
  FakeDomain domain;
  domain.begin();
  domain.manager->reject_devices("no room");
  NodeProcess node(domain);
  node.until("the domain manager rejects device 'executable_device:left': no room");
  node.signal(SIGTERM);
  node.until_its_end();
  EXPECT_THAT(node.output, Not(HasSubstr("are registered")));
}

TEST(Node, RegistersADeviceAgainAfterATimeout) {
  FakeDomain domain;
  domain.begin();
  domain.manager->time_out(2);
  NodeProcess node(domain);
  node.until("all its devices and services are registered with the domain");
  EXPECT_EQ(domain.manager->devices().size(), 1u);
}

TEST(Node, WaitsForItsDomain) {
  FakeDomain domain;
  NodeProcess node(domain);
  node.until("waits for its domain manager: 'orbweaver/orbweaver' is not bound");
  domain.begin();
  EXPECT_TRUE(joins(domain));
}

TEST(Node, JoinsANewDomainManager) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const std::int32_t process = domain.execute("exec sleep 1000");
  domain.end();
  node.until("the domain manager has ended");
  domain.begin();
  ASSERT_TRUE(joins(domain));
  EXPECT_EQ(domain.manager->managers().size(), 1u);
  EXPECT_EQ(kill(process, 0), 0) << "components go on";
}

TEST(Node, JoinsAgainWhenTheDomainDoesNotKnowIt) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const auto manager = domain.manager->managers().at(0);
  domain.manager->unregisterDevice(domain.manager->devices().at(0));
  domain.manager->unregisterDeviceManager(manager);
  EXPECT_TRUE(joins(domain));
}

TEST(Node, PassesChangesOfStatesToTheIncomingChannel) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const auto device = domain.device();
  const CF::Properties capacity{{"memory_mb", any_of("ulong", "1")}};
  ASSERT_TRUE(device->allocateCapacity(capacity));
  device->adminState(CF::Device::AdminType::LOCKED);
  device->deallocateCapacity(capacity);
  using Category = StandardEvent::StateChangeCategoryType;
  using State = StandardEvent::StateChangeType;
  ASSERT_TRUE(becomes_true([&] { return domain.changes().size() == 4; }));
  const std::vector<std::tuple<Category, State, State>> expected = {
      {Category::USAGE_STATE_EVENT, State::IDLE, State::ACTIVE},
      {Category::ADMINISTRATIVE_STATE_EVENT, State::UNLOCKED, State::SHUTTING_DOWN},
      {Category::USAGE_STATE_EVENT, State::ACTIVE, State::IDLE},
      {Category::ADMINISTRATIVE_STATE_EVENT, State::SHUTTING_DOWN, State::LOCKED}};
  const auto changes = domain.changes();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& change = changes[i];
    EXPECT_EQ(std::tuple(change.stateChangeCategory(), change.stateChangeFrom(), change.stateChangeTo()),
              expected[i])
        << i;
    EXPECT_EQ(change.producerId(), "executable_device:left");
    EXPECT_EQ(change.sourceId(), "executable_device:left");
  }
}

TEST(Node, WritesFailuresOfItsOperationsToTheLogOfTheDomain) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const auto manager = domain.manager->managers().at(0);
  EXPECT_THROW(manager->registerDevice(nullptr), CF::InvalidObjectReference);
  EXPECT_TRUE(domain.has_alarm("node 'left': registerDevice has failed: the reference is nil"));
  services::LightweightLog other(domain.orb.poa);
  const auto port = IDL::traits<CF::Port>::narrow(manager->getPort("Log"));
  ASSERT_TRUE(port);
  port->connectPort(other.reference(), "c1");
  EXPECT_THROW(manager->unregisterService(nullptr, "clock"), CF::InvalidObjectReference);
  EXPECT_TRUE(becomes_true([&] { return other.read(0, 10).size() == 1; }));
  const services::LogEntry record = other.read(0, 1).at(0);
  EXPECT_EQ(record.data, "node 'left': unregisterService has failed: the reference is nil");
  EXPECT_EQ(record.producer_id, "DCE:orbweaver.node:left");
  EXPECT_EQ(record.producer_name, "left");
}

TEST(Node, GoesOnWithoutADeviceThatDies) {
  FakeDomain domain;
  domain.begin();
  NodeProcess node(domain);
  ASSERT_TRUE(joins(domain));
  const std::string now = domain.folder.path("now").string();
  const std::int32_t process =
      domain.execute("while [ ! -e " + now + " ]; do sleep 0.01; done; kill -9 $PPID; exec sleep 1000");
  domain.folder.write("now", "");  // after the device has replied
  node.until("killed by SIGKILL: the node goes on without it");
  EXPECT_TRUE(becomes_true([&] { return domain.manager->devices().empty(); }));
  EXPECT_EQ(domain.manager->managers().size(), 1u);
  EXPECT_TRUE(becomes_true([&] { return kill(process, 0) != 0; })) << "a component ends with its device";
}

TEST(NodeServer, RemovesThePortsOfEndpoints) {
  EXPECT_EQ(without_ports("shm,unix,tcp:0.0.0.0:4711,tcp:[::1]:4711,tcp"),
            "shm,unix,tcp:0.0.0.0:0,tcp:[::1]:0,tcp");
}

}  // namespace
}  // namespace orbweaver::sca
