// The domain manager with nodes and components of this process, each node in an ORB of its own. What is
// deployed is a test double; tests/domain has the real deployment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <thread>

#include "CosEventCommS.h"
#include "CosLwLogC.h"
#include "CosNamingS.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"
#include "sca/cf222/testing/test_domain.h"
#include "sca/domain/record_json.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using platform::testing::WaitingThread;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using State = framework::ApplicationState;

/// A domain manager with an ORB of its own, which can be ended and started again with the same state.
struct RunningDomain {
  RunningDomain(Disk& disk, const std::string& root, DeploymentFunctions functions,
                const NodeWatchOptions& watch)
      : naming(naming::make_naming_service(orb.poa)),
        model(std::move(*DomainModel::open(std::make_unique<DiskStore>(disk)))),
        domain(orb.orb, naming, *model, options(root, std::move(functions), watch)), manager(domain.start()) {
  }
  ~RunningDomain() { domain.end(); }

  static DomainOptions options(const std::string& root, DeploymentFunctions functions,
                               const NodeWatchOptions& watch) {
    DomainOptions options;
    options.root = root;
    options.functions = std::move(functions);
    options.watch = watch;
    return options;
  }
  std::string name_of_node() const { return model->nodes().empty() ? "" : model->nodes()[0].id; }

  TestOrb orb;
  naming::ContextExtRef naming;
  std::unique_ptr<DomainModel> model;
  Domain domain;
  Domain::DomainManagerRef manager;
};

struct DomainTest : ::testing::Test {
  DomainTest() : node(std::in_place, "node-1"), components("components", {}), deployment(components) {
    for (const auto& file : std::filesystem::directory_iterator(ORBWEAVER_SCA_TESTDATA))
      if (file.path().extension() == ".xml")
        std::filesystem::copy_file(file.path(), root.path(file.path().filename().string()));
    start();
  }

  /// The object as a client in another process sees it.
  template <class Interface>
  typename IDL::traits<Interface>::ref_type use(const CORBA::object_reference<Interface>& object) {
    return components.orb().use(object);
  }
  void start() {
    domain.reset();
    domain.emplace(disk, root.path().string(), deployment.functions(), watch);
    client = use(domain->manager);
  }
  void join() { client->registerDeviceManager(use(node->manager())); }
  IDL::traits<CF::ApplicationFactory>::ref_type install() {
    client->installApplication("/chain.sad.xml");
    return use(client->applicationFactories().at(0));
  }
  IDL::traits<framework::DomainApplication>::ref_type create(const std::string& name = "rx") {
    const auto factories = client->applicationFactories();
    const auto factory = factories.empty() ? install() : use(factories[0]);
    return IDL::traits<framework::DomainApplication>::narrow(use(factory->create(name, {}, {})));
  }

  TemporaryFolder root;
  Disk disk;
  /// Of the next start(). The load of the machine causes no time-out.
  NodeWatchOptions watch{std::chrono::milliseconds(10), std::chrono::minutes(2), 3};
  std::optional<TestNode> node;
  TestNode components;
  TestDeployment deployment;
  std::optional<RunningDomain> domain;
  Domain::DomainManagerRef client;
};

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
    return e.msg();
  } catch (const CF::DomainManager::ApplicationInstallationError& e) {
    return e.msg();
  } catch (const CF::DomainManager::RegisterError& e) {
    return e.msg();
  } catch (const CF::Resource::StartError& e) {
    return e.msg();
  } catch (const CORBA::Exception& e) {
    return e._name();
  }
  return "nothing";
}

// ---- nodes ----

/// Whether the log of a domain has a record that contains the text.
bool has_logged(Domain& domain, const std::string& text) {
  const auto log = IDL::traits<CosLwLog::Log>::narrow(domain.find_log(""));
  CosLwLog::RecordId next = log->get_record_id_from_time({});
  std::uint32_t count = 1000;
  const auto records = log->retrieve_records(next, count);
  return std::any_of(records.begin(), records.end(), [&](const CosLwLog::LogRecord& record) {
    return record.info().logData().find(text) != std::string::npos;
  });
}

TEST_F(DomainTest, IsBoundInTheNamingServiceWithItsChannels) {
  for (const char* name : {"orbweaver/DomainManager", "orbweaver/orbweaver"})
    EXPECT_TRUE(domain->naming->resolve_str(name)->_is_equivalent(domain->manager)) << name;
  EXPECT_TRUE(domain->naming->resolve_str("orbweaver/IDM_Channel"));
  EXPECT_TRUE(domain->naming->resolve_str("orbweaver/ODM_Channel"));
  EXPECT_EQ(client->identifier(), "orbweaver");
  domain->domain.end();
  for (const char* name : {"orbweaver/DomainManager", "orbweaver/orbweaver"})
    EXPECT_THROW(domain->naming->resolve_str(name), CosNaming::NamingContext::NotFound) << name;
}

TEST_F(DomainTest, RegistersANodeWithItsDevicesAndFiles) {
  join();
  ASSERT_EQ(client->deviceManagers().size(), 1u);
  EXPECT_TRUE(client->deviceManagers()[0]->_is_equivalent(node->manager()));
  EXPECT_TRUE(use(client->fileMgr())->exists("/label-of-node-1/gpp.spd.xml"));
  EXPECT_TRUE(use(client->fileMgr())->exists("/chain.sad.xml"));
  node->devices[0]->set("cores", "ulong", "7");
  const auto devices = domain->domain.devices();
  ASSERT_EQ(devices.size(), 1u);
  const CandidateDevice& device = devices[0].candidate;
  EXPECT_EQ(device.id, "node-1/gpp");
  EXPECT_TRUE(device.executes);
  EXPECT_EQ(device.closed, "");
  EXPECT_EQ(device.system, "Linux");
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

TEST_F(DomainTest, WritesFailuresOfOperationsToTheLog) {
  const auto fails = [&](const std::string& record, const std::function<void()>& call) {
    EXPECT_THROW(call(), CORBA::UserException) << record;
    EXPECT_TRUE(has_logged(domain->domain, record)) << record;
  };
  const auto manager = use(node->manager());
  fails("registerDeviceManager has failed: the device manager is nil",
        [&] { client->registerDeviceManager(nullptr); });
  fails("unregisterDeviceManager has failed: the device manager is not registered",
        [&] { client->unregisterDeviceManager(manager); });
  fails("registerDevice has failed: the device is nil", [&] { client->registerDevice(nullptr, manager); });
  fails("unregisterDevice has failed: the device is not registered",
        [&] { client->unregisterDevice(use(node->device())); });
  fails("registerService of clock has failed:", [&] { client->registerService(nullptr, manager, "clock"); });
  fails("unregisterService of clock has failed: service 'clock' is not registered",
        [&] { client->unregisterService(manager, "clock"); });
  fails("installApplication of /none.sad.xml has failed: /none.sad.xml: there is no such file",
        [&] { client->installApplication("/none.sad.xml"); });
  fails("uninstallApplication of DCE:none has failed:", [&] { client->uninstallApplication("DCE:none"); });
  join();
  const auto factory = install();
  fails("application '' cannot be created: the name of the application is empty",
        [&] { factory->create("", {}, {}); });
  deployment.asked = [](const DeploymentRequest&, DeploymentDomain&) {
    throw CF::ApplicationFactory::CreateApplicationRequestError(
        CF::DeviceAssignmentSequence{CF::DeviceAssignmentType("source_1", "nowhere")});
  };
  fails("application 'rx' cannot be created: it rejects the assignments source_1 on nowhere",
        [&] { factory->create("rx", {}, {}); });
  deployment.asked = [](const DeploymentRequest&, DeploymentDomain&) {
    throw CF::ApplicationFactory::InvalidInitConfiguration(
        CF::Properties{CF::DataType("gain", CORBA::Any())});
  };
  fails("application 'rx' cannot be created: it rejects the properties gain",
        [&] { factory->create("rx", {}, {}); });
}

TEST_F(DomainTest, NoticesANodeThatHasEnded) {
  join();
  const auto application = create();
  node.reset();
  EXPECT_TRUE(becomes_true([&] { return application->state() == State::APPLICATION_FAILED; }));
  EXPECT_THAT(application->failure(), HasSubstr("node 'label-of-node-1' is lost"));
  EXPECT_THAT(client->deviceManagers(), IsEmpty());
  EXPECT_THAT(domain->model->devices(), IsEmpty());
  EXPECT_FALSE(use(client->fileMgr())->exists("/label-of-node-1/gpp.spd.xml"));
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

TEST_F(DomainTest, RejectsLongNamesOfServices) {
  join();
  const auto manager = use(node->manager());
  const std::string message =
      message_of([&] { client->registerService(use(node->device()), manager, std::string(2000, 'x')); });
  EXPECT_EQ(message, "a service: its name has more than 1024 octets");
  EXPECT_THAT(domain->model->services(), IsEmpty());
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

TEST_F(DomainTest, RegistersNothingThatCannotBeStored) {
  disk.full = true;
  EXPECT_THAT(message_of([&] { join(); }), HasSubstr("no space"));
  EXPECT_THAT(client->deviceManagers(), IsEmpty());
  EXPECT_FALSE(use(client->fileMgr())->exists("/label-of-node-1/gpp.spd.xml"));
  disk.full = false;
  join();
  EXPECT_EQ(client->deviceManagers().size(), 1u);
}

// ---- DCDs ----

/// A uses port, which records its connections.
class TestPort final : public virtual CORBA::servant_traits<CF::Port>::base_type {
 public:
  void connectPort(IDL::traits<CORBA::Object>::ref_type, const std::string& id) override {
    const std::lock_guard lock(mutex_);
    connected_.insert(id);
    calls_.push_back("+" + id);
  }
  void disconnectPort(const std::string& id) override {
    on_disconnect();
    const std::lock_guard lock(mutex_);
    if (connected_.erase(id) == 0) throw CF::Port::InvalidPort(1, "no such connection");
    calls_.push_back("-" + id);
  }
  /// Called at the begin of disconnectPort().
  std::function<void()> on_disconnect = [] {};
  /// "+ID" for a connection that has been made, "-ID" for one that has been undone.
  std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> connected_;
  std::vector<std::string> calls_;
};

/// A DCD whose device has connections to the domain manager and to a service.
void write_dcd(const TemporaryFolder& folder, const std::string& device = "node-1/gpp") {
  folder.write("part.spd.xml",
               "<softpkg id=\"DCE:part\" name=\"part\" type=\"sca_non_compliant\"><author/><implementation "
               "id=\"i\"><code type=\"Executable\"><localfile name=\"part\"/></code><os "
               "name=\"Linux\"/></implementation></softpkg>");
  const auto connection = [&](const std::string& id, const std::string& finder) {
    return "<connectinterface id=\"" + id +
           "\"><usesport><usesidentifier>out</usesidentifier><componentinstantiationref "
           "refid=\"" +
           device + "\"/></usesport><findby><domainfinder " + finder + "/></findby></connectinterface>";
  };
  folder.write(
      "node.dcd.xml",
      "<deviceconfiguration id=\"DCE:node\"><devicemanagersoftpkg><localfile name=\"part.spd.xml\"/>"
      "</devicemanagersoftpkg><componentfiles><componentfile id=\"part\" type=\"SPD\"><localfile "
      "name=\"part.spd.xml\"/></componentfile></componentfiles><partitioning><componentplacement>"
      "<componentfileref refid=\"part\"/><componentinstantiation id=\"" +
          device +
          "\">"
          "</componentinstantiation></componentplacement></partitioning><connections>" +
          connection("to_domain", "type=\"domainmanager\"") +
          connection("to_service", "type=\"servicename\" name=\"clock\"") +
          "</connections><domainmanager><namingservice name=\"orbweaver/orbweaver\"/></domainmanager>"
          "</deviceconfiguration>");
}

std::vector<std::string> undone(TestPort& port) {
  std::vector<std::string> calls = port.calls();
  std::erase_if(calls, [](const std::string& call) { return call[0] != '-'; });
  return calls;
}

TEST_F(DomainTest, MakesTheConnectionsOfADcdWhenTheirEndsAreThere) {
  write_dcd(node->folder);
  const auto port = CORBA::make_reference<TestPort>();
  node->devices[0]->set_port("out", node->activate(port));
  join();
  EXPECT_THAT(port->calls(), ElementsAre("+to_domain"));
  const auto clock = use(node->activate(CORBA::make_reference<TestComponent>("clock")));
  client->registerService(clock, use(node->manager()), "clock");
  EXPECT_THAT(port->calls(), ElementsAre("+to_domain", "+to_service"));
  client->unregisterService(clock, "clock");
  EXPECT_THAT(port->calls(), ElementsAre("+to_domain", "+to_service", "-to_service"));
  client->registerService(clock, use(node->manager()), "clock");
  EXPECT_EQ(port->calls().back(), "+to_service") << "it has waited for the service";
  client->unregisterDevice(use(node->device()));
  EXPECT_THAT(undone(*port), ElementsAre("-to_service", "-to_domain", "-to_service")) << "all of the device";
  client->registerDevice(use(node->device()), use(node->manager()));
  client->unregisterDeviceManager(use(node->manager()));
  EXPECT_THAT(undone(*port), ::testing::SizeIs(5)) << "both were made again";
}

TEST_F(DomainTest, MakesTheConnectionsOfADcdAgainAfterARestart) {
  write_dcd(node->folder);
  const auto port = CORBA::make_reference<TestPort>();
  node->devices[0]->set_port("out", node->activate(port));
  join();
  start();
  EXPECT_THAT(port->calls(), ElementsAre("+to_domain", "-to_domain", "+to_domain"));
}

TEST_F(DomainTest, RegistersANodeAgainWhenItsLossHasBeenTold) {
  // A port of another node, which is disconnected from a service of the lost one, replies late.
  TestNode other("node-2");
  write_dcd(other.folder, "node-2/gpp");
  const auto port = CORBA::make_reference<TestPort>();
  std::binary_semaphore reached(0), may_go_on(0);
  other.devices[0]->set_port("out", other.activate(port));
  client->registerDeviceManager(use(other.manager()));
  join();
  client->registerService(use(node->device()), use(node->manager()), "clock");
  port->on_disconnect = [&] {
    reached.release();
    may_go_on.acquire();
  };
  node.reset();
  reached.acquire();
  node.emplace("node-1");
  WaitingThread joining([&] { join(); });
  EXPECT_TRUE(joining.waits());
  EXPECT_FALSE(domain->model->device("node-1/gpp")) << "an application on it would be taken for a lost one";
  may_go_on.release();
  joining.join();
  const auto application = create();
  EXPECT_EQ(application->state(), State::APPLICATION_STOPPED) << application->failure();
  EXPECT_EQ(client->deviceManagers().size(), 2u);
}

TEST_F(DomainTest, SaysWhyAConnectionOfADcdCannotBeMade) {
  node->folder.write("node.dcd.xml", "<deviceconfiguration>");
  join();
  EXPECT_TRUE(has_logged(domain->domain, "the connections of its DCD are not made: /node.dcd.xml:1:"));
  client->unregisterDeviceManager(use(node->manager()));
  write_dcd(node->folder);
  join();
  EXPECT_TRUE(has_logged(domain->domain, "connection 'to_domain' of node 'node-1' cannot be made: "));
}

// ---- assemblies in the file system of a node ----

struct NodeAssembly : DomainTest {
  NodeAssembly() {
    for (const auto& file : std::filesystem::directory_iterator(root.path()))
      std::filesystem::copy_file(file.path(), node->folder.path(file.path().filename().string()));
    join();
    deployment.asked = [this](const DeploymentRequest& request, DeploymentDomain& in) {
      code = in.file_name(request.assembly.packages.at(0).implementations.at(0).file);
    };
  }
  const std::string name = "/label-of-node-1/chain.sad.xml";
  std::string code;  ///< The name of a component's code when an application is created.
};

TEST_F(NodeAssembly, IsInstalledAndCreated) {
  client->installApplication(name);
  const auto factory = use(client->applicationFactories().at(0));
  EXPECT_EQ(factory->softwareProfile(), name);
  factory->create("rx", {}, {});
  EXPECT_THAT(code, ::testing::StartsWith("/label-of-node-1/"));
}

TEST_F(NodeAssembly, IsReadAgainAfterARestart) {
  client->installApplication(name);
  start();
  use(client->applicationFactories().at(0))->create("rx", {}, {});
  EXPECT_THAT(code, ::testing::StartsWith("/label-of-node-1/"));
}

TEST_F(NodeAssembly, IsRejectedWithTheNamesOfItsFilesThere) {
  node->folder.write("bad.sad.xml", "<softwareassembly>");
  EXPECT_THAT(message_of([&] { client->installApplication("/label-of-node-1/bad.sad.xml"); }),
              ::testing::StartsWith("/label-of-node-1/bad.sad.xml:1:"));
  EXPECT_THROW(client->installApplication("/label-of-node-1/none.sad.xml"), CF::InvalidFileName);
  EXPECT_THROW(client->installApplication("/label-of-node-2/chain.sad.xml"), CF::InvalidFileName);
}

TEST_F(NodeAssembly, HasLimitedProfiles) {
  std::string files;
  for (int i = 0; i < 1100; ++i)
    files += "<componentfile id=\"f" + std::to_string(i) + "\"><localfile name=\"" + std::to_string(i) +
             ".spd.xml\"/></componentfile>";
  node->folder.write("many.sad.xml", "<softwareassembly id=\"many\"><componentfiles>" + files +
                                         "</componentfiles></softwareassembly>");
  EXPECT_THAT(message_of([&] { client->installApplication("/label-of-node-1/many.sad.xml"); }),
              HasSubstr("names more than 1024 profiles"));
}

// ---- applications ----

TEST_F(DomainTest, InstallsApplications) {
  const auto factory = install();
  EXPECT_EQ(factory->softwareProfile(), "/chain.sad.xml");
  EXPECT_THROW(client->installApplication("/chain.sad.xml"), CF::DomainManager::ApplicationAlreadyInstalled);
  EXPECT_THROW(client->installApplication("/none.sad.xml"), CF::InvalidFileName);
  EXPECT_THROW(client->installApplication("../chain.sad.xml"), CF::InvalidFileName);
  EXPECT_THAT(message_of([&] { client->installApplication("/filter.spd.xml"); }),
              HasSubstr("filter.spd.xml:"));
  client->uninstallApplication(factory->identifier());
  EXPECT_THROW(client->uninstallApplication("DCE:chain"), CF::DomainManager::InvalidIdentifier);
  EXPECT_THROW(factory->name(), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(DomainTest, InstallsNoFileOutsideItsRoot) {
  const TemporaryFolder elsewhere;
  namespace fs = std::filesystem;
  fs::copy_file(root.path("chain.sad.xml"), elsewhere.path("secret.sad.xml"));
  fs::create_symlink(elsewhere.path("secret.sad.xml"), root.path("out.sad.xml"));
  fs::create_directory_symlink(elsewhere.path(), root.path("folder"));
  fs::create_directory(root.path("sub"));
  fs::create_directory_symlink("../.." / fs::canonical(root.path()).filename(), root.path("sub/back"));
  for (const char* const name : {"/out.sad.xml", "/folder/secret.sad.xml", "/sub/back/chain.sad.xml"})
    EXPECT_THAT(message_of([&] { client->installApplication(name); }),
                HasSubstr("a symbolic link leads out of the folder of --root"))
        << name;
  fs::create_symlink(root.path("chain.sad.xml"), root.path("in.sad.xml"));
  client->installApplication("/in.sad.xml");
}

TEST_F(DomainTest, CreatesApplications) {
  join();
  const auto application = create("rx");
  EXPECT_EQ(application->name(), "rx");
  EXPECT_EQ(application->profile(), "/chain.sad.xml");
  EXPECT_EQ(application->componentNamingContexts().at(0).elementId(), "orbweaver/rx/source_1");
  EXPECT_EQ(application->componentProcessIds().at(0).processId(), 4711u);
  EXPECT_EQ(application->componentDevices().at(0).assignedDeviceId(), "node-1/gpp");
  EXPECT_EQ(application->componentImplementations().at(0).elementId(), "x86");
  EXPECT_EQ(client->applications().size(), 1u);
  application->start();
  EXPECT_EQ(deployment.components[0]->started, 1);
  EXPECT_EQ(application->state(), State::APPLICATION_STARTED);
  application->stop();
  EXPECT_EQ(application->state(), State::APPLICATION_STOPPED);
  application->releaseObject();
  EXPECT_THAT(deployment.undeployed, ElementsAre("rx"));
  EXPECT_THAT(client->applications(), IsEmpty());
  EXPECT_THROW(application->name(), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(DomainTest, PassesPropertiesToControllerAndExternalOnes) {
  join();
  const auto application = create();
  CORBA::Any three = any_of("ulong", "3"), four = any_of("ulong", "4");
  application->configure({CF::DataType("rate", three), CF::DataType("volume", four)});
  CF::Properties properties{CF::DataType("volume", CORBA::Any()), CF::DataType("rate", CORBA::Any())};
  application->query(properties);
  EXPECT_EQ(text_of(properties[0].value()), "4");
  EXPECT_EQ(text_of(properties[1].value()), "3");
  CF::Properties of_component{CF::DataType("gain", CORBA::Any())};
  deployment.components[0]->query(of_component);
  EXPECT_EQ(text_of(of_component[0].value()), "4") << "under its own id";
  CF::Properties unknown{CF::DataType("nothing", CORBA::Any())};
  EXPECT_THROW(application->query(unknown), CF::UnknownProperties);
  EXPECT_THROW(application->getPort("nothing"), CF::PortSupplier::UnknownPort);
}

TEST_F(DomainTest, KeepsNoTraceOfAnApplicationThatCannotBeCreated) {
  const auto factory = install();
  EXPECT_EQ(message_of([&] { factory->create("rx", {}, {}); }), "no device");
  EXPECT_THAT(domain->model->applications(), IsEmpty());
  join();
  disk.full = true;
  EXPECT_THAT(message_of([&] { factory->create("rx", {}, {}); }), HasSubstr("no space"));
  disk.full = false;
  factory->create("rx", {}, {});
  EXPECT_THAT(message_of([&] { factory->create("rx", {}, {}); }), HasSubstr("exists already"));
}

TEST_F(DomainTest, CreatesOnlyOneOfTheApplicationsOfOneNameAtATime) {
  join();
  const auto factory = install();
  std::atomic<int> created = 0, rejected = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      TestOrb orb;
      const auto own = orb.use(factory);
      try {
        own->create(i % 2 == 0 ? "same" : "other " + std::to_string(i), {}, {});
        ++created;
      } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
        if (e.errorNumber() == CF::ErrorNumberType::CF_EEXIST) ++rejected;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(created, 5);
  EXPECT_EQ(rejected, 3);
  EXPECT_EQ(client->applications().size(), 5u);
}

TEST_F(DomainTest, UndoesACreationDuringWhichANodeIsLost) {
  join();
  deployment.during = [&](const Application& record) {
    std::jthread([&] { node.reset(); }).join();  // not in an upcall
    becomes_true([&] { return domain->model->devices().empty(); });
    EXPECT_THAT(client->applications(), IsEmpty()) << record.name << " is listed before it exists";
    // A deployment that waits for the component to register ends at once.
    EXPECT_TRUE(becomes_true([&] {
      const std::string end = domain->domain.process_end(record.components[0].device, 4711);
      return end.find("was lost with its device: ") == 0;
    }));
  };
  EXPECT_THAT(message_of([&] { create(); }),
              HasSubstr("device 'node-1/gpp' of component 'source_1:rx' is lost"));
  EXPECT_THAT(deployment.undeployed, ElementsAre("rx"));
  EXPECT_THAT(domain->model->applications(), IsEmpty());
}

TEST_F(DomainTest, KeepsAnApplicationWhoseFailedCreationCouldNotBeUndone) {
  join();
  deployment.during = [](const Application&) {  // the stored record has a process
    throw CF::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_EIO, "cannot be terminated");
  };
  EXPECT_EQ(message_of([&] { create(); }), "cannot be terminated");
  ASSERT_EQ(client->applications().size(), 1u);
  const auto left = IDL::traits<framework::DomainApplication>::narrow(use(client->applications()[0]));
  EXPECT_EQ(left->state(), State::APPLICATION_FAILED);
  EXPECT_THAT(left->failure(), HasSubstr("could not be undone"));
  left->releaseObject();
  EXPECT_THAT(deployment.undeployed, ElementsAre("rx"));
  EXPECT_THAT(domain->model->applications(), IsEmpty());
}

TEST_F(DomainTest, KeepsAnApplicationWhoseReleaseIsIncompleteUntilTheNextRelease) {
  join();
  const auto application = create();
  deployment.left = {"device 'gpp' does not answer"};
  EXPECT_THROW(application->releaseObject(), CF::LifeCycle::ReleaseError);
  EXPECT_EQ(application->state(), State::APPLICATION_FAILED);
  EXPECT_THROW(application->releaseObject(), CF::LifeCycle::ReleaseError);
  EXPECT_THAT(client->applications(), IsEmpty());
}

TEST_F(DomainTest, RejectsNamesOfApplicationsThatAreNoPrintableText) {
  join();
  const auto factory = install();
  for (const std::string& name : {std::string(300, 'x'), std::string("a\nb"), std::string("caf\xe9")})
    EXPECT_THAT(message_of([&] { factory->create(name, {}, {}); }), HasSubstr("give it another one"));
  EXPECT_THAT(disk.records, ::testing::SizeIs(3)) << "a node, a device and the installed application";
}

// ---- names ----

/// A naming context of a client, which always has a binding.
class EndlessContext final : public virtual CORBA::servant_traits<CosNaming::NamingContext>::base_type {
 public:
  using Name = CosNaming::Name;
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
  void bind(const Name&, ObjectRef) override {}
  void rebind(const Name&, ObjectRef) override {}
  void bind_context(const Name&, ContextRef) override {}
  void rebind_context(const Name&, ContextRef) override {}
  ObjectRef resolve(const Name&) override { return nullptr; }
  void unbind(const Name&) override { ++unbound; }
  ContextRef new_context() override { return nullptr; }
  ContextRef bind_new_context(const Name&) override { return nullptr; }
  void destroy() override {}
  void list(std::uint32_t, CosNaming::BindingList& bindings,
            IDL::traits<CosNaming::BindingIterator>::ref_type&) override {
    bindings.emplace_back(Name{CosNaming::NameComponent("x", "")}, CosNaming::BindingType::nobject);
  }

  std::atomic<int> unbound = 0;
};

CosNaming::Name name(const std::string& id) { return {CosNaming::NameComponent(id, "")}; }

TEST_F(DomainTest, LeavesContextsAloneThatComponentsHaveBound) {
  const auto context = IDL::traits<CosNaming::NamingContext>::narrow(domain->domain.naming_context("rx"));
  context->bind_context(name("root"), domain->naming);
  domain->domain.remove_naming_context("rx");
  EXPECT_TRUE(domain->naming->resolve_str("orbweaver/orbweaver")) << "the root has not been emptied";
  EXPECT_THROW(domain->naming->resolve_str("orbweaver/rx"), CosNaming::NamingContext::NotFound);
}

TEST_F(DomainTest, RemovesNoMoreBindingsOfAContextThanItsLimit) {
  const auto servant = CORBA::make_reference<EndlessContext>();
  const auto context = IDL::traits<CosNaming::NamingContext>::narrow(components.activate(servant));
  const CosNaming::Name in_domain{CosNaming::NameComponent("orbweaver", ""),
                                  CosNaming::NameComponent("rx", "")};
  domain->naming->rebind_context(in_domain, domain->orb.use(context));
  domain->domain.remove_naming_context("rx");
  EXPECT_THROW(domain->naming->resolve_str("orbweaver/rx"), CosNaming::NamingContext::NotFound);
  EXPECT_GT(servant->unbound, 0);
}

TEST_F(DomainTest, SaysThatTheNameOfAnApplicationIsThatOfAnotherObject) {
  try {
    domain->domain.naming_context("Log");
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_THAT(e.what(), HasSubstr("another object is bound to the name 'Log'"));
  }
}

// ---- end ----

TEST_F(DomainTest, EndsAfterTheRequestsInService) {
  join();
  const auto factory = install();
  std::binary_semaphore reached(0), may_go_on(0);
  std::atomic<bool> has_ended = false, ended_before = false;
  deployment.during = [&](const Application&) {
    reached.release();
    may_go_on.acquire();
    ended_before = has_ended.load();
  };
  std::jthread creation([&] { EXPECT_TRUE(factory->create("rx", {}, {})); });
  reached.acquire();
  std::jthread end([&] {
    domain->domain.end();
    has_ended = true;
  });
  TestOrb other;  // whose requests do not wait behind the creation
  const auto manager = other.use(domain->manager);
  const auto is_closed = [&] {
    try {
      manager->identifier();
      return false;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      return true;
    }
  };
  EXPECT_TRUE(becomes_true(is_closed));
  may_go_on.release();
  creation.join();
  end.join();
  EXPECT_FALSE(ended_before);
  EXPECT_EQ(domain->model->applications().at(0).state, ApplicationState::stopped);
}

// ---- events ----

TEST_F(DomainTest, FailsTheApplicationOfAProcessThatHasEnded) {
  join();
  const auto application = create();
  const auto channel = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(
      use(domain->naming->resolve_str("orbweaver/IDM_Channel")));
  const auto consumer = channel->for_suppliers()->obtain_push_consumer();
  consumer->connect_push_supplier(nullptr);
  const auto push = [&](std::int32_t process) {
    CORBA::Any event;
    event <<= framework::ProcessEnded("node-1/gpp", process, "killed by SIGSEGV");
    consumer->push(event);
  };
  push(1);
  push(4711);
  EXPECT_TRUE(becomes_true([&] { return application->state() == State::APPLICATION_FAILED; }));
  EXPECT_EQ(application->failure(), "component 'source_1:rx' has ended: killed by SIGSEGV");
  EXPECT_EQ(domain->domain.process_end("node-1/gpp", 1), "killed by SIGSEGV");
}

class Consumer final : public virtual CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  void push(const CORBA::Any& event) override {
    StandardEvent::DomainManagementObjectAddedEventType added;
    StandardEvent::DomainManagementObjectRemovedEventType removed;
    const std::lock_guard lock(mutex_);
    if (event >>= added) events_.push_back("+" + added.sourceId());
    if (event >>= removed) events_.push_back("-" + removed.sourceId());
  }
  void disconnect_push_consumer() override {}
  std::vector<std::string> events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> events_;
};

TEST_F(DomainTest, TellsConsumersOfTheOutgoingChannelWhatIsAddedAndRemoved) {
  const auto servant = CORBA::make_reference<Consumer>();
  const auto consumer = components.activate(servant);
  client->registerWithEventChannel(consumer, "me", "ODM_Channel");
  EXPECT_THROW(client->registerWithEventChannel(consumer, "me", "ODM_Channel"),
               CF::DomainManager::AlreadyConnected);
  EXPECT_THROW(client->registerWithEventChannel(consumer, "me", "none"),
               CF::DomainManager::InvalidEventChannelName);
  EXPECT_THROW(client->registerWithEventChannel(use(node->manager()), "you", "ODM_Channel"),
               CF::InvalidObjectReference);
  join();
  join();
  client->unregisterDeviceManager(use(node->manager()));
  EXPECT_TRUE(becomes_true([&] { return servant->events().size() == 4; }));
  EXPECT_THAT(servant->events(), ElementsAre("+node-1", "+node-1/gpp", "-node-1/gpp", "-node-1"));
  client->unregisterFromEventChannel("me", "ODM_Channel");
  EXPECT_THROW(client->unregisterFromEventChannel("me", "ODM_Channel"), CF::DomainManager::NotConnected);
}

TEST_F(DomainTest, TellsConsumersOfTheOutgoingChannelOfApplications) {
  join();
  const auto servant = CORBA::make_reference<Consumer>();
  client->registerWithEventChannel(components.activate(servant), "me", "ODM_Channel");
  const auto application = create();
  const std::string id = application->identifier();
  application->releaseObject();
  client->uninstallApplication("DCE:chain");
  EXPECT_TRUE(becomes_true([&] { return servant->events().size() == 4; }));
  EXPECT_THAT(servant->events(), ElementsAre("+DCE:chain", "+" + id, "-" + id, "-DCE:chain"));
}

// ---- restart ----

TEST_F(DomainTest, FindsEverythingAgainAfterARestart) {
  join();
  const auto application = create();
  application->start();
  start();
  ASSERT_EQ(client->deviceManagers().size(), 1u);
  EXPECT_EQ(client->applicationFactories().size(), 1u);
  ASSERT_EQ(client->applications().size(), 1u);
  const auto again = IDL::traits<framework::DomainApplication>::narrow(use(client->applications()[0]));
  EXPECT_EQ(again->state(), State::APPLICATION_STARTED);
  EXPECT_TRUE(use(client->fileMgr())->exists("/label-of-node-1/gpp.spd.xml"));
  EXPECT_EQ(domain->domain.devices().at(0).candidate.properties.size(), 3u);
  create("second");
  again->releaseObject();
  EXPECT_EQ(client->applications().size(), 1u);
}

TEST_F(DomainTest, KeepsANodeThatAnswersLateAfterARestart) {
  join();
  create();
  watch.limit = std::chrono::milliseconds(50);
  watch.timeouts = 1'000'000;
  domain.reset();
  node->late = std::chrono::milliseconds(200);
  start();
  EXPECT_EQ(client->deviceManagers().size(), 1u);
  EXPECT_EQ(domain->model->applications().at(0).state, ApplicationState::stopped);
}

TEST_F(DomainTest, FailsApplicationsThatWereLostBeforeARestart) {
  join();
  create();
  domain.reset();
  node.reset();
  start();
  EXPECT_THAT(client->deviceManagers(), IsEmpty());
  ASSERT_EQ(domain->model->applications().size(), 1u);
  EXPECT_EQ(domain->model->applications()[0].state, ApplicationState::failed);
}

TEST_F(DomainTest, FinishesWhatARestartHasInterrupted) {
  join();
  create("created");
  create("half-made");
  create("half-released");
  domain.reset();
  for (auto& [key, value] : disk.records) {
    Application record;
    if (!key.starts_with("application/") || !from_json_text(value, record)) continue;
    if (record.name == "half-made") record.state = ApplicationState::deploying;
    if (record.name == "half-released") record.state = ApplicationState::releasing;
    value = to_json_text(record);
  }
  start();
  EXPECT_TRUE(becomes_true([&] { return domain->model->applications().size() == 1; }));
  EXPECT_EQ(domain->model->applications()[0].name, "created");
  domain->domain.end();
  EXPECT_THAT(deployment.undeployed, ::testing::UnorderedElementsAre("half-made", "half-released"));
}

}  // namespace
}  // namespace orbweaver::sca
