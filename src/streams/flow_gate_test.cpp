#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include <orbweaver/streams/flow_gate.h>

#include "platform/testing/waiting_thread.h"

namespace orbweaver::streams {
namespace {

using platform::testing::WaitingThread;

constexpr Deadline kWithoutWaiting{0};

/// Pushes a packet that gets this reply.
SendResult push(FlowGate& gate, FlowReply reply, Deadline deadline = kWithoutWaiting) {
  return gate.send([&] { return reply; }, deadline);
}

TEST(FlowGate, WaitsForTheResumeSignalAfterAReplyWithoutSpace) {
  FlowGate gate;
  EXPECT_EQ(push(gate, FlowReply::space), SendResult::sent);
  EXPECT_EQ(push(gate, FlowReply::no_space), SendResult::sent) << "this packet was accepted";
  EXPECT_EQ(push(gate, FlowReply::space), SendResult::timed_out);
  SendResult result = SendResult::closed;
  WaitingThread producer([&] { result = push(gate, FlowReply::space, Deadline::never()); });
  ASSERT_TRUE(producer.waits());
  gate.signal_resume();
  producer.join();
  EXPECT_EQ(result, SendResult::sent);
  EXPECT_EQ(gate.counts().sent, 3u);
  EXPECT_EQ(gate.counts().waited, 2u);
  EXPECT_EQ(gate.counts().unexpected, 0u);
}

TEST(FlowGate, SendsARejectedPacketAgainAfterTheResumeSignal) {
  FlowGate gate;
  std::atomic<int> calls{0};
  SendResult result = SendResult::closed;
  WaitingThread producer(
      [&] { result = gate.send([&] { return ++calls == 1 ? FlowReply::rejected : FlowReply::space; }); });
  ASSERT_TRUE(producer.waits());
  EXPECT_EQ(calls, 1);
  gate.signal_resume();
  producer.join();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(result, SendResult::sent);
  EXPECT_EQ(gate.counts().rejected, 1u);
  EXPECT_EQ(gate.counts().sent, 1u);
}

TEST(FlowGate, KeepsASignalThatOvertakesTheReply) {
  FlowGate gate;
  const auto overtaken = [&] {
    gate.signal_resume();
    return FlowReply::no_space;
  };
  EXPECT_EQ(gate.send(overtaken, kWithoutWaiting), SendResult::sent);
  EXPECT_EQ(push(gate, FlowReply::space), SendResult::sent) << "does not wait";
}

TEST(FlowGate, CountsSignalsThatNobodyWaitsFor) {
  FlowGate gate;
  for (int i = 0; i < 1000; ++i) gate.signal_resume();
  EXPECT_EQ(gate.counts().unexpected, 1000u);
  EXPECT_EQ(push(gate, FlowReply::no_space), SendResult::sent);
  EXPECT_EQ(push(gate, FlowReply::space), SendResult::timed_out) << "earlier signals do not count";
  gate.signal_resume();
  gate.signal_resume();
  EXPECT_EQ(gate.counts().unexpected, 1001u);
  EXPECT_EQ(gate.counts().resumes, 1002u);
}

TEST(FlowGate, PassesExceptionsOn) {
  FlowGate gate;
  EXPECT_THROW((void)gate.send([]() -> FlowReply { throw std::runtime_error("lost"); }), std::runtime_error);
  gate.signal_resume();
  EXPECT_EQ(gate.counts().unexpected, 1u) << "no packet is being sent";
  EXPECT_EQ(push(gate, FlowReply::space), SendResult::sent);
}

TEST(FlowGate, ReturnsFromPushOnClose) {
  FlowGate gate;
  ASSERT_EQ(push(gate, FlowReply::no_space), SendResult::sent);
  SendResult result = SendResult::sent;
  WaitingThread producer([&] { result = push(gate, FlowReply::space, Deadline::never()); });
  ASSERT_TRUE(producer.waits());
  gate.close();
  producer.join();
  EXPECT_EQ(result, SendResult::closed);
  EXPECT_EQ(push(gate, FlowReply::space), SendResult::closed);
  EXPECT_EQ(gate.counts().sent, 1u);
}

}  // namespace
}  // namespace orbweaver::streams
