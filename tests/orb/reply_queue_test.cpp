// The queue of replies of a connection whose requests are served by several threads, over a scripted channel.
#include <gtest/gtest.h>

#include "orb/server/reply_queue.h"
#include "platform/testing/becomes_true.h"
#include "testing/scripted_channel.h"
#include "testing/servant.h"

namespace orbtest {
namespace {

using orbweaver::orb::ReplyQueue;
using orbweaver::orb::ServiceBudget;
using orbweaver::platform::testing::becomes_true;

constexpr std::size_t kFull = 3;

struct ReplyQueueTest : ::testing::Test {
  ~ReplyQueueTest() override {
    gate.open();
    if (sender.joinable()) sender.join();
    channel.close();
  }
  /// Another thread sends a message; it waits in the channel until the gate is open.
  void block_a_sender() {
    script->on_commit = [this](const Octets&) -> ChannelScript::Sent {
      gate.pass(1);
      return {};
    };
    sender = std::thread([this] { first_sent = static_cast<bool>(queue.send({0})); });
    ASSERT_TRUE(gate.reached_by(1));
  }

  Gate gate;
  bool first_sent = false;   // set by `sender`
  std::atomic<int> sent{0};  // calls of on_sent
  const std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  ScriptedChannel channel{script};
  ServiceBudget budget{1 << 20, 1 << 20};
  ServiceBudget::Share share{budget, [](const std::string&) {}};
  ReplyQueue queue{channel, channel.peer(), share, kFull, [this] { ++sent; }};
  std::thread sender;
};

TEST_F(ReplyQueueTest, IsFullFromItsLimitUntilAllAreSent) {
  block_a_sender();  // its message counts until it is sent
  EXPECT_TRUE(queue.send({1}));
  EXPECT_FALSE(queue.full());
  EXPECT_TRUE(queue.send({2}));
  EXPECT_TRUE(queue.full());
  EXPECT_TRUE(queue.send({3})) << "a reply is queued also beyond the limit";
  EXPECT_EQ(sent, 0);
  gate.open();
  sender.join();
  EXPECT_TRUE(first_sent);
  EXPECT_FALSE(queue.full());
  EXPECT_EQ(sent, 1) << "the connection was not resumed once";
  EXPECT_EQ(script->frames(), (std::vector<Octets>{{0}, {1}, {2}, {3}}));
}

TEST_F(ReplyQueueTest, ResumesNothingThatWasNotFull) {
  block_a_sender();
  EXPECT_TRUE(queue.send({1}));
  gate.open();
  sender.join();
  EXPECT_EQ(sent, 0);
}

TEST_F(ReplyQueueTest, CountsControlMessages) {
  block_a_sender();
  const Octets control{1};
  queue.send_control(control, orbweaver::Deadline{0});
  queue.send_control(control, orbweaver::Deadline{0});
  EXPECT_TRUE(queue.full());
}

TEST_F(ReplyQueueTest, IsNotFullOnceItsConnectionHasFailed) {
  block_a_sender();
  EXPECT_TRUE(queue.send({1}));
  EXPECT_TRUE(queue.send({2}));
  channel.close();
  gate.open();
  sender.join();
  EXPECT_FALSE(first_sent);
  EXPECT_EQ(sent, 1);
  EXPECT_FALSE(queue.full());
}

TEST_F(ReplyQueueTest, SendsInAThreadWhatTheClientDoesNotRead) {
  for (std::uint8_t round = 0; round < 3; ++round) {
    script->fill();
    EXPECT_TRUE(queue.send({round, 0})) << "the caller does not wait";
    EXPECT_TRUE(queue.waiting());
    EXPECT_TRUE(queue.send({round, 1}));
    EXPECT_FALSE(queue.full());
    EXPECT_TRUE(becomes_true([&] { return queue.sequence() % 2 == 1; }));
    EXPECT_EQ(queue.reply_bytes(), 2u);
    EXPECT_EQ(sent, round);
    script->fill(false);
    EXPECT_TRUE(becomes_true([&] { return sent == round + 1; })) << "the connection is resumed";
    EXPECT_FALSE(queue.waiting());
    EXPECT_EQ(queue.sequence(), 4u * (round + 1)) << "two for each message";
  }
  EXPECT_EQ(script->frames(), (std::vector<Octets>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}));
  queue.join();
  EXPECT_EQ(sent, 3);
}

TEST_F(ReplyQueueTest, IsNoLongerFullWhenTheThreadHasSentAll) {
  script->fill();
  for (std::uint8_t n = 1; n <= kFull; ++n) EXPECT_TRUE(queue.send({n}));
  EXPECT_TRUE(queue.full());
  script->fill(false);
  EXPECT_TRUE(becomes_true([&] { return sent == 1; }));
  EXPECT_FALSE(queue.full());
}

TEST_F(ReplyQueueTest, SendsControlMessagesBehindReplies) {
  script->fill();
  EXPECT_TRUE(queue.send({1}));
  queue.send_control(Octets{9}, orbweaver::Deadline{0});
  script->fill(false);
  EXPECT_TRUE(becomes_true([&] { return sent == 1; }));
  EXPECT_EQ(script->frames(), (std::vector<Octets>{{1}, {9}}));
}

TEST_F(ReplyQueueTest, DropsAControlMessageAtItsDeadline) {
  script->fill();
  queue.send_control(Octets{9}, orbweaver::Deadline{0});
  script->fill(false);
  EXPECT_TRUE(queue.send({1}));
  EXPECT_EQ(script->frames(), (std::vector<Octets>{{1}}));
}

TEST_F(ReplyQueueTest, SendsRepliesBehindAControlMessage) {
  script->on_commit = [this](const Octets&) -> ChannelScript::Sent {
    gate.pass(1);
    return {};
  };
  sender = std::thread([this] { queue.send_control(Octets{9}, orbweaver::Deadline::never()); });
  ASSERT_TRUE(gate.reached_by(1));
  EXPECT_TRUE(queue.send({1}));
  gate.open();
  sender.join();
  EXPECT_EQ(script->frames(), (std::vector<Octets>{{9}, {1}}));
}

TEST_F(ReplyQueueTest, CountsTheBytesThatWait) {
  script->fill();
  const ReplyQueue::Message large(100'000), small(1);
  for (const auto& message : {large, small}) EXPECT_TRUE(queue.send(message));
  queue.send_control(Octets(10), orbweaver::Deadline{0});
  EXPECT_EQ(budget.reply_bytes(), 100'011u);
  script->fill(false);
  EXPECT_TRUE(becomes_true([&] { return sent == 1; }));
  EXPECT_EQ(budget.reply_bytes(), 0u);
}

TEST_F(ReplyQueueTest, DropsWhatWaitsWhenTheThreadFails) {
  script->on_commit = [](const Octets&) -> ChannelScript::Sent {
    return orbweaver::Error{orbweaver::ErrorKind::disconnected, "reset"};
  };
  script->fill();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.send(ReplyQueue::Message(100'000)));
  script->fill(false);
  EXPECT_TRUE(becomes_true([&] { return sent == 1; }));
  EXPECT_TRUE(script->closed());
  EXPECT_FALSE(queue.waiting());
  EXPECT_FALSE(queue.full());
  EXPECT_EQ(budget.reply_bytes(), 0u);
  EXPECT_TRUE(script->frames().empty());
  EXPECT_FALSE(queue.send({1})) << "an error ends the connection";
}

TEST_F(ReplyQueueTest, ReportsAnErrorToTheCaller) {
  bool fails = true;
  script->on_commit = [&](const Octets&) -> ChannelScript::Sent {
    if (fails) return orbweaver::Error{orbweaver::ErrorKind::disconnected, "reset"};
    return {};
  };
  EXPECT_FALSE(queue.send(ReplyQueue::Message(100'000)));
  EXPECT_EQ(budget.reply_bytes(), 0u);
  fails = false;
  EXPECT_TRUE(queue.send({1}));
  EXPECT_EQ(script->frames(), (std::vector<Octets>{{1}})) << "the message that failed is kept";
}

TEST_F(ReplyQueueTest, ClosesTheConnectionAfterAPartOfAReply) {
  script->on_commit = [](const Octets&) -> ChannelScript::Sent {
    return orbweaver::Error{orbweaver::ErrorKind::timed_out, "a part was sent"};
  };
  EXPECT_FALSE(queue.send({1}));
  EXPECT_TRUE(script->closed());
}

}  // namespace
}  // namespace orbtest
