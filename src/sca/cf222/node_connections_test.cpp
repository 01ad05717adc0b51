// The connections of DCDs.
#include "sca/cf222/testing/domain_fixture.h"

#include <atomic>
#include <semaphore>
#include <thread>

#include "CF41S.h"
#include "platform/testing/waiting_thread.h"
#include "sca/cf222/service_search.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::WaitingThread;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A connection from the port `out` of a device to what a <domainfinder> finds.
std::string connection(const std::string& id, const std::string& finder,
                       const std::string& device = "node-1/gpp") {
  return "<connectinterface id=\"" + id +
         "\"><usesport><usesidentifier>out</usesidentifier><componentinstantiationref refid=\"" + device +
         "\"/></usesport><findby><domainfinder " + finder + "/></findby></connectinterface>";
}

/// A DCD whose device has connections to the domain manager and to a service.
void write_connected_dcd(const TemporaryFolder& folder, const std::string& device = "node-1/gpp") {
  write_dcd(folder, device,
            connection("to_domain", "type=\"domainmanager\"", device) +
                connection("to_service", "type=\"servicename\" name=\"clock\"", device));
}

std::vector<std::string> undone(TestPort& port) {
  std::vector<std::string> calls = port.calls();
  std::erase_if(calls, [](const std::string& call) { return call[0] != '-'; });
  return calls;
}

TEST_F(DomainTest, MakesTheConnectionsOfADcdWhenTheirEndsAreThere) {
  write_connected_dcd(node->folder);
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

TEST_F(DomainTest, ConnectsADcdToAServiceOfATypeAsLongAsItIsThere) {
  write_dcd(node->folder, "node-1/gpp",
            connection("to_service", "type=\"servicetype\" name=\"IDL:CF/LifeCycle:1.0\""));
  const auto port = CORBA::make_reference<TestPort>();
  node->devices[0]->set_port("out", node->activate(port));
  join();
  EXPECT_THAT(port->calls(), IsEmpty());
  const auto clock = use(node->activate(CORBA::make_reference<TestComponent>("clock")));
  client->registerService(clock, use(node->manager()), "clock");
  ASSERT_TRUE(port->object("to_service"));
  EXPECT_TRUE(port->object("to_service")->_is_equivalent(clock));
  client->unregisterService(clock, "clock");
  EXPECT_THAT(port->calls(), ElementsAre("+to_service", "-to_service"));
}

TEST_F(DomainTest, ConnectsADcdToAnotherServiceOfTheTypeWhenItsServiceIsLost) {
  write_dcd(node->folder, "node-1/gpp",
            connection("to_service", "type=\"servicetype\" name=\"IDL:CF/LifeCycle:1.0\""));
  const auto port = CORBA::make_reference<TestPort>();
  node->devices[0]->set_port("out", node->activate(port));
  TestNode other("node-2");
  client->registerDeviceManager(use(other.manager()));
  const auto service = [&](TestNode& of, const std::string& name) {
    const auto made = use(of.activate(CORBA::make_reference<TestComponent>(name)));
    client->registerService(made, use(of.manager()), name);
    return made;
  };
  const auto first = service(other, "first"), second = service(other, "second");
  join();
  const auto third = service(*node, "third");
  EXPECT_TRUE(port->object("to_service")->_is_equivalent(first));
  client->unregisterService(first, "first");
  EXPECT_TRUE(port->object("to_service")->_is_equivalent(second));
  client->unregisterDeviceManager(use(other.manager()));
  EXPECT_THAT(port->calls(),
              ElementsAre("+to_service", "-to_service", "+to_service", "-to_service", "+to_service"));
  EXPECT_TRUE(port->object("to_service")->_is_equivalent(third));
}

TEST_F(DomainTest, ConnectsADcdToADeviceOfAnotherNodeAndToItsOwnNode) {
  const auto to = [](const std::string& id, const std::string& refid) {
    return "<connectinterface id=\"" + id +
           "\"><usesport><usesidentifier>out</usesidentifier><componentinstantiationref "
           "refid=\"node-1/gpp\"/></usesport><componentsupportedinterface><supportedidentifier>"
           "IDL:CF/Device:1.0</supportedidentifier><componentinstantiationref refid=\"" +
           refid + "\"/></componentsupportedinterface></connectinterface>";
  };
  write_dcd(node->folder, "node-1/gpp", to("to_device", "node-2/gpp") + to("to_node", "DCE:node"));
  const auto port = CORBA::make_reference<TestPort>();
  node->devices[0]->set_port("out", node->activate(port));
  join();
  EXPECT_THAT(port->calls(), ElementsAre("+to_node"));
  EXPECT_TRUE(port->object("to_node")->_is_equivalent(node->manager()));
  TestNode other("node-2");
  client->registerDeviceManager(use(other.manager()));
  client->registerDevice(use(other.device()), use(other.manager()));
  ASSERT_TRUE(port->object("to_device"));
  EXPECT_TRUE(port->object("to_device")->_is_equivalent(other.device()));
  client->unregisterDevice(use(other.device()));
  client->registerDevice(use(other.device()), use(other.manager()));
  EXPECT_THAT(port->calls(), ElementsAre("+to_node", "+to_device", "-to_device", "+to_device"));
  client->unregisterDeviceManager(use(other.manager()));
  EXPECT_THAT(undone(*port), ElementsAre("-to_device", "-to_device"));
}

/// A service that does not answer in time whether it is a resource, as its caller sees it.
class SilentService final : public virtual CORBA::servant_traits<CF::LifeCycle>::base_type {
 public:
  bool _is_a(const std::string& type) override {
    if (type != "IDL:CF/Resource:1.0") return false;
    ++questions;
    throw CORBA::TIMEOUT(0, CORBA::CompletionStatus::COMPLETED_NO);
  }
  void initialize() override {}
  void releaseObject() override {}
  std::atomic<int> questions = 0;
};

TEST_F(DomainTest, AsksASilentServiceForItsTypeOnlyForTheNodeOfTheConnection) {
  const std::string type = "type=\"servicetype\" name=\"IDL:CF/Resource:1.0\"";
  write_dcd(node->folder, "node-1/gpp",
            "<connectinterface id=\"of_none\"><usesport><usesidentifier>out</usesidentifier><findby>"
            "<domainfinder type=\"servicename\" name=\"none\"/></findby></usesport><findby><domainfinder " +
                type + "/></findby></connectinterface>" + connection("to_service", type));
  const auto port = CORBA::make_reference<TestPort>();
  node->devices[0]->set_port("out", node->activate(port));
  TestNode other("node-2");
  client->registerDeviceManager(use(other.manager()));
  const auto servant = CORBA::make_reference<SilentService>();
  const auto silent = use(other.activate(servant));
  client->registerService(silent, use(other.manager()), "silent");
  join();
  EXPECT_EQ(servant->questions, 1) << "the other end of 'of_none' is not known";
  EXPECT_TRUE(has_logged(domain->domain,
                         "connection 'to_service' of node 'node-1' cannot be made: service "
                         "silent did not answer whether it has the interface"));
  const auto clock = use(other.activate(CORBA::make_reference<TestComponent>("clock")));
  client->registerService(clock, use(other.manager()), "clock");
  EXPECT_EQ(servant->questions, 1) << "a service of another node";
  EXPECT_THAT(port->calls(), IsEmpty());
  client->unregisterService(silent, "silent");
  EXPECT_THAT(port->calls(), ElementsAre("+to_service"));
}

TEST_F(DomainTest, EndsASearchForAServiceOfATypeInTime) {
  join();
  const auto servant = CORBA::make_reference<SilentService>();
  const auto silent = use(node->activate(servant));
  for (const char* const name : {"a", "b", "c"}) client->registerService(silent, use(node->manager()), name);
  const auto search = [&](const ServiceSearchLimits& limits) {
    return find_service_of_type(*domain->model, domain->orb.orb, "IDL:CF/Resource:1.0", limits);
  };
  ServiceSearchLimits limits;
  limits.at_a_time = 2;
  EXPECT_EQ(search(limits).silent, "a");
  EXPECT_EQ(servant->questions, 3);
  limits.search = {};
  const FoundService found = search(limits);
  EXPECT_EQ(servant->questions, 3) << "the time is over";
  EXPECT_EQ(found.silent, "a");
  EXPECT_FALSE(found.service);
}

/// A port that gets the events of a channel, which are strings.
class Listener final : public virtual CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  void push(const CORBA::Any& event) override {
    std::string text;
    if (event >>= text) ++events;
  }
  void disconnect_push_consumer() override {}
  std::atomic<int> events = 0;
};

TEST_F(DomainTest, ConnectsTheEventChannelsOfADcd) {
  write_dcd(node->folder, "node-1/gpp",
            connection("to_channel", "type=\"eventchannel\" name=\"alarms\"") +
                "<connectinterface id=\"from_channel\"><usesport><usesidentifier>alarms</usesidentifier>"
                "<findby><domainfinder type=\"eventchannel\" name=\"alarms\"/></findby></usesport>"
                "<providesport><providesidentifier>in</providesidentifier><componentinstantiationref "
                "refid=\"node-1/gpp\"/></providesport></connectinterface>");
  const auto port = CORBA::make_reference<TestPort>();
  const auto listener = CORBA::make_reference<Listener>();
  node->devices[0]->set_port("out", node->activate(port));
  node->devices[0]->set_port("in", node->activate(listener));
  EXPECT_FALSE(domain->domain.channels().find("alarms"));
  join();
  const auto channel = domain->domain.channels().find("alarms");
  ASSERT_TRUE(channel) << "it has been created";
  ASSERT_TRUE(port->object("to_channel"));
  EXPECT_TRUE(port->object("to_channel")->_is_equivalent(channel));
  const auto consumer = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(use(channel))
                            ->for_suppliers()
                            ->obtain_push_consumer();
  consumer->connect_push_supplier(nullptr);
  CORBA::Any event;
  event <<= std::string("fire");
  consumer->push(event);
  EXPECT_TRUE(platform::testing::becomes_true([&] { return listener->events == 1; }));
  client->unregisterDevice(use(node->device()));
  EXPECT_THAT(port->calls(), ElementsAre("+to_channel", "-to_channel"));
}

TEST_F(DomainTest, MakesTheConnectionsOfADcdAgainAfterARestart) {
  write_connected_dcd(node->folder);
  const auto port = CORBA::make_reference<TestPort>();
  node->devices[0]->set_port("out", node->activate(port));
  join();
  start();
  EXPECT_THAT(port->calls(), ElementsAre("+to_domain", "-to_domain", "+to_domain"));
}

TEST_F(DomainTest, RegistersANodeAgainWhenItsLossHasBeenTold) {
  // A port of another node, which is disconnected from a service of the lost one, replies late.
  TestNode other("node-2");
  write_connected_dcd(other.folder, "node-2/gpp");
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

/// A service with ports of SCA 4.1: the uses port `out` and the provides port `in`.
class Service41 final : public virtual CORBA::servant_traits<CF::PortAccessor>::base_type {
 public:
  explicit Service41(IDL::traits<CORBA::Object>::ref_type in) : in_(std::move(in)) {}
  void connectUsesPorts(const CF::PortAccessor::Connections& connections) override {
    for (const auto& each : connections) {
      if (each.portConnectionId().portName() != "out")
        throw CF::PortAccessor::InvalidPort({each.portConnectionId(), 5});
      add("+" + each.portConnectionId().connectionId());
      target = each.portReference();
    }
  }
  void disconnectPorts(const CF::PortAccessor::Disconnections& connections) override {
    for (const auto& each : connections) add("-" + each.connectionId() + "." + each.portName());
  }
  void getProvidesPorts(CF::PortAccessor::Connections& connections) override {
    for (auto& each : connections) each.portReference(in_);
  }
  std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  IDL::traits<CORBA::Object>::ref_type target;

 private:
  void add(std::string call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  const IDL::traits<CORBA::Object>::ref_type in_;
  std::mutex mutex_;
  std::vector<std::string> calls_;
};

TEST_F(DomainTest, MakesTheConnectionsOfADcdWithPortsOfSca41) {
  const std::string find = "<findby><domainfinder type=\"servicename\" name=\"clock\"/></findby>";
  write_dcd(node->folder, "node-1/gpp",
            "<connectinterface id=\"to_41\"><usesport><usesidentifier>out</usesidentifier>"
            "<componentinstantiationref refid=\"node-1/gpp\"/></usesport><providesport>"
            "<providesidentifier>in</providesidentifier>" +
                find +
                "</providesport></connectinterface>"
                "<connectinterface id=\"from_41\"><usesport><usesidentifier>out</usesidentifier>" +
                find +
                "</usesport><providesport><providesidentifier>in</providesidentifier>"
                "<componentinstantiationref refid=\"node-1/gpp\"/></providesport></connectinterface>"
                "<connectinterface id=\"wrong\"><usesport><usesidentifier>other</usesidentifier>" +
                find +
                "</usesport><providesport><providesidentifier>in</providesidentifier>"
                "<componentinstantiationref refid=\"node-1/gpp\"/></providesport></connectinterface>");
  const auto port = CORBA::make_reference<TestPort>();
  const auto device_in = node->activate(CORBA::make_reference<TestComponent>("device_in"));
  const auto service_in = node->activate(CORBA::make_reference<TestComponent>("service_in"));
  node->devices[0]->set_port("out", node->activate(port));
  node->devices[0]->set_port("in", device_in);
  const auto servant = CORBA::make_reference<Service41>(service_in);
  const auto service = node->activate(servant);
  join();
  client->registerService(use(service), use(node->manager()), "clock");
  EXPECT_THAT(port->calls(), ElementsAre("+to_41"));
  EXPECT_TRUE(port->object("to_41")->_is_equivalent(service_in));
  EXPECT_TRUE(servant->target->_is_equivalent(device_in));
  EXPECT_TRUE(has_logged(domain->domain, "connection 'wrong' of node 'node-1' cannot be made: "));
  EXPECT_THAT(servant->calls(), ::testing::Contains("+from_41"));
  client->unregisterService(use(service), "clock");
  EXPECT_THAT(port->calls(), ElementsAre("+to_41", "-to_41"));
  EXPECT_THAT(servant->calls(), ::testing::IsSupersetOf({"-to_41.in", "-from_41.out"}));
}

TEST_F(DomainTest, ReadsNoFileThatADcdNamesAsAReference) {
  const auto port = CORBA::make_reference<TestPort>();
  const auto reference = node->activate(port);
  node->devices[0]->set_port("out", reference);
  node->folder.write("port.ior", node->orb().orb->object_to_string(reference));
  write_dcd(
      node->folder, "node-1/gpp",
      "<connectinterface id=\"c\"><usesport><usesidentifier>out</usesidentifier>"
      "<componentinstantiationref refid=\"node-1/gpp\"/></usesport><findby><stringifiedobjectref>file://" +
          node->folder.path("port.ior").string() + "</stringifiedobjectref></findby></connectinterface>");
  join();
  EXPECT_THAT(port->calls(), ::testing::IsEmpty());
  EXPECT_TRUE(has_logged(domain->domain, "cannot name an object in a profile"));
}

TEST_F(DomainTest, SaysWhyAConnectionOfADcdCannotBeMade) {
  node->folder.write("node.dcd.xml", "<deviceconfiguration>");
  join();
  EXPECT_TRUE(has_logged(domain->domain, "the connections of its DCD are not made: /node.dcd.xml:1:"));
  client->unregisterDeviceManager(use(node->manager()));
  write_connected_dcd(node->folder);
  join();
  EXPECT_TRUE(has_logged(domain->domain, "connection 'to_domain' of node 'node-1' cannot be made: "));
}

}  // namespace
}  // namespace orbweaver::sca
