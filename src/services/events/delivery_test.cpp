// Consumers and suppliers that are slow, hang, raise exceptions or die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "platform/testing/waiting_thread.h"
#include "services/events/testing/peers.h"

namespace orbweaver::services::testing {
namespace {

using platform::testing::WaitingThread;
using streams::WhenFull;

/// A consumer that waits at a gate with the event 1. Declare the gate after the channel: its destructor opens
/// it first.
auto gated(const Gate& gate) {
  return CORBA::make_reference<Consumer>([wait = gate.waiter()](std::int32_t number) {
    if (number == 1) wait();
  });
}

TEST(EventDelivery, DoesNotWaitForOtherConsumers) {
  Channel c;
  Gate gate;
  const auto hanging = gated(gate);
  const auto other = CORBA::make_reference<Consumer>();
  c.connect(hanging);
  c.connect(other);  // in the same process
  c.push(1, 3);
  EXPECT_TRUE(gate.reached());
  EXPECT_TRUE(other->received.become({1, 2, 3}));
  EXPECT_TRUE(hanging->received.numbers().empty());
  gate.open();
  EXPECT_TRUE(hanging->received.become({1, 2, 3}));
}

TEST(EventDelivery, DropsTheOldestEventsOfASlowConsumer) {
  Channel c(with_queue(3, WhenFull::drop_oldest));
  Gate gate;
  const auto consumer = gated(gate);
  c.connect(consumer);
  c.push(1, 1);
  ASSERT_TRUE(gate.reached());
  c.push(2, 10);
  EXPECT_EQ(c.channel.consumers().at(0).queued, 3u);
  gate.open();
  EXPECT_TRUE(consumer->received.become({1, 8, 9, 10}));
  EXPECT_TRUE(c.channel.drain(Deadline::never()));
  const EventConsumerCounts counts = c.channel.consumers().at(0);
  EXPECT_EQ(counts.accepted, 10u);
  EXPECT_EQ(counts.delivered, 4u);
  EXPECT_EQ(counts.discarded, 6u);
}

TEST(EventDelivery, DropsTheNewestEventsOfASlowConsumer) {
  Channel c(with_queue(3, WhenFull::drop_newest));
  Gate gate;
  const auto consumer = gated(gate);
  c.connect(consumer);
  c.push(1, 1);
  ASSERT_TRUE(gate.reached());
  c.push(2, 10);
  gate.open();
  EXPECT_TRUE(consumer->received.become({1, 2, 3, 4}));
  EXPECT_EQ(c.channel.counts().discarded, 6u);
}

TEST(EventDelivery, MakesTheSupplierWaitForASlowConsumer) {
  Channel c(with_queue(2, WhenFull::block));
  Gate gate;
  const auto slow = gated(gate);
  const auto other = CORBA::make_reference<Consumer>();
  c.connect(slow);
  c.connect(other);
  const auto supplier = c.connected_supplier();
  for (int i = 1; i <= 3; ++i) {
    supplier->push(event(i));
    if (i == 1) {
      ASSERT_TRUE(gate.reached());
    }
  }
  WaitingThread pushing([&] { supplier->push(event(4)); });
  EXPECT_TRUE(pushing.waits());
  EXPECT_TRUE(other->received.become({1, 2, 3, 4})) << "it does not wait with the supplier";
  gate.open();
  pushing.join();
  EXPECT_TRUE(slow->received.become({1, 2, 3, 4}));
  EXPECT_EQ(c.channel.counts().discarded, 0u);
}

TEST(EventDelivery, GivesEachConsumerTheEventOfAWaitingSupplierWhenItHasSpace) {
  Channel c(with_queue(2, WhenFull::block));
  Gate first_gate, second_gate;
  const auto first = gated(first_gate), second = gated(second_gate);
  c.connect(first);
  c.connect(second);
  c.push(1, 1);
  ASSERT_TRUE(first_gate.reached());
  ASSERT_TRUE(second_gate.reached());
  c.push(2, 3);
  WaitingThread pushing([&] { c.push(4, 4); });  // both queues are full
  ASSERT_TRUE(pushing.waits());
  second_gate.open();
  EXPECT_TRUE(second->received.become({1, 2, 3, 4})) << "the supplier still waits for the first one";
  EXPECT_TRUE(first->received.numbers().empty());
  first_gate.open();
  pushing.join();
  EXPECT_TRUE(first->received.become({1, 2, 3, 4}));
}

TEST(EventDelivery, ServesWaitingSuppliersInTheirOrder) {
  Channel c(with_queue(1, WhenFull::block));
  Gate gate;
  const auto consumer = gated(gate);
  c.connect(consumer);
  c.push(1, 1);
  ASSERT_TRUE(gate.reached());
  c.push(2, 2);
  WaitingThread third([&] { c.push(3, 3); });
  ASSERT_TRUE(third.waits());
  WaitingThread fourth([&] { c.push(4, 4); });
  ASSERT_TRUE(fourth.waits());
  gate.open();
  EXPECT_TRUE(consumer->received.become({1, 2, 3, 4}));
}

TEST(EventDelivery, EndsTheWaitForAConsumerThatDisconnects) {
  Channel c(with_queue(1, WhenFull::block));
  Gate gate;
  const auto proxy = c.connect(gated(gate));
  c.push(1, 1);
  ASSERT_TRUE(gate.reached());
  c.push(2, 2);
  WaitingThread pushing([&] { c.push(3, 3); });
  ASSERT_TRUE(pushing.waits());
  proxy->disconnect_push_supplier();
  pushing.join();
}

TEST(EventDelivery, WaitsForAStalledConsumerOnce) {
  EventChannelOptions options = with_queue(2, WhenFull::block);
  options.block_ms = 5;
  Channel c(options);
  Gate gate;
  const auto stalled = gated(gate);
  c.connect(stalled);
  c.push(1, 1);
  ASSERT_TRUE(gate.reached());
  c.push(2, 4);  // 4 waits, and is discarded
  EXPECT_EQ(c.channel.counts().discarded, 1u);
  c.push(5, 304);
  EXPECT_EQ(c.channel.counts().discarded, 301u);
  EXPECT_EQ(c.channel.consumers().at(0).waits, 1u);
  gate.open();
  EXPECT_TRUE(stalled->received.become({1, 2, 3}));
  EXPECT_TRUE(c.channel.drain(Deadline::never()));
  c.push(305, 305);
  EXPECT_TRUE(stalled->received.become({1, 2, 3, 305}));
}

TEST(EventDelivery, RemovesAConsumerThatDoesNotExist) {
  Channel c;
  const auto consumer = CORBA::make_reference<Consumer>();
  c.connect(consumer);
  c.client.root->deactivate_object(c.client.root->servant_to_id(consumer));
  c.push(1, 1);
  EXPECT_TRUE(
      c.counts_become([](const auto& counts) { return counts.removed == 1 && counts.consumers == 0; }));
  EXPECT_EQ(c.channel.counts().failed_calls, 1u);
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
}

TEST(EventDelivery, RemovesAConsumerThatRaisesDisconnected) {
  Channel c;
  const auto consumer =
      CORBA::make_reference<Consumer>([](std::int32_t) { throw CosEventComm::Disconnected(); });
  c.connect(consumer);
  c.push(1, 3);
  EXPECT_TRUE(
      c.counts_become([](const auto& counts) { return counts.removed == 1 && counts.consumers == 0; }));
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
  EXPECT_EQ(consumer->calls, 1);
  EXPECT_EQ(consumer->disconnected, 0);
}

TEST(EventDelivery, RemovesAConsumerAfterFailuresInSuccession) {
  Channel c(with_failures(3));
  const auto consumer = CORBA::make_reference<Consumer>([](std::int32_t number) {
    if (number != 3) throw CORBA::BAD_OPERATION();
  });
  c.connect(consumer);
  c.push(1, 5);  // 1 and 2 fail, 3 does not
  EXPECT_TRUE(c.channel.drain(Deadline::never()));
  EXPECT_EQ(c.channel.counts().removed, 0u);
  c.push(6, 10);
  EXPECT_TRUE(becomes_true([&] { return consumer->disconnected == 1; })) << "it answers, and is told";
  EXPECT_EQ(consumer->calls, 6);
  EXPECT_EQ(c.channel.counts().removed, 1u);
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
  const EventChannelCounts counts = c.channel.counts();
  EXPECT_EQ(counts.failed, 5u);
  EXPECT_EQ(counts.accepted, counts.delivered + counts.failed + counts.discarded);
}

TEST(EventDelivery, RepeatsACallThatRaisesTransient) {
  Channel c(with_failures(5));
  std::atomic<int> attempts{0};
  const auto consumer = CORBA::make_reference<Consumer>([&](std::int32_t) {
    if (++attempts <= 3) throw CORBA::TRANSIENT();
  });
  c.connect(consumer);
  c.push(1, 2);
  EXPECT_TRUE(consumer->received.become({1, 2}));
  EXPECT_TRUE(c.channel.drain(Deadline::never()));
  EXPECT_EQ(c.channel.counts().failed, 0u);
  EXPECT_EQ(c.channel.counts().failed_calls, 3u);
}

TEST(EventDelivery, DoesNotRepeatACallThatMayHaveBeenExecuted) {
  Channel c(with_failures(5));
  const auto consumer = CORBA::make_reference<Consumer>([&](std::int32_t number) {
    if (number == 1) throw CORBA::TRANSIENT(0, CORBA::CompletionStatus::COMPLETED_MAYBE);
  });
  c.connect(consumer);
  c.push(1, 2);
  EXPECT_TRUE(consumer->received.become({2}));
  EXPECT_EQ(consumer->calls, 2);
}

TEST(EventDelivery, RemovesConsumersAndPullSuppliersOfADeadProcess) {
  Channel c(with_failures(3));
  Orb dying;
  const auto consumer = CORBA::make_reference<Consumer>();
  const auto proxy = c.push_supplier();
  proxy->connect_push_consumer(
      c.client.to<CosEventComm::PushConsumer>(dying, dying.serve<CosEventComm::PushConsumer>(consumer)));
  c.push(1, 1);
  ASSERT_TRUE(consumer->received.become({1}));
  c.pull_consumer()->connect_pull_supplier(c.client.to<CosEventComm::PullSupplier>(
      dying, dying.serve<CosEventComm::PullSupplier>(CORBA::make_reference<PullSupplier>(0))));
  dying.destroy();
  c.push(2, 5);
  EXPECT_TRUE(c.counts_become([](const auto& counts) {
    return counts.removed == 2 && counts.consumers == 0 && counts.supplier_proxies == 0;
  }));
  EXPECT_THROW(proxy->disconnect_push_supplier(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
  EXPECT_EQ(c.service.queued_bytes(), 0u);
}

TEST(EventDelivery, RemovesAConsumerThatHangs) {
  EventChannelOptions options = with_failures(2);
  options.call_timeout_ms = 20;
  Channel c(options);
  Gate gate;
  const auto consumer = CORBA::make_reference<Consumer>([wait = gate.waiter()](std::int32_t) { wait(); });
  c.connect(consumer);
  c.push(1, 5);
  EXPECT_TRUE(
      c.counts_become([](const auto& counts) { return counts.removed == 1 && counts.consumers == 0; }));
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
  EXPECT_EQ(c.channel.counts().failed_calls, 2u);
}

TEST(EventDelivery, DoesNotWaitForAPullSupplierThatHangs) {
  Channel c(with_failures(5));
  Gate gate;
  const auto consumer = CORBA::make_reference<Consumer>();
  c.connect(consumer);
  c.connect(CORBA::make_reference<PullSupplier>(5, gate.waiter()));
  ASSERT_TRUE(gate.reached());
  c.connect(CORBA::make_reference<PullSupplier>(3));
  EXPECT_TRUE(consumer->received.become({1, 2, 3}));
}

TEST(EventDelivery, RemovesAPullSupplierAfterFailures) {
  Channel c(with_failures(3));
  const auto failing = CORBA::make_reference<PullSupplier>(5, [] { throw CORBA::BAD_OPERATION(); });
  const auto gone = CORBA::make_reference<PullSupplier>(5, [] { throw CosEventComm::Disconnected(); });
  c.connect(failing);
  EXPECT_TRUE(becomes_true([&] { return failing->disconnected == 1; }));
  EXPECT_EQ(failing->calls, 3);
  c.connect(gone);
  EXPECT_TRUE(c.counts_become([](const auto& counts) { return counts.removed == 2; }));
  EXPECT_TRUE(becomes_true([&] { return c.service.threads() == 0; }));
  EXPECT_EQ(gone->calls, 1);
  EXPECT_EQ(gone->disconnected, 0);
  EXPECT_EQ(c.channel.counts().supplier_proxies, 0u);
}

TEST(EventDelivery, KeepsASubscriptionWhoseFunctionThrows) {
  Channel c(with_failures(1));
  Received received;
  const auto subscription = c.channel.subscribe([&](const CORBA::Any& any) {
    if (number(any) == 1) throw std::runtime_error("no");
    if (number(any) == 2) throw CORBA::OBJECT_NOT_EXIST();
    received.add(any);
  });
  c.push(1, 3);
  EXPECT_TRUE(received.become({3}));
  EXPECT_TRUE(c.channel.drain(Deadline::never()));
  EXPECT_EQ(subscription.counts().failed, 2u);
  EXPECT_EQ(subscription.counts().delivered, 1u);
}

TEST(EventDelivery, WaitsForTheFunctionAtTheEndOfASubscription) {
  Channel c;
  Gate gate;
  auto alive = std::make_shared<int>();
  auto subscription = c.channel.subscribe([wait = gate.waiter(), alive](const CORBA::Any&) { wait(); });
  c.push(1, 1);
  ASSERT_TRUE(gate.reached());
  {
    WaitingThread ending([&] { subscription.end(); });
    EXPECT_TRUE(ending.waits());
    gate.open();
  }
  EXPECT_EQ(alive.use_count(), 1);
  c.push(2, 2);
  EXPECT_EQ(c.channel.counts().accepted, 1u);
}

}  // namespace
}  // namespace orbweaver::services::testing
