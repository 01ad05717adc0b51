// Nodes, devices and services register with the domain manager.
#include "sca/cf222/testing/domain_fixture.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(DomainTest, RegistersANodeWithItsDevicesAndFiles) {
  join();
  ASSERT_EQ(client->deviceManagers().size(), 1u);
  EXPECT_TRUE(client->deviceManagers()[0]->_is_equivalent(node->manager()));
  EXPECT_TRUE(use(client->fileMgr())->exists("/orbweaver/label-of-node-1/gpp.spd.xml"));
  EXPECT_TRUE(use(client->fileMgr())->exists("/label-of-node-1/gpp.spd.xml")) << "the same";
  EXPECT_TRUE(use(client->fileMgr())->exists("/chain.sad.xml"));
  node->devices[0]->set("cores", "ulong", "7");
  const auto devices = domain->domain.devices();
  ASSERT_EQ(devices.size(), 1u);
  const CandidateDevice& device = devices[0].candidate;
  EXPECT_EQ(device.id, "node-1/gpp");
  EXPECT_TRUE(device.executes);
  EXPECT_EQ(device.closed, "");
  EXPECT_EQ(device.platform.system, "Linux");
  ASSERT_EQ(device.properties.size(), 3u);
  EXPECT_EQ(device.properties[1].action, MatchAction::external);
  EXPECT_EQ(device.properties[2].value, "7") << "the present value";
  node->devices[0]->adminState(CF::Device::AdminType::LOCKED);
  EXPECT_EQ(domain->domain.devices()[0].candidate.closed, "is locked");
}

TEST_F(DomainTest, RejectsWhatIsNoNodeOrDevice) {
  EXPECT_THROW(client->registerDeviceManager(nullptr), CF::InvalidObjectReference);
  EXPECT_THROW(client->registerDevice(use(node->device()), use(node->manager())),
               CF::DomainManager::DeviceManagerNotRegistered);
  EXPECT_THROW(client->unregisterDeviceManager(use(node->manager())), CF::InvalidObjectReference);
  join();
  EXPECT_THROW(client->registerDevice(nullptr, use(node->manager())), CF::InvalidObjectReference);
  node->folder.write("gpp.spd.xml", "<softpkg/>");
  EXPECT_THROW(client->registerDevice(use(node->device()), use(node->manager())), CF::InvalidProfile);
  EXPECT_EQ(domain->model->devices().size(), 1u);
}

TEST_F(DomainTest, RejectsANodeWhoseProfilesDoNotExist) {
  for (const char* const file : {"clock.spd.xml", "node.dcd.xml"}) {
    std::filesystem::remove(node->folder.path(file));
    EXPECT_THROW(join(), CF::InvalidProfile) << file;
    EXPECT_THAT(client->deviceManagers(), IsEmpty());
    EXPECT_EQ(use(client->fileMgr())->getMounts().size(), 1u);
    EXPECT_TRUE(has_logged(domain->domain, std::string("its profile /") + file + " does not exist",
                           CosLwLog::FAILURE_ALARM));
  }
  write_dcd(node->folder, "node-1/gpp");
  join();
  EXPECT_EQ(client->deviceManagers().size(), 1u);
  const auto application = create();
  std::filesystem::remove(node->folder.path("node.dcd.xml"));
  start();
  EXPECT_EQ(client->deviceManagers().size(), 1u) << "it has been registered before";
  EXPECT_EQ(domain->model->applications().at(0).state, ApplicationState::stopped);
}

TEST_F(DomainTest, RejectsADeviceWithoutAllocationProperties) {
  join();
  const auto manager = use(node->manager());
  client->unregisterDevice(use(node->device()));
  const std::string properties = node->folder.content("xml/gpp.prf.xml");
  node->folder.write("xml/gpp.prf.xml",
                     "<properties><simple id=\"os_name\" type=\"string\"><value>Linux</value><kind "
                     "kindtype=\"configure\"/></simple></properties>");
  EXPECT_THROW(client->registerDevice(use(node->device()), manager), CF::InvalidProfile);
  EXPECT_TRUE(has_logged(domain->domain, "device 'node-1/gpp': its profile, /gpp.spd.xml, has no allocation",
                         CosLwLog::FAILURE_ALARM));
  EXPECT_THAT(domain->model->devices(), IsEmpty());
  client->registerDeviceManager(manager);
  EXPECT_THAT(domain->model->devices(), IsEmpty()) << "nor by registration of its node";
  node->folder.write("xml/gpp.prf.xml", properties);
  client->registerDevice(use(node->device()), manager);
  EXPECT_EQ(domain->model->devices().size(), 1u);
}

TEST_F(DomainTest, IgnoresASecondNodeOfTheIdentifierOfARunningOne) {
  join();
  TestNode other("node-1");
  client->registerDeviceManager(use(other.manager()));
  ASSERT_EQ(client->deviceManagers().size(), 1u);
  EXPECT_TRUE(client->deviceManagers()[0]->_is_equivalent(node->manager()));
  EXPECT_TRUE(has_logged(domain->domain, "node 'node-1' is registered already, and runs"));
  node.reset();
  client->registerDeviceManager(use(other.manager()));
  EXPECT_TRUE(client->deviceManagers().at(0)->_is_equivalent(other.manager()));
}

TEST_F(DomainTest, IgnoresASecondDeviceOrServiceOfTheIdentifierOfARunningOne) {
  join();
  const auto manager = use(node->manager());
  const auto registered = domain->model->device("node-1/gpp");
  auto second = std::make_optional<TestNode>("node-1");  // in another process
  client->registerDevice(use(second->device()), manager);
  EXPECT_EQ(domain->model->device("node-1/gpp"), registered);
  EXPECT_TRUE(has_logged(domain->domain, "device 'node-1/gpp' is registered already, and runs"));
  client->registerService(use(second->device()), manager, "clock");
  client->registerService(use(node->device()), manager, "clock");
  EXPECT_TRUE(domain->domain.find_service("clock")->_is_equivalent(second->device()));
  EXPECT_TRUE(has_logged(domain->domain, "service 'clock' is registered already, and runs"));
  client->unregisterDevice(use(node->device()));
  client->registerDevice(use(second->device()), manager);
  EXPECT_NE(domain->model->device("node-1/gpp"), registered);
  second.reset();  // those that have ended are replaced
  client->registerDevice(use(node->device()), manager);
  client->registerService(use(node->device()), manager, "clock");
  EXPECT_EQ(domain->model->device("node-1/gpp"), registered);
  EXPECT_TRUE(domain->domain.find_service("clock")->_is_equivalent(node->device()));
}

TEST_F(DomainTest, NoticesANodeThatHasEnded) {
  join();
  const auto application = create();
  node.reset();
  EXPECT_TRUE(becomes_true([&] { return application->state() == State::APPLICATION_FAILED; }));
  EXPECT_THAT(application->failure(), HasSubstr("node 'label-of-node-1' is lost"));
  EXPECT_THAT(client->deviceManagers(), IsEmpty());
  EXPECT_THAT(domain->model->devices(), IsEmpty());
  EXPECT_EQ(use(client->fileMgr())->getMounts().size(), 1u) << "that of the domain";
  EXPECT_THAT(message_of([&] { application->start(); }), HasSubstr("the application has failed: node"));
  application->releaseObject();
  EXPECT_THAT(client->applications(), IsEmpty());
}

TEST_F(DomainTest, UnregistersDevicesAndNodes) {
  join();
  const auto application = create();
  client->unregisterDevice(use(node->device()));
  EXPECT_THAT(domain->model->devices(), IsEmpty());
  EXPECT_EQ(application->state(), State::APPLICATION_FAILED);
  client->registerDevice(use(node->device()), use(node->manager()));
  EXPECT_EQ(domain->model->devices().size(), 1u);
  client->unregisterDeviceManager(use(node->manager()));
  EXPECT_THAT(client->deviceManagers(), IsEmpty());
  EXPECT_THAT(domain->model->devices(), IsEmpty());
}

TEST_F(DomainTest, UndoesWhatAReleasedApplicationHasLeftWhenTheDeviceRegistersAgain) {
  join();
  const auto application = create();
  client->unregisterDeviceManager(use(node->manager()));
  application->releaseObject();
  EXPECT_THAT(client->applications(), IsEmpty());
  EXPECT_THAT(deployment.names_of_undeployed(), ElementsAre("rx"));
  ASSERT_EQ(domain->model->orphans().size(), 1u);
  const Application left = domain->model->orphans()[0];
  EXPECT_EQ(left.components.at(0).process, 4711);
  EXPECT_THAT(left.external_properties, IsEmpty());
  start();
  EXPECT_THAT(domain->model->orphans(), ElementsAre(left)) << "after a restart";
  join();
  EXPECT_TRUE(becomes_true([&] { return domain->model->orphans().empty(); }));
  EXPECT_THAT(deployment.names_of_undeployed(), ElementsAre("rx", "rx"));
}

TEST_F(DomainTest, RegistersServices) {
  join();
  client->registerService(use(node->device()), use(node->manager()), "clock");
  EXPECT_TRUE(domain->domain.find_service("clock")->_is_equivalent(node->device()));
  EXPECT_THROW(client->unregisterService(use(node->manager()), "clock"), CF::InvalidObjectReference);
  client->unregisterService(use(node->device()), "clock");
  EXPECT_FALSE(domain->domain.find_service("clock"));
}

TEST_F(DomainTest, RejectsWhatIsNoServiceAndNoRegisteredDevice) {
  const auto manager = use(node->manager());
  const auto device = use(node->device());
  EXPECT_THROW(client->registerService(device, manager, "clock"),
               CF::DomainManager::DeviceManagerNotRegistered);
  join();
  EXPECT_THROW(client->registerService(nullptr, manager, "clock"), CF::InvalidObjectReference);
  EXPECT_THROW(client->registerService(device, nullptr, "clock"), CF::InvalidObjectReference);
  EXPECT_THROW(client->unregisterService(nullptr, "clock"), CF::InvalidObjectReference);
  EXPECT_THROW(client->unregisterDevice(nullptr), CF::InvalidObjectReference);
  client->unregisterDevice(device);
  EXPECT_THROW(client->unregisterDevice(device), CF::InvalidObjectReference);
}

TEST_F(DomainTest, RaisesErrorsWhenItsStateCannotBeStored) {
  join();
  const auto manager = use(node->manager());
  const auto device = use(node->device());
  client->registerService(device, manager, "clock");
  disk.full = true;
  using CF::DomainManager;
  EXPECT_THROW(client->registerService(device, manager, "other"), DomainManager::RegisterError);
  EXPECT_THROW(client->unregisterService(device, "clock"), DomainManager::UnregisterError);
  EXPECT_THROW(client->unregisterDevice(device), DomainManager::UnregisterError);
  EXPECT_THROW(client->unregisterDeviceManager(manager), DomainManager::UnregisterError);
  EXPECT_EQ(domain->model->services().size(), 1u);
  EXPECT_EQ(domain->model->devices().size(), 1u);
  EXPECT_EQ(client->deviceManagers().size(), 1u);
  disk.full = false;
  client->unregisterDevice(device);
  disk.full = true;
  EXPECT_THROW(client->registerDevice(device, manager), DomainManager::RegisterError);
  EXPECT_THAT(domain->model->devices(), IsEmpty());
}

TEST_F(DomainTest, RejectsLongNamesOfServices) {
  join();
  const auto manager = use(node->manager());
  const std::string message =
      message_of([&] { client->registerService(use(node->device()), manager, std::string(2000, 'x')); });
  EXPECT_EQ(message, "a service: its name has more than 1024 octets");
  EXPECT_THAT(domain->model->services(), IsEmpty());
}

TEST_F(DomainTest, TakesDevicesWhosePropertiesAreNotUtf8) {
  node->folder.write("xml/gpp.prf.xml",
                     "<properties><simplesequence id=\"bands\" type=\"string\"><values><value>vhf</value>"
                     "</values><kind kindtype=\"allocation\"/><action type=\"eq\"/></simplesequence>"
                     "</properties>");
  join();
  node->devices[0]->configure({CF::DataType("bands", sequence_any(SimpleType{"string"}, {"uhf\xff"}))});
  const auto devices = domain->domain.devices();
  ASSERT_EQ(devices.size(), 1u);
  ASSERT_EQ(devices[0].candidate.properties.size(), 1u);
  EXPECT_EQ(devices[0].candidate.properties[0].value, "[\"uhf\xef\xbf\xbd\"]");
}

TEST_F(DomainTest, KnowsThePlatformOfADevice) {
  node->folder.write(
      "xml/gpp.prf.xml",
      "<properties><simple id=\"DCE:1\" name=\"os_name\" type=\"string\"><value>Linux</value><kind "
      "kindtype=\"allocation\"/><action type=\"eq\"/></simple><simple id=\"os_version\" "
      "type=\"string\"><kind kindtype=\"allocation\"/><action type=\"eq\"/></simple><simple "
      "id=\"processor_name\" type=\"string\"><kind kindtype=\"configure\"/></simple></properties>");
  node->devices[0]->set("os_version", "string", "6.1.0-13-amd64");
  node->devices[0]->set("processor_name", "string", "x86_64");
  join();
  const auto devices = domain->domain.devices();
  ASSERT_EQ(devices.size(), 1u);
  const Platform& platform = devices[0].candidate.platform;
  EXPECT_EQ(platform.system, "Linux");
  EXPECT_EQ(platform.version, "6.1.0-13-amd64");
  EXPECT_EQ(platform.processor, "x86_64");
}

TEST_F(DomainTest, AsksADeviceThatRejectsItsPropertiesAFewTimesOnly) {
  join();
  node->devices[0]->rejects_one_property = true;
  node->devices[0]->set("os_name", "string", "Linux");
  const auto devices = domain->domain.devices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].candidate.closed, "");
  EXPECT_LE(node->devices[0]->queries, 3);
}

TEST_F(DomainTest, HidesNoFilesOfTheDomainByTheLabelOfANode) {
  root.write("label-of-node-1/c.sh", "echo");
  join();
  const auto files = use(client->fileMgr());
  EXPECT_TRUE(files->exists("/label-of-node-1/c.sh"));
  EXPECT_FALSE(files->exists("/label-of-node-1/gpp.spd.xml"));
  EXPECT_TRUE(files->exists("/orbweaver/label-of-node-1/gpp.spd.xml"));
}

TEST_F(DomainTest, LetsClientsUnmountTheirOwnFileSystemsOnly) {
  join();
  const auto files = use(client->fileMgr());
  for (const char* point : {"/", "/label-of-node-1", "/orbweaver/label-of-node-1"})
    EXPECT_THROW(files->unmount(point), CORBA::NO_PERMISSION) << point;
  files->mount("/mine", use(node->manager()->fileSys()));
  files->unmount("/mine");
  client->unregisterDeviceManager(use(node->manager()));
  EXPECT_EQ(files->getMounts().size(), 1u) << "that of the domain";
}

TEST_F(DomainTest, RegistersANodeWhereverClientsHaveMountedFileSystems) {
  const auto files = use(client->fileMgr());
  const auto own = use(node->manager()->fileSys());
  for (const char* const point : {"/orbweaver", "/orbweaver/label-of-node-1"})
    EXPECT_THROW(files->mount(point, own), CORBA::NO_PERMISSION) << point;
  files->mount("/label-of-node-1", own);
  join();
  EXPECT_TRUE(files->exists("/orbweaver/label-of-node-1/gpp.spd.xml"));
  EXPECT_TRUE(
      has_logged(domain->domain, "is not mounted at /label-of-node-1, too: there is such a file or mount"));
}

TEST_F(DomainTest, RegistersNothingThatCannotBeStored) {
  disk.full = true;
  EXPECT_THAT(message_of([&] { join(); }), HasSubstr("no space"));
  EXPECT_THAT(client->deviceManagers(), IsEmpty());
  EXPECT_EQ(use(client->fileMgr())->getMounts().size(), 1u) << "that of the domain";
  disk.full = false;
  join();
  EXPECT_EQ(client->deviceManagers().size(), 1u);
}

}  // namespace
}  // namespace orbweaver::sca
