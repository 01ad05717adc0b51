// Connections of an assembly with objects outside of it: devices, services and event channels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/services/event_service.h>

#include <tuple>
#include <utility>

#include "CosEventCommS.h"
#include "platform/testing/becomes_true.h"
#include "sca/deployment/testing/deployment_request.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using testing::chain;
using ::testing::Contains;
using testing::error_of;
using testing::FakeDomain;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::limits;
using testing::request;

TEST(Deployment, ConnectsObjectsOutsideTheAssembly) {
  FakeDomain domain;
  domain.objects["channel"] = domain.objects["radio: channel"] = domain.root;
  Assembly assembly = chain();
  for (const auto& [kind, name, type] :
       {std::tuple(EndKind::domain_finder, "channel", "eventchannel"),
        std::tuple(EndKind::name, "channel", ""), std::tuple(EndKind::loading_device, "", ""),
        std::tuple(EndKind::domain_finder, "", "namingservice")}) {
    Connection connection = assembly.connections.front();
    connection.id = "c" + std::to_string(assembly.connections.size() + 1);
    connection.provides = {1, "", kind, name, type};
    assembly.connections.push_back(connection);
  }
  const Application record = deploy(request(assembly), domain);
  EXPECT_EQ(record.connections.size(), 5u);
  EXPECT_THAT(domain.world.left(), Contains("connection c5"));

  assembly.connections[1].provides.name = "none";
  EXPECT_THAT(
      error_of({assembly, "app_2", "radio 2", "", {}, {}, limits()}, domain),
      HasSubstr("connection 'c2' cannot be made (): eventchannel 'none' of the domain: there is none"));
}

TEST(Deployment, ConnectsTheDevicesThatLoadAndThatAreUsed) {
  FakeDomain domain(3);
  for (const std::size_t i : {1, 2})
    domain.candidates[i].candidate.properties.push_back(
        {"band", "band", "ulong", MatchAction::equal, std::to_string(i)});
  Assembly assembly = chain();
  assembly.packages[0].implementations[0].devices = {{"tuner", {{"band", "1"}}, {}}};
  assembly.devices = {{"tuner", {{"band", "2"}}, {}}};
  for (const auto& [kind, name] : {std::pair(EndKind::loading_device, ""),
                                   {EndKind::component_device, "tuner"},
                                   {EndKind::application_device, "tuner"}}) {
    Connection connection = assembly.connections.front();
    connection.id = "c" + std::to_string(assembly.connections.size() + 1);
    connection.provides = {0, "", kind, name, ""};
    assembly.connections.push_back(connection);
  }
  const Application record = deploy(request(assembly), domain);
  ASSERT_EQ(record.connections.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(record.connections[i + 1].provides,
              domain.own.orb->object_to_string(domain.candidates[i].reference))
        << "device " << i + 1;
}

/// A port that gets the events of a channel.
class Consumer final : public virtual CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  explicit Consumer(testing::World& world) : world_(world) {}
  void push(const CORBA::Any& event) override {
    std::string text;
    if (event >>= text) world_.call("consumer " + text);
  }
  void disconnect_push_consumer() override { world_.call("consumer disconnected"); }

 private:
  testing::World& world_;
};

TEST(Deployment, ConnectsConsumersToAnEventChannel) {
  FakeDomain domain;
  orbweaver::services::EventService service(domain.own.poa);
  auto channel = service.create_channel();
  domain.objects["events"] = channel.reference();
  const auto consumer = domain.components.poa->id_to_reference(
      domain.components.poa->activate_object(CORBA::make_reference<Consumer>(domain.world)));
  Assembly assembly = chain();
  Connection connection;
  connection.uses = {0, "", EndKind::domain_finder, "events", "eventchannel"};
  connection.provides = {0, "", EndKind::reference, domain.own.orb->object_to_string(consumer)};
  for (const char* const id : {"e1", "e2"}) {
    connection.id = id;
    assembly.connections.push_back(connection);
  }
  Application record = deploy(request(assembly), domain);
  const auto push = [&](const std::string& text) {
    CORBA::Any event;
    event <<= text;
    channel.push(event);
  };
  push("first");
  EXPECT_TRUE(becomes_true([&] { return domain.world.count("consumer first") == 2; }))
      << "one event over each connection";
  EXPECT_THAT(undeploy(record, domain, limits()), IsEmpty());
  EXPECT_TRUE(becomes_true([&] { return domain.world.count("consumer disconnected") == 2; }));

  assembly.connections.back().provides = {1, "in"};
  EXPECT_THAT(error_of({assembly, "app_2", "radio 2", "", {}, {}, limits()}, domain),
              HasSubstr("the provides port is no CosEventComm::PushConsumer"));
  assembly.connections.back().provides = {0, "", EndKind::domain_finder, "none", "eventchannel"};
  EXPECT_THAT(error_of({assembly, "app_3", "radio 3", "", {}, {}, limits()}, domain),
              HasSubstr("eventchannel 'none' of the domain: there is none"));
  EXPECT_EQ(channel.counts().consumer_proxies, 0u) << "a failed deployment gives its proxies back";
  service.shutdown();
}

}  // namespace
}  // namespace orbweaver::sca
