// Event channels: the operations, exceptions and states of the standard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "platform/testing/waiting_thread.h"
#include "services/events/consumer_proxies.h"
#include "services/events/testing/peers.h"

namespace orbweaver::services::testing {
namespace {

using CosEventChannelAdmin::AlreadyConnected;
using CosEventComm::Disconnected;
using platform::testing::WaitingThread;
using streams::WhenFull;

/// Pulls `count` events.
template <class Proxy>
std::vector<std::int32_t> pulled(const Proxy& proxy, int count) {
  std::vector<std::int32_t> numbers;
  while (static_cast<int>(numbers.size()) < count) {
    try {
      numbers.push_back(number(proxy->pull()));
    } catch (const CORBA::TRANSIENT&) {  // none within pull_wait_ms
    }
  }
  return numbers;
}

TEST(EventChannel, PassesEventsOfPushSuppliersToPushAndPullConsumers) {
  Channel c;
  const auto consumer = CORBA::make_reference<Consumer>();
  c.connect(consumer);
  const auto pull = c.connected_pull_consumer();
  const auto supplier = c.connected_supplier();
  for (int i = 1; i <= 20; ++i) supplier->push(event(i));
  std::vector<std::int32_t> expected(20);
  for (int i = 0; i < 20; ++i) expected[static_cast<std::size_t>(i)] = i + 1;
  EXPECT_TRUE(consumer->received.become(expected));
  EXPECT_EQ(pulled(pull, 20), expected);
  EXPECT_EQ(c.channel.counts().events, 20u);
  EXPECT_TRUE(c.channel.drain(Deadline::never()));
  EXPECT_EQ(c.channel.counts().delivered, 40u);
}

TEST(EventChannel, PassesEventsOfPullSuppliersToPushAndPullConsumers) {
  Channel c;
  const auto consumer = CORBA::make_reference<Consumer>();
  c.connect(consumer);
  const auto pull = c.connected_pull_consumer();
  c.connect(CORBA::make_reference<PullSupplier>(5));
  EXPECT_TRUE(consumer->received.become({1, 2, 3, 4, 5}));
  EXPECT_EQ(pulled(pull, 5), (std::vector<std::int32_t>{1, 2, 3, 4, 5}));
}

TEST(EventChannel, PassesEventsBetweenTheHostAndClients) {
  Channel c;
  const auto consumer = CORBA::make_reference<Consumer>();
  c.connect(consumer);
  Received local;
  const auto subscription = c.channel.subscribe([&](const CORBA::Any& any) { local.add(any); });
  c.push(1, 2);
  c.connected_supplier()->push(event(3));
  EXPECT_TRUE(local.become({1, 2, 3}));
  EXPECT_TRUE(consumer->received.become({1, 2, 3}));
  EXPECT_TRUE(c.channel.drain(Deadline::never()));
  EXPECT_EQ(subscription.counts().delivered, 3u);
}

TEST(EventChannel, KeepsTheOrderOfEachSupplier) {
  Channel c(with_queue(64, WhenFull::block));
  const auto first = CORBA::make_reference<Consumer>(), second = CORBA::make_reference<Consumer>();
  c.connect(first);
  c.connect(second);
  const auto push = [&](std::int32_t base) {
    const auto supplier = c.connected_supplier();
    for (std::int32_t i = 0; i < 200; ++i) supplier->push(event(base + i));
  };
  std::thread other(push, 1000);
  push(0);
  other.join();
  ASSERT_TRUE(c.channel.drain(Deadline::never()));
  for (const auto& consumer : {first, second}) {
    std::int32_t next[2] = {0, 1000};
    for (const std::int32_t received : consumer->received.numbers())
      EXPECT_EQ(received, next[received / 1000]++);
    EXPECT_EQ(next[0], 200);
    EXPECT_EQ(next[1], 1200);
  }
}

TEST(EventChannel, ConnectsEachProxyOnce) {
  Channel c;
  const auto consumer = c.client.serve<CosEventComm::PushConsumer>(CORBA::make_reference<Consumer>());
  const auto supplier = c.client.serve<CosEventComm::PullSupplier>(CORBA::make_reference<PullSupplier>(0));
  const auto push_supplier = c.push_supplier();
  push_supplier->connect_push_consumer(consumer);
  EXPECT_THROW(push_supplier->connect_push_consumer(consumer), AlreadyConnected);
  const auto pull_consumer = c.pull_consumer();
  pull_consumer->connect_pull_supplier(supplier);
  EXPECT_THROW(pull_consumer->connect_pull_supplier(supplier), AlreadyConnected);
  EXPECT_THROW(c.connected_supplier()->connect_push_supplier(nullptr), AlreadyConnected);
  EXPECT_THROW(c.connected_pull_consumer()->connect_pull_consumer(nullptr), AlreadyConnected);
}

TEST(EventChannel, RejectsNilObjectsThatItWouldCall) {
  Channel c;
  const auto push_supplier = c.push_supplier();
  EXPECT_THROW(push_supplier->connect_push_consumer(nullptr), CORBA::BAD_PARAM);
  EXPECT_THROW(c.pull_consumer()->connect_pull_supplier(nullptr), CORBA::BAD_PARAM);
  // The proxy can still be connected.
  push_supplier->connect_push_consumer(
      c.client.serve<CosEventComm::PushConsumer>(CORBA::make_reference<Consumer>()));
}

TEST(EventChannel, RaisesDisconnectedBeforeTheConnection) {
  Channel c;
  bool has_event = false;
  EXPECT_THROW(c.push_consumer()->push(event(1)), Disconnected);
  EXPECT_THROW(c.pull_supplier()->pull(), Disconnected);
  EXPECT_THROW(c.pull_supplier()->try_pull(has_event), Disconnected);
}

TEST(EventChannel, EndsAProxyOnceAndTellsItsPeer) {
  Channel c;
  const auto consumer = CORBA::make_reference<Consumer>();
  const auto push_supplier = c.connect(consumer);
  push_supplier->disconnect_push_supplier();
  EXPECT_THROW(push_supplier->disconnect_push_supplier(), CORBA::OBJECT_NOT_EXIST);

  const auto pull_supplier_object = CORBA::make_reference<PullSupplier>(0);
  const auto pull_consumer = c.connect(pull_supplier_object);
  pull_consumer->disconnect_pull_consumer();
  EXPECT_THROW(pull_consumer->disconnect_pull_consumer(), CORBA::OBJECT_NOT_EXIST);

  const auto supplier = CORBA::make_reference<Supplier>();
  const auto push_consumer = c.push_consumer();
  push_consumer->connect_push_supplier(c.client.serve<CosEventComm::PushSupplier>(supplier));
  push_consumer->disconnect_push_consumer();
  EXPECT_THROW(push_consumer->push(event(1)), CORBA::OBJECT_NOT_EXIST);

  const auto pull_consumer_object = CORBA::make_reference<PullConsumer>();
  const auto pull_supplier = c.pull_supplier();
  pull_supplier->connect_pull_consumer(c.client.serve<CosEventComm::PullConsumer>(pull_consumer_object));
  pull_supplier->disconnect_pull_supplier();
  EXPECT_THROW(pull_supplier->pull(), CORBA::OBJECT_NOT_EXIST);

  EXPECT_TRUE(becomes_true([&] {
    return consumer->disconnected == 1 && pull_supplier_object->disconnected == 1 &&
           supplier->disconnected == 1 && pull_consumer_object->disconnected == 1;
  }));
  EXPECT_TRUE(c.counts_become([](const EventChannelCounts& counts) {
    return counts.consumer_proxies == 0 && counts.supplier_proxies == 0 && counts.consumers == 0;
  }));
  EXPECT_EQ(c.channel.counts().removed, 0u);
}

TEST(EventChannel, TellsAllPeersOfItsEnd) {
  Channel c;
  const auto consumer = CORBA::make_reference<Consumer>();
  const auto supplier = CORBA::make_reference<PullSupplier>(0);
  c.connect(consumer);
  c.connect(supplier);
  const auto subscription = c.channel.subscribe([](const CORBA::Any&) {});
  const auto admin = c.object->for_consumers();
  c.object->destroy();
  EXPECT_TRUE(becomes_true([&] { return consumer->disconnected == 1 && supplier->disconnected == 1; }));
  EXPECT_THROW(c.object->for_consumers(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(c.object->destroy(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(admin->obtain_push_supplier(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(c.channel.push(event(1)), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW((void)c.channel.subscribe([](const CORBA::Any&) {}), CORBA::OBJECT_NOT_EXIST);
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
  EXPECT_EQ(c.service.channels(), 0u);
}

TEST(EventChannel, IsDestroyedByClientsOnlyIfTheHostAllowsIt) {
  EventChannelOptions options = patient();
  options.clients_may_destroy = false;
  Channel c(options);
  EXPECT_THROW(c.object->destroy(), CORBA::NO_PERMISSION);
  c.connected_supplier()->push(event(1));
  c.channel.destroy();
  EXPECT_THROW(c.object->for_consumers(), CORBA::OBJECT_NOT_EXIST);
}

TEST(EventChannel, WaitsInPullForAnEvent) {
  Channel c;
  const auto proxy = c.connected_pull_consumer();
  WaitingThread puller([&] { EXPECT_EQ(number(proxy->pull()), 7); });
  ASSERT_TRUE(puller.waits());
  c.push(7, 7);
  puller.join();
}

TEST(EventChannel, EndsAPullThatWaitsForAnEvent) {
  Channel c;
  const auto proxy =
      c.host.to<CosEventChannelAdmin::ProxyPullSupplier>(c.client, c.connected_pull_consumer());
  // Called without the ORB: a request that is not being executed at the end raises OBJECT_NOT_EXIST.
  const auto servant = c.host.root->find_POA("EventProxies", false)->reference_to_servant(proxy);
  auto& supplier = dynamic_cast<events::ProxyPullSupplier&>(*servant);
  WaitingThread puller([&] { EXPECT_THROW(supplier.pull(), Disconnected); });
  ASSERT_TRUE(puller.waits());
  c.channel.destroy();
  puller.join();
}

TEST(EventChannel, WaitsInPullForALimitedTime) {
  EventChannelOptions options = patient();
  options.pull_wait_ms = 1;
  Channel c(options);
  const auto proxy = c.connected_pull_consumer();
  EXPECT_THROW(proxy->pull(), CORBA::TRANSIENT);
  bool has_event = true;
  proxy->try_pull(has_event);
  EXPECT_FALSE(has_event);
}

TEST(EventChannel, ServesOtherObjectsOfAClientWhileItsPullWaits) {
  Channel c;
  const auto proxy = c.connected_pull_consumer();
  const auto supplier = c.connected_supplier();
  WaitingThread puller([&] { EXPECT_EQ(number(proxy->pull()), 7); });
  ASSERT_TRUE(puller.waits());
  supplier->push(event(7));  // by the same connection
  puller.join();
}

}  // namespace
}  // namespace orbweaver::services::testing
