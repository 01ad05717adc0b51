// The queue of replies of a connection whose requests are served by several threads, over a scripted channel.
#include <gtest/gtest.h>

#include "orb/server/reply_queue.h"
#include "testing/scripted_channel.h"
#include "testing/servant.h"

namespace orbtest {
namespace {

using orbweaver::orb::ReplyQueue;
using orbweaver::orb::ServiceBudget;

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

}  // namespace
}  // namespace orbtest
