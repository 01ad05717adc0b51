// The objects of a domain for clients of SCA 4.1, over TCP. What is deployed is a test double: a component of
// SCA 2.2.2 and one of SCA 4.1, each with external ports; tests/domain has the real deployment.
#include "sca/cf41/facade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>

#include "CosEventCommS.h"
#include "CosNamingC.h"
#include "Domain41C.h"
#include "platform/testing/becomes_true.h"
#include "sca/cf222/testing/test_domain.h"
#include "sca/deployment/testing/fake_component41.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Accessor = CF::PortAccessor;
using Manager = framework::ApplicationManager41;

class Consumer final : public virtual CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  void push(const CORBA::Any&) override {
    const std::lock_guard lock(mutex_);
    ++events_;
  }
  void disconnect_push_consumer() override {}
  int events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  std::mutex mutex_;
  int events_ = 0;
};

/// A domain with one node, and a client.
class Facade41 : public ::testing::Test {
 protected:
  /// The load of the machine causes no time-out.
  explicit Facade41(std::chrono::milliseconds call_limit = std::chrono::minutes(2))
      : node_("node-1"), components_("components", {}) {
    for (const auto& file : std::filesystem::directory_iterator(ORBWEAVER_SCA_TESTDATA))
      if (file.path().extension() == ".xml")
        std::filesystem::copy_file(file.path(), root_.path(file.path().filename().string()));
    naming_ = naming::make_naming_service(orb_.poa);
    model_ = std::move(*DomainModel::open(std::make_unique<DiskStore>(disk_)));
    DomainOptions options;
    options.root = root_.path().string();
    options.functions = functions();
    options.facades = {facade_of_sca41()};
    options.call_limit = call_limit;
    options.watch.limit = std::chrono::minutes(2);
    domain_.emplace(orb_.orb, naming_, *model_, std::move(options));
    domain_->start()->registerDeviceManager(orb_.use(node_.manager()));
    client_ = IDL::traits<framework::DomainManager41>::narrow(
        use(naming_->resolve_str("orbweaver/DomainManager41")));
  }
  ~Facade41() override {
    world_.release_hanging();
    domain_->end();
  }

  /// The object as a client in another process sees it.
  IDL::traits<CORBA::Object>::ref_type use(const IDL::traits<CORBA::Object>::ref_type& object) {
    return components_.orb().orb->string_to_object(orb_.orb->object_to_string(object));
  }
  CORBA::object_reference<Manager> create() {
    const CF::ComponentType installed = client_->installApplication("/chain.sad.xml");
    const auto factory = IDL::traits<CF41::ApplicationFactory>::narrow(installed.componentObject());
    const CF::ComponentType created = factory->create("rx", {}, {}, {}, {});
    EXPECT_EQ(created.type(), CF::ComponentEnumType::APPLICATION_MANAGER_COMPONENT);
    return IDL::traits<Manager>::narrow(created.componentObject());
  }

  DeploymentFunctions functions() {
    return {[this](const DeploymentRequest& request, DeploymentDomain& domain) {
              return deploy(request, domain);
            },
            [](Application&, DeploymentDomain&) { return std::vector<std::string>(); },
            [](const Application& record, DeploymentDomain& domain) { start_components(record, domain); },
            [](const Application& record, DeploymentDomain& domain) { stop_components(record, domain); }};
  }
  Application deploy(const DeploymentRequest& request, DeploymentDomain& domain) {
    deployment_raises_();
    deployed_ = request.assembly;
    Application record;
    record.id = request.id;
    record.name = request.name;
    record.installed = request.installed;
    record.controller = "b:" + request.name;
    const auto add = [&](const std::string& name, const auto& servant, bool is_sca41) {
      DeployedComponent component;
      component.id = name + ":" + request.name;
      component.instantiation = name;
      component.implementation = "x86";
      component.device = domain.devices().front().candidate.id;
      component.process = 4711;
      component.reference = domain.orb()->object_to_string(components_.activate(servant));
      component.is_sca41 = is_sca41;
      record.components.push_back(component);
      record.start_order.push_back(component.id);
      for (const char* const port : {"out", "in"})
        record.external_ports.push_back({name + "_" + port, component.id, port});
    };
    const std::string a = "a:" + request.name, b = "b:" + request.name;
    add("a", CORBA::make_reference<FakeComponent>(world_, a, "", components_.orb()), false);
    add("b", CORBA::make_reference<FakeComponent41>(world_, b, "", components_.orb()), true);
    record.external_properties.push_back({"volume", a, "gain"});
    domain.store(record);
    record.state = ApplicationState::stopped;
    domain.store(record);
    return record;
  }
  static Accessor::ConnectionType connection(const std::string& id, const std::string& port,
                                             const IDL::traits<CORBA::Object>::ref_type& to) {
    return {Accessor::ConnectionIdType(id, port), to};
  }

  std::function<void()> deployment_raises_ = [] {};
  Assembly deployed_;  ///< The assembly of the last deployment.
  TemporaryFolder root_;
  Disk disk_;
  World world_;
  TestNode node_, components_;
  TestOrb orb_;
  naming::ContextExtRef naming_;
  std::unique_ptr<DomainModel> model_;
  std::optional<Domain> domain_;
  CORBA::object_reference<framework::DomainManager41> client_;
};

TEST_F(Facade41, ListsWhatTheDomainHas) {
  EXPECT_EQ(client_->identifier(), "orbweaver");
  const auto managers = client_->managers();
  ASSERT_EQ(managers.size(), 1u);
  EXPECT_EQ(managers[0].identifier(), "node-1");
  EXPECT_EQ(managers[0].type(), CF::ComponentEnumType::DEVICE_MANAGER_COMPONENT);
  CF::Components devices;
  ASSERT_TRUE(managers[0].specializedInfo().at(1).value() >>= devices);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].identifier(), "node-1/gpp");
  EXPECT_THAT(client_->applicationFactories(), IsEmpty());
  const auto application = create();
  ASSERT_EQ(client_->applicationFactories().size(), 1u);
  EXPECT_EQ(client_->applicationFactories()[0].profile(), "/chain.sad.xml");
  ASSERT_EQ(client_->applications().size(), 1u);
  EXPECT_EQ(client_->applications()[0].identifier(), application->identifier());
}

TEST_F(Facade41, InstallsAndUninstallsApplications) {
  const auto installed = client_->installApplication("/chain.sad.xml");
  const auto factory = IDL::traits<CF41::ApplicationFactory>::narrow(installed.componentObject());
  EXPECT_EQ(factory->name(), "Chain");
  EXPECT_THROW(client_->installApplication("/chain.sad.xml"),
               CF::DomainInstallation::ApplicationAlreadyInstalled);
  EXPECT_THROW(client_->installApplication("/none.sad.xml"), CF::InvalidFileName);
  EXPECT_THROW(client_->installApplication("/filter.spd.xml"),
               CF::DomainInstallation::ApplicationInstallationError);
  std::string text = root_.content("chain.sad.xml");
  root_.write("wrong.sad.xml", text.replace(text.find("refid=\"packets\""), 15, "refid=\"pakets\""));
  EXPECT_THROW(client_->installApplication("/wrong.sad.xml"), CF::InvalidProfile)
      << "a property without a definition, as in SCA 2.2.2";
  disk_.full = true;
  EXPECT_THROW(client_->uninstallApplication(installed.identifier()),
               CF::DomainInstallation::ApplicationUninstallationError);
  disk_.full = false;
  client_->uninstallApplication(installed.identifier());
  EXPECT_THROW(client_->uninstallApplication(installed.identifier()),
               CF::DomainInstallation::InvalidIdentifier);
  EXPECT_THROW(factory->name(), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(Facade41, ShowsAndControlsAnApplicationOfBothEditions) {
  const auto application = create();
  EXPECT_EQ(application->name(), "rx");
  EXPECT_FALSE(application->started());
  application->start();
  EXPECT_TRUE(application->started());
  EXPECT_THAT(world_.calls(), Contains("a start"));
  EXPECT_THAT(world_.calls(), Contains("b start"));
  application->configure({CF::DataType("gain", any_of("ulong", "3"))});
  EXPECT_THAT(world_.calls(), Contains("b configure gain=3")) << "of the assembly controller";
  CF::Properties none;
  EXPECT_THROW(application->runTest(1, none), CF::TestableInterface::UnknownTest);
  application->stop();
  EXPECT_FALSE(application->started());

  const auto components = application->deployedComponents();
  ASSERT_EQ(components.size(), 2u);
  EXPECT_EQ(components[1].identifier(), "b:rx");
  EXPECT_TRUE(components[1].componentObject()->_is_a("IDL:CF/PortAccessor:1.0"));
  std::string device;
  for (const CF::DataType& each : components[1].specializedInfo())
    if (each.id() == CF::TARGET_DEVICE_ID) each.value() >>= device;
  EXPECT_EQ(device, "node-1/gpp");

  application->releaseObject();
  EXPECT_THAT(client_->applications(), IsEmpty());
  EXPECT_THROW(application->name(), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(Facade41, ConnectsExternalPortsOfBothEditions) {
  const auto application = create();
  Accessor::Connections ports{connection("c1", "a_in", nullptr), connection("c2", "b_in", nullptr)};
  application->getProvidesPorts(ports);
  EXPECT_TRUE(ports[0].portReference() && ports[1].portReference());
  EXPECT_THAT(world_.calls(), Contains("b getProvidesPorts in:c2"));
  application->connectUsesPorts({connection("c3", "a_out", ports[1].portReference()),
                                 connection("c4", "b_out", ports[0].portReference())});
  EXPECT_THAT(world_.calls(), Contains("a.out connect c3"));
  EXPECT_THAT(world_.calls(), Contains("b connect out:c4"));
  application->disconnectPorts({{"c3", "a_out"}, {"c4", "b_out"}, {"c2", "b_in"}});
  EXPECT_THAT(world_.left(), IsEmpty());
}

TEST_F(Facade41, MakesAllConnectionsOfACallOrNone) {
  const auto application = create();
  Accessor::Connections ports{connection("c1", "a_in", nullptr)};
  application->getProvidesPorts(ports);
  try {
    application->connectUsesPorts({connection("c2", "a_out", ports[0].portReference()),
                                   connection("c3", "none", ports[0].portReference())});
    FAIL() << "no exception";
  } catch (const Accessor::InvalidPort& e) {
    EXPECT_EQ(e.invalidConnections().portConnectionId().connectionId(), "c3");
    EXPECT_EQ(e.invalidConnections().errorCode(), 5);
  }
  EXPECT_THAT(world_.left(), Not(Contains("connection c2")));
}

TEST_F(Facade41, ConnectsAllPortsOfAComponentInOneCall) {
  const auto application = create();
  Accessor::Connections ports{connection("c1", "a_in", nullptr)};
  application->getProvidesPorts(ports);
  const auto to = ports[0].portReference();
  application->connectUsesPorts({connection("c2", "b_out", to), connection("c3", "b_out", to)});
  EXPECT_THAT(world_.calls(), Contains("b connect out:c2 out:c3"));
  world_.fail("b connect out:c4 out:c5");
  try {
    application->connectUsesPorts({connection("c4", "b_out", to), connection("c5", "b_out", to)});
    FAIL() << "no exception";
  } catch (const Accessor::InvalidPort& e) {
    EXPECT_EQ(e.invalidConnections().portConnectionId().connectionId(), "c5");
    EXPECT_EQ(e.invalidConnections().portConnectionId().portName(), "b_out") << "the caller's name";
  }
}

class LimitedCalls41 : public Facade41 {
 protected:
  /// Other calls answer within it on a busy machine.
  LimitedCalls41() : Facade41(std::chrono::seconds(3)) {}
};

TEST_F(LimitedCalls41, CallAComponentThatHangsOnce) {
  const auto application = create();
  Accessor::Connections ports{connection("c1", "b_in", nullptr)};
  application->getProvidesPorts(ports);
  const auto to = ports[0].portReference();
  world_.hang("a.out connect c3");
  EXPECT_THROW(application->connectUsesPorts({connection("c1", "b_out", to), connection("c2", "a_out", to),
                                              connection("c3", "a_out", to), connection("c4", "a_out", to)}),
               CORBA::TIMEOUT);
  EXPECT_THAT(world_.calls(), Not(Contains("a.out connect c4")));
  EXPECT_THAT(world_.calls(), Not(Contains("a.out disconnect c2")));
  EXPECT_THAT(world_.left(), Not(Contains("connection c1"))) << "of a component that responds";
  EXPECT_EQ(application->name(), "rx");
}

TEST_F(Facade41, DistinguishesALostComponentFromALostApplication) {
  const auto application = create();
  const auto component = application->deployedComponents().at(0).componentObject();
  const auto poa = components_.orb().poa;
  poa->deactivate_object(poa->reference_to_id(component));
  EXPECT_THROW(application->connectUsesPorts({connection("c1", "a_out", component)}), CORBA::TRANSIENT);
  Accessor::Connections ports{connection("c1", "a_in", nullptr)};
  EXPECT_THROW(application->getProvidesPorts(ports), CORBA::TRANSIENT);
  EXPECT_EQ(application->name(), "rx");
}

TEST_F(Facade41, RegistersWithEventChannels) {
  using Channels = CF::EventChannelRegistry;
  const auto servant = CORBA::make_reference<Consumer>();
  const auto consumer = components_.activate(servant);
  client_->registerWithEventChannel(consumer, "me", "ODM_Channel");
  EXPECT_THROW(client_->registerWithEventChannel(consumer, "me", "ODM_Channel"), Channels::AlreadyConnected);
  EXPECT_THROW(client_->registerWithEventChannel(consumer, "me", "none"), Channels::InvalidEventChannelName);
  EXPECT_THROW(client_->registerWithEventChannel(use(node_.manager()), "you", "ODM_Channel"),
               CF::InvalidObjectReference);
  client_->installApplication("/chain.sad.xml");
  EXPECT_TRUE(becomes_true([&] { return servant->events() == 1; }));
  client_->unregisterFromEventChannel("me", "ODM_Channel");
  EXPECT_THROW(client_->unregisterFromEventChannel("me", "ODM_Channel"), Channels::NotConnected);
  EXPECT_THROW(client_->unregisterFromEventChannel("me", "none"), Channels::InvalidEventChannelName);
}

TEST_F(Facade41, RaisesTheExceptionsOfSca41) {
  using Factory = CF41::ApplicationFactory;
  create();
  const auto factory = IDL::traits<Factory>::narrow(client_->applicationFactories()[0].componentObject());
  EXPECT_THROW(factory->create("rx", {}, {}, {}, {}), Factory::CreateApplicationError) << "the name is taken";
  deployment_raises_ = [] {
    throw CF::ApplicationFactory::CreateApplicationRequestError(
        CF::DeviceAssignmentSequence{CF::DeviceAssignmentType("a", "gpp")});
  };
  try {
    factory->create("other", {}, {}, {}, {});
    FAIL() << "no exception";
  } catch (const Factory::CreateApplicationRequestError& e) {
    ASSERT_EQ(e.invalidAssignments().size(), 1u);
    EXPECT_EQ(e.invalidAssignments()[0].componentId(), "a");
  }
  deployment_raises_ = [] {
    throw CF::ApplicationFactory::InvalidInitConfiguration(
        CF::Properties{CF::DataType("gain", any_of("ulong", "1"))});
  };
  try {
    factory->create("other", {}, {}, {}, {});
    FAIL() << "no exception";
  } catch (const Factory::InvalidInitConfiguration& e) {
    ASSERT_EQ(e.invalidProperties().size(), 1u);
    EXPECT_EQ(e.invalidProperties()[0].id(), "gain");
  }
  EXPECT_EQ(client_->applications().size(), 1u);
}

TEST_F(Facade41, EndsWithTheDomain) {
  const auto application = create();
  domain_->end();
  EXPECT_THROW(application->name(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(client_->identifier(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(naming_->resolve_str("orbweaver/DomainManager41"), CosNaming::NamingContext::NotFound);
}

TEST_F(Facade41, PassesDependenciesAndAffinitiesOfTheCaller) {
  using Factory = CF41::ApplicationFactory;
  const auto installed = client_->installApplication("/chain.sad.xml");
  const auto factory = IDL::traits<Factory>::narrow(installed.componentObject());
  factory->create("rx", {}, {}, {CF::DataType("band", any_of("ulong", "7"))},
                  {Factory::ExecutionAffinityType("filter_1", "one", {1, 3})});
  const Instantiation& filter = deployed_.components.at(deployed_.find("filter_1").value());
  EXPECT_EQ(filter.process, "one");
  EXPECT_EQ(filter.cores, "1,3");
  ASSERT_EQ(filter.dependencies.size(), 1u);
  EXPECT_EQ(filter.dependencies[0].id + "=" + filter.dependencies[0].value, "band=7");
  factory->create("other", {}, {}, {}, {});
  EXPECT_EQ(deployed_.components.at(deployed_.find("filter_1").value()).process, "") << "of one call only";
}

TEST_F(Facade41, RejectsDependenciesAndAffinitiesThatCannotBeUsed) {
  using Factory = CF41::ApplicationFactory;
  const auto installed = client_->installApplication("/chain.sad.xml");
  const auto factory = IDL::traits<Factory>::narrow(installed.componentObject());
  const auto error_of = [&](const CF::Properties& dependencies,
                            const Factory::ExecutionAffinitySequence& affinities) -> std::string {
    try {
      factory->create("rx", {}, {}, dependencies, affinities);
    } catch (const Factory::CreateApplicationError& e) {
      EXPECT_EQ(e.errorNumber(), CF::ErrorNumberType::CF_EINVAL);
      return e.msg();
    }
    return "";
  };
  CORBA::Any list;
  list <<= CF::ULongSeq{1};
  EXPECT_THAT(error_of({CF::DataType("band", list)}, {}),
              HasSubstr("'band' is not that of a simple property"));
  EXPECT_THAT(error_of({}, {Factory::ExecutionAffinityType("none", "one", {})}),
              HasSubstr("no such component"));
  EXPECT_THROW(factory->create("", {}, {}, {}, {}), Factory::CreateApplicationError);
}

TEST_F(Facade41, QueriesTheControllerAndExternalProperties) {
  const auto application = create();
  CF::Properties properties{CF::DataType("gain", CORBA::Any()), CF::DataType("volume", CORBA::Any())};
  application->query(properties);
  EXPECT_EQ(text_of(properties[0].value()), "b.gain") << "of the assembly controller";
  EXPECT_EQ(text_of(properties[1].value()), "a.gain") << "of the component that has the external property";
}

}  // namespace
}  // namespace orbweaver::sca
