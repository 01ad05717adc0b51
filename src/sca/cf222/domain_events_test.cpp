// The event channels of a domain.
#include "sca/cf222/testing/domain_fixture.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using platform::testing::becomes_true;
using ::testing::ElementsAre;

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

TEST_F(DomainTest, IgnoresEndsOfProcessesOfUnknownDevices) {
  join();
  const auto consumer = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(
                            use(domain->naming->resolve_str("orbweaver/IDM_Channel")))
                            ->for_suppliers()
                            ->obtain_push_consumer();
  consumer->connect_push_supplier(nullptr);
  for (const auto& [device, text] : {std::pair<std::string, std::string>("unknown", "was killed"),
                                     {"node-1/gpp", std::string(1'000'000, 'x')}}) {
    CORBA::Any event;
    event <<= framework::ProcessEnded(device, 1, text);
    consumer->push(event);
  }
  EXPECT_TRUE(becomes_true([&] { return !domain->domain.process_end("node-1/gpp", 1).empty(); }));
  EXPECT_EQ(domain->domain.process_end("unknown", 1), "");
  EXPECT_LT(domain->domain.process_end("node-1/gpp", 1).size(), 1100u);
}

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
  EXPECT_THAT(servant->producers(), ::testing::Each("orbweaver"));
  EXPECT_THROW(client->unregisterFromEventChannel("me", "none"), CF::DomainManager::InvalidEventChannelName);
  client->unregisterFromEventChannel("me", "ODM_Channel");
  EXPECT_THROW(client->unregisterFromEventChannel("me", "ODM_Channel"), CF::DomainManager::NotConnected);
}

TEST_F(DomainTest, RegistersAConsumerAgainThatHasBeenDisconnected) {
  const auto reference = components.activate(CORBA::make_reference<Consumer>());
  client->registerWithEventChannel(reference, "me", "ODM_Channel");
  components.orb().poa->deactivate_object(components.orb().poa->reference_to_id(reference));
  join();  // an event, at which the consumer does not exist any more
  const auto servant = CORBA::make_reference<Consumer>();
  const auto again = components.activate(servant);
  EXPECT_TRUE(becomes_true([&] {
    try {
      client->registerWithEventChannel(again, "me", "ODM_Channel");
      return true;
    } catch (const CF::DomainManager::AlreadyConnected&) {  // it has not been disconnected yet
      return false;
    }
  }));
  client->unregisterDeviceManager(use(node->manager()));
  EXPECT_TRUE(becomes_true([&] { return servant->events().size() == 2; }));
  EXPECT_THROW(client->registerWithEventChannel(again, "me", "ODM_Channel"),
               CF::DomainManager::AlreadyConnected);
  EXPECT_THROW(client->registerWithEventChannel(again, std::string(1025, 'x'), "ODM_Channel"),
               CORBA::BAD_PARAM);
}

TEST_F(DomainTest, RegistersHalfOfTheConsumersOfAChannelForOneClient) {
  DomainChannels& channels = domain->domain.channels();
  const auto consumer = domain->orb.poa->servant_to_reference(CORBA::make_reference<Consumer>());
  const auto connect = [&](int id, const std::string& client) {
    channels.connect(consumer, std::to_string(id), "ODM_Channel", client);
  };
  for (int id = 0; id < 128; ++id) connect(id, "pid 7");
  EXPECT_THROW(connect(128, "pid 7"), CORBA::IMP_LIMIT);
  EXPECT_THROW(connect(0, "pid 7"), CF::DomainManager::AlreadyConnected);
  EXPECT_NO_THROW(connect(128, "192.0.2.1"));
  channels.disconnect("0", "ODM_Channel");
  EXPECT_NO_THROW(connect(0, "pid 7"));
}

TEST_F(DomainTest, ConnectsNoProxyOfItsChannelsAsAConsumer) {
  const auto outgoing = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(
      use(domain->naming->resolve_str("orbweaver/ODM_Channel")));
  const auto proxy = use(outgoing->for_suppliers()->obtain_push_consumer());
  proxy->connect_push_supplier(nullptr);
  EXPECT_THROW(client->registerWithEventChannel(proxy, "me", "ODM_Channel"), CORBA::BAD_PARAM);
  EXPECT_THROW(client->registerWithEventChannel(proxy, "me", "IDM_Channel"), CORBA::BAD_PARAM);
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
  EXPECT_THAT(servant->producers(), ElementsAre("orbweaver", "DCE:chain", id, "orbweaver"))
      << "the object whose operation sends it";
}

TEST_F(DomainTest, TellsConsumersOfTheOutgoingChannelOfDevicesAndServices) {
  join();
  const auto servant = CORBA::make_reference<Consumer>();
  client->registerWithEventChannel(components.activate(servant), "me", "ODM_Channel");
  const auto manager = use(node->manager());
  const auto device = use(node->device());
  client->unregisterDevice(device);
  client->registerDevice(device, manager);
  client->registerService(device, manager, "clock");
  client->unregisterService(device, "clock");
  client->registerService(device, manager, "other");
  client->registerService(device, manager, "clock");
  client->unregisterDeviceManager(manager);
  EXPECT_TRUE(becomes_true([&] { return servant->events().size() == 10; }));
  EXPECT_THAT(servant->events(),
              ElementsAre("-node-1/gpp", "+node-1/gpp", "+DCE:clock", "-DCE:clock", "+other", "+DCE:clock",
                          "-DCE:clock", "-other", "-node-1/gpp", "-node-1"))
      << "a service has the id of its instantiation in the DCD, if that has it";
}

}  // namespace
}  // namespace orbweaver::sca
