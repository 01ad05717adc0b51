// Limits of event channels, hostile events, reentrant consumers, and the end of a service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <thread>

#include "platform/testing/waiting_thread.h"
#include "services/events/testing/peers.h"

namespace orbweaver::services::testing {
namespace {

using platform::testing::WaitingThread;
using streams::WhenFull;

CORBA::Any block(std::size_t bytes) {
  CORBA::Any any;
  any <<= std::vector<std::uint8_t>(bytes);
  return any;
}

TEST(EventLimits, RejectsAnEventLargerThanAQueue) {
  EventChannelOptions options = patient();
  options.queue.bytes = 10'000;
  Channel c(options);
  const auto consumer = CORBA::make_reference<Consumer>();
  c.connect(consumer);
  EXPECT_THROW(c.connected_supplier()->push(block(10'001)), CORBA::IMP_LIMIT);
  EXPECT_THROW(c.channel.push(block(10'001)), CORBA::IMP_LIMIT);
  c.push(1, 1);
  EXPECT_TRUE(consumer->received.become({1}));
  EXPECT_EQ(c.channel.counts().rejected, 2u);
  EXPECT_EQ(c.channel.counts().events, 3u);
}

TEST(EventLimits, ConnectsNoChannelsInACircle) {
  EventChannelOptions options = patient();
  options.connects_own_proxies = false;
  Channel c(options);
  const auto channel = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(c.channel.reference());
  const auto pushed = channel->for_suppliers()->obtain_push_consumer();
  EXPECT_THROW(channel->for_consumers()->obtain_push_supplier()->connect_push_consumer(pushed),
               CORBA::BAD_PARAM);
  const auto pulled = channel->for_consumers()->obtain_pull_supplier();
  EXPECT_THROW(channel->for_suppliers()->obtain_pull_consumer()->connect_pull_supplier(pulled),
               CORBA::BAD_PARAM);
  const auto consumer = CORBA::make_reference<Consumer>();
  c.connect(consumer);
  c.push(1, 1);
  EXPECT_TRUE(consumer->received.become({1})) << "others are connected";
}

TEST(EventLimits, CountsTheTypeCodeOfAnEvent) {
  EventChannelOptions options = patient();
  options.queue.bytes = 10'000;
  Channel c(options);
  CORBA::Any any;
  any <<= std::uint8_t{1};
  c.channel.push(any);
  any.type(c.host.orb->create_alias_tc("IDL:Large:1.0", std::string(2000, 'n'), CORBA::_tc_octet));
  EXPECT_THROW(c.channel.push(any), CORBA::IMP_LIMIT);
}

TEST(EventLimits, DiscardsEventsOfTheFullestQueueWhenMemoryIsUsed) {
  EventChannelOptions options = patient();
  EventServiceLimits limits;
  limits.queued_bytes = 100'000;
  Channel c(options, limits);
  const EventChannel other = c.service.create_channel(options);
  Gate gate;
  c.connect(CORBA::make_reference<Consumer>([wait = gate.waiter()](std::int32_t) { wait(); }));
  c.push(1, 1);
  ASSERT_TRUE(gate.reached());
  Received received;
  const auto subscription = other.subscribe([&](const CORBA::Any& any) { received.add(any); });
  for (int i = 0; i < 50; ++i) {
    c.channel.push(block(10'000));
    other.push(event(i));
    EXPECT_LE(c.service.queued_bytes(), 100'000u);
  }
  EXPECT_TRUE(becomes_true([&] { return received.numbers().size() == 50; }))
      << "another channel pays nothing";
  EXPECT_EQ(other.counts().discarded, 0u);
  EXPECT_GE(c.channel.counts().discarded, 40u);
  EXPECT_EQ(c.channel.counts().rejected, 0u);
  gate.open();
}

TEST(EventLimits, RejectsEventsWhileAllMemoryIsBeingDelivered) {
  EventServiceLimits limits;
  limits.queued_bytes = 100'000;
  Channel c(patient(), limits);
  Gate gate;
  const auto subscription = c.channel.subscribe([wait = gate.waiter()](const CORBA::Any&) { wait(); });
  c.channel.push(block(90'000));
  ASSERT_TRUE(gate.reached());
  EXPECT_THROW(c.channel.push(block(20'000)), CORBA::TRANSIENT);
  EXPECT_EQ(c.channel.counts().rejected, 1u);
  gate.open();
  EXPECT_TRUE(c.channel.drain(Deadline::never()));
  EXPECT_TRUE(becomes_true([&] { return c.service.queued_bytes() == 0; }));
  c.channel.push(block(20'000));
}

TEST(EventLimits, KeepsQueuedEventsWhenAnEventCanNeverFit) {
  EventServiceLimits limits;
  limits.queued_bytes = 100'000;
  Channel c(patient(), limits);
  const auto consumer = c.connected_pull_consumer();
  c.channel.push(event(1));
  EXPECT_THROW(c.channel.push(block(150'000)), CORBA::IMP_LIMIT);
  bool has_event = false;
  consumer->try_pull(has_event);
  EXPECT_TRUE(has_event);
}

TEST(EventLimits, EndsUnconnectedProxiesBeforeConnectedOnes) {
  EventChannelOptions options = patient();
  options.max_suppliers = 2;
  options.idle_ms = 0;
  Channel c(options);
  const auto connected = c.connected_supplier();
  const auto unconnected = c.push_consumer();
  const auto third = c.push_consumer();
  EXPECT_NO_THROW(connected->push(event(1)));
}

TEST(EventLimits, EndsUnconnectedProxiesToMakeSpace) {
  EventChannelOptions options = patient();
  options.max_consumers = 2;
  options.max_suppliers = 2;
  Channel c(options);
  const auto connected = c.connected_pull_consumer();
  const auto unconnected = c.pull_supplier();
  const auto newer = c.pull_supplier();
  EXPECT_THROW(unconnected->connect_pull_consumer(nullptr), CORBA::OBJECT_NOT_EXIST);
  newer->connect_pull_consumer(nullptr);
  EXPECT_THROW(c.push_supplier(), CORBA::NO_RESOURCES) << "both are connected";
  connected->disconnect_pull_supplier();
  EXPECT_NO_THROW(c.push_supplier());
  for (int i = 0; i < 10; ++i) c.push_consumer();
  const EventChannelCounts counts = c.channel.counts();
  EXPECT_EQ(counts.evicted, 9u);
  EXPECT_EQ(counts.supplier_proxies, 2u);
  EXPECT_EQ(counts.consumer_proxies, 2u);
}

TEST(EventLimits, EndsTheLongestIdleProxyToMakeSpace) {
  EventChannelOptions options = patient();
  options.max_suppliers = 2;
  options.idle_ms = 0;
  Channel c(options);
  const auto first = c.connected_supplier(), second = c.connected_supplier();
  first->push(event(1));
  const auto third = c.connected_supplier();
  EXPECT_THROW(second->push(event(2)), CORBA::OBJECT_NOT_EXIST);
  EXPECT_NO_THROW(first->push(event(3)));
  EXPECT_NO_THROW(third->push(event(4)));
  // A proxy with a thread is not idle: the channel calls its peer, and notices its end.
  first->disconnect_push_consumer();
  third->disconnect_push_consumer();
  c.connect(CORBA::make_reference<PullSupplier>(0));
  c.connect(CORBA::make_reference<PullSupplier>(0));
  EXPECT_THROW(c.push_consumer(), CORBA::NO_RESOURCES);
}

TEST(EventLimits, EndsAnIdlePullConsumerToMakeSpace) {
  EventChannelOptions options = patient();
  options.max_consumers = 1;
  options.idle_ms = 0;
  Channel c(options);
  const auto first = c.connected_pull_consumer(), second = c.connected_pull_consumer();
  bool has_event = false;
  EXPECT_THROW(first->try_pull(has_event), CORBA::OBJECT_NOT_EXIST);
  c.push(1, 1);
  EXPECT_EQ(number(second->try_pull(has_event)), 1);
  EXPECT_TRUE(has_event);
  EXPECT_EQ(c.channel.counts().evicted, 1u);
}

/// An event channel with clients that are counted apart: `object` is called by another host, over a network,
/// and `local` by this process.
class TwoClients {
 public:
  using Object = IDL::traits<CosEventChannelAdmin::EventChannel>::ref_type;

  explicit TwoClients(std::size_t max_proxies, std::int64_t idle_ms = patient().idle_ms)
      : service(host.root), channel(service.create_channel(options(max_proxies, idle_ms))),
        object(client.to<CosEventChannelAdmin::EventChannel>(host, channel.reference())),
        local(IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(channel.reference())) {}

  static auto supplier(const Object& channel) { return channel->for_suppliers()->obtain_push_consumer(); }
  static auto connected_supplier(const Object& channel) {
    auto proxy = supplier(channel);
    proxy->connect_push_supplier(nullptr);
    return proxy;
  }

  Orb host{"inproc,tcp"}, client{"shm", "tcp"};
  EventService service;
  EventChannel channel;
  Object object, local;

 private:
  static EventChannelOptions options(std::size_t max_proxies, std::int64_t idle_ms) {
    EventChannelOptions options = patient();
    options.max_consumers = options.max_suppliers = max_proxies;
    options.idle_ms = idle_ms;
    return options;
  }
};

TEST(EventLimits, GivesOneClientHalfOfTheProxies) {
  TwoClients c(6);
  for (int i = 0; i < 3; ++i) {
    c.connected_supplier(c.object);
    c.object->for_consumers()->obtain_pull_supplier()->connect_pull_consumer(nullptr);
  }
  EXPECT_THROW(c.supplier(c.object), CORBA::IMP_LIMIT);
  EXPECT_THROW(c.object->for_consumers()->obtain_push_supplier(), CORBA::IMP_LIMIT);
  for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(c.connected_supplier(c.local));
  EXPECT_THROW(c.supplier(c.local), CORBA::NO_RESOURCES);
  EXPECT_EQ(c.channel.counts().evicted, 0u);
}

TEST(EventLimits, ReplacesOwnProxiesOfAClientThatHasItsHalf) {
  TwoClients c(4, 0);
  const auto other = c.connected_supplier(c.local);  // older, and silent for idle_ms
  const auto first = c.supplier(c.object), second = c.supplier(c.object), third = c.supplier(c.object);
  EXPECT_THROW(first->connect_push_supplier(nullptr), CORBA::OBJECT_NOT_EXIST);
  EXPECT_NO_THROW(second->connect_push_supplier(nullptr));
  EXPECT_NO_THROW(other->push(event(1)));
}

TEST(EventLimits, KeepsTheUnconnectedProxyOfAnotherClient) {
  TwoClients c(4);
  const auto first = c.supplier(c.local);
  for (int i = 0; i < 2; ++i) c.connected_supplier(c.local);
  for (int i = 0; i < 8; ++i) c.supplier(c.object);
  EXPECT_NO_THROW(first->connect_push_supplier(nullptr));
}

TEST(EventLimits, EndsUnconnectedProxiesOfTheClientThatHasMost) {
  TwoClients c(4);
  const auto one = c.supplier(c.object);
  const auto oldest = c.supplier(c.local), newer = c.supplier(c.local), newest = c.supplier(c.local);
  c.supplier(c.object);
  EXPECT_THROW(oldest->connect_push_supplier(nullptr), CORBA::OBJECT_NOT_EXIST);
  EXPECT_NO_THROW(one->connect_push_supplier(nullptr));
}

TEST(EventLimits, LimitsChannelsAndThreads) {
  EventServiceLimits limits;
  limits.max_channels = 2;
  limits.max_threads = 1;
  Channel c(patient(), limits);
  const EventChannel second = c.service.create_channel();
  EXPECT_THROW(c.service.create_channel(), CORBA::NO_RESOURCES);
  second.destroy();
  EXPECT_NO_THROW(c.service.create_channel());

  const auto first = c.connect(CORBA::make_reference<Consumer>());
  const auto proxy = c.push_supplier();
  const auto consumer = CORBA::make_reference<Consumer>();
  const auto object = c.client.serve<CosEventComm::PushConsumer>(consumer);
  EXPECT_THROW(proxy->connect_push_consumer(object), CORBA::NO_RESOURCES);
  EXPECT_THROW((void)c.channel.subscribe([](const CORBA::Any&) {}), CORBA::NO_RESOURCES);
  first->disconnect_push_supplier();
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
  proxy->connect_push_consumer(object);
  c.push(1, 1);
  EXPECT_TRUE(consumer->received.become({1}));
}

TEST(EventLimits, RejectsInvalidOptions) {
  Channel c;
  const auto rejects = [&](auto&& change) {
    EventChannelOptions options;
    change(options);
    EXPECT_THROW(c.service.create_channel(options), std::invalid_argument);
  };
  rejects([](auto& options) { options.queue.when_full = WhenFull::reject; });
  rejects([](auto& options) { options.queue.packets = 0; });
  rejects([](auto& options) { options.queue.bytes = 0; });
  rejects([](auto& options) { options.block_ms = -1; });
  rejects([](auto& options) { options.call_timeout_ms = 0; });
  rejects([](auto& options) { options.call_timeout_ms = std::numeric_limits<std::int64_t>::max(); });
  rejects([](auto& options) { options.max_failures = 0; });
  rejects([](auto& options) { options.max_consumers = 0; });
  EventServiceLimits limits;
  limits.max_channels = 0;
  EXPECT_THROW(EventService(c.client.root, limits), std::invalid_argument);
  EXPECT_THROW(EventService(c.host.root), PortableServer::POA::AdapterAlreadyExists);
}

TEST(EventReentrancy, DisconnectsAConsumerInItsOwnPush) {
  Channel c;
  IDL::traits<CosEventChannelAdmin::ProxyPushSupplier>::ref_type proxy;
  const auto consumer =
      CORBA::make_reference<Consumer>([&](std::int32_t) { proxy->disconnect_push_supplier(); });
  proxy = c.push_supplier();
  proxy->connect_push_consumer(c.client.serve<CosEventComm::PushConsumer>(consumer));
  c.push(1, 5);
  EXPECT_TRUE(becomes_true([&] { return consumer->disconnected == 1; }));
  EXPECT_EQ(consumer->received.numbers(), std::vector<std::int32_t>{1});
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
}

TEST(EventReentrancy, PushesAndConnectsInAPush) {
  Channel c(with_queue(2, WhenFull::block));
  const auto later = CORBA::make_reference<Consumer>();
  const auto supplier = c.connected_supplier();
  const auto consumer = CORBA::make_reference<Consumer>([&](std::int32_t number) {
    if (number == 1) c.connect(later);
    if (number < 10) supplier->push(event(number + 1));
  });
  c.connect(consumer);
  c.push(1, 1);
  EXPECT_TRUE(consumer->received.become({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_TRUE(later->received.become({2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(EventReentrancy, DestroysTheChannelInAPush) {
  Channel c;
  const auto consumer = CORBA::make_reference<Consumer>([&](std::int32_t) { c.object->destroy(); });
  c.connect(consumer);
  c.push(1, 1);
  EXPECT_TRUE(becomes_true([&] { return consumer->disconnected == 1; }));
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
}

TEST(EventReentrancy, EndsASubscriptionAndItsChannelInItsFunction) {
  Channel c;
  EventSubscription subscription;
  std::atomic<int> calls{0};
  subscription = c.channel.subscribe([&](const CORBA::Any&) {
    ++calls;
    EXPECT_THROW(c.service.shutdown(), CORBA::BAD_INV_ORDER);
    subscription.end();
    c.channel.destroy();
  });
  c.push(1, 1);
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
  EXPECT_EQ(calls, 1);
}

TEST(EventBadInput, SurvivesHostileEvents) {
  Channel c;
  const auto consumer = CORBA::make_reference<Consumer>();
  c.connect(consumer);
  const auto supplier = c.connected_supplier();
  const auto nested = [](int levels) {
    CORBA::Any any = event(1);
    for (int i = 0; i < levels; ++i) {
      CORBA::Any outer;
      outer <<= any;
      any = outer;
    }
    return any;
  };
  EXPECT_THROW(supplier->push(nested(400)), CORBA::SystemException);
  supplier->push(nested(100));
  supplier->push(CORBA::Any());
  supplier->push(event(2));
  EXPECT_TRUE(consumer->received.become({-1, -1, 2}));
}

TEST(EventBadInput, SurvivesAFlood) {
  Channel c(with_queue(8, WhenFull::drop_oldest));
  const auto consumer = CORBA::make_reference<Consumer>();
  c.connect(consumer);
  std::vector<std::thread> suppliers;
  for (int i = 0; i < 6; ++i) {
    suppliers.emplace_back([&] {
      const auto supplier = c.connected_supplier();
      for (int k = 0; k < 200; ++k) supplier->push(event(k));
      for (int k = 0; k < 20; ++k) c.push_supplier();
    });
  }
  for (std::thread& supplier : suppliers) supplier.join();
  EXPECT_TRUE(c.channel.drain(Deadline::never()));
  const EventChannelCounts counts = c.channel.counts();
  EXPECT_EQ(counts.accepted, 1200u);
  EXPECT_EQ(counts.delivered + counts.discarded, 1200u);
  EXPECT_EQ(counts.failed, 0u);
}

TEST(EventService, EndsWithDeliveriesInProgress) {
  Orb client, host;
  EventService service(host.root);
  Gate gate;
  std::vector<EventChannel> channels;
  for (int i = 0; i < 10; ++i) {
    channels.push_back(service.create_channel(with_queue(4, WhenFull::block)));
    const auto object = client.to<CosEventChannelAdmin::EventChannel>(host, channels.back().reference());
    const auto proxy = object->for_consumers()->obtain_push_supplier();
    proxy->connect_push_consumer(client.serve<CosEventComm::PushConsumer>(
        CORBA::make_reference<Consumer>([wait = gate.waiter()](std::int32_t) { wait(); })));
    for (int k = 0; k < 4; ++k) channels.back().push(event(k));
  }
  ASSERT_TRUE(gate.reached(10));
  EXPECT_EQ(event_threads(), 10);
  {
    WaitingThread supplier([&] {
      for (int k = 0; k < 2; ++k) channels[0].push(event(k));  // the second one waits
    });
    EXPECT_TRUE(supplier.waits());
    WaitingThread ending([&] { service.shutdown(); });
    EXPECT_TRUE(ending.waits());
    gate.open();
  }
  // The kernel removes a thread after it has been joined.
  EXPECT_TRUE(becomes_true([&] { return event_threads() == 0; }));
  EXPECT_EQ(service.channels(), 0u);
  EXPECT_EQ(service.queued_bytes(), 0u);
  EXPECT_THROW(service.create_channel(), CORBA::BAD_INV_ORDER);
  service.shutdown();  // again
}

}  // namespace
}  // namespace orbweaver::services::testing
