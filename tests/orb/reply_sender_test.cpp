// The sending side of a server connection, over a scripted channel.
#include <gtest/gtest.h>

#include "orb/flusher.h"
#include "orb/server/reply_sender.h"
#include "testing/scripted_channel.h"

namespace orbtest {
namespace {

using orbweaver::ErrorKind;
using orbweaver::orb::MayBlock;
using orbweaver::orb::ReplySender;
using orbweaver::orb::ServiceBudget;

struct ReplySending : ::testing::Test {
  ReplySender sender(MayBlock may_block) {
    return ReplySender(channel, channel.peer(), share, options, flusher, may_block);
  }

  const std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  ScriptedChannel channel{script};
  ServiceBudget budget{1 << 20, 1 << 20};
  ServiceBudget::Share share{budget, [](const std::string&) {}};
  orbweaver::orb::Options options;
  orbweaver::orb::Flusher flusher;
};

TEST_F(ReplySending, HasAnOddSequenceFromTheClaimToTheCommit) {
  ReplySender replies = sender(MayBlock::yes);
  EXPECT_EQ(replies.sequence(), 0u);
  ASSERT_TRUE(replies.claim(24));
  EXPECT_EQ(replies.sequence(), 1u);
  EXPECT_EQ(replies.reply_bytes(), 24u);
  ASSERT_TRUE(replies.commit(24));
  EXPECT_EQ(replies.sequence(), 2u);
  EXPECT_EQ(script->frames().size(), 1u);
}

TEST_F(ReplySending, EndsTheSequenceWhenAReplyIsAbandonedOrCannotBeClaimed) {
  ReplySender replies = sender(MayBlock::yes);
  ASSERT_TRUE(replies.claim(24));
  replies.abandon();
  EXPECT_EQ(replies.sequence(), 2u);
  channel.close();
  EXPECT_FALSE(replies.claim(24));
  EXPECT_EQ(replies.sequence(), 4u);
  EXPECT_TRUE(script->frames().empty());
}

TEST_F(ReplySending, CountsALargeReplyUntilItIsSent) {
  constexpr std::size_t kLarge = 100'000;
  ReplySender replies = sender(MayBlock::yes);
  ASSERT_TRUE(replies.claim(kLarge));
  EXPECT_EQ(budget.reply_bytes(), kLarge);
  ASSERT_TRUE(replies.commit(kLarge));
  EXPECT_EQ(budget.reply_bytes(), 0u);
}

TEST_F(ReplySending, DefersNothingThatFitsTheQueue) {
  ReplySender replies = sender(MayBlock::no);
  ASSERT_TRUE(replies.claim(24));
  ASSERT_TRUE(replies.commit(24));
  EXPECT_FALSE(replies.has_deferred_reply());
  EXPECT_EQ(replies.sequence(), 0u);
  EXPECT_LE(script->deadlines().front().ns, 0) << "the serving thread must not block";
}

TEST_F(ReplySending, BatchesNothingOnAChannelThatCannotBePolled) {
  options.batch_delay_us = 3'600'000'000;
  ScriptedChannel unpolled(script, true);
  ASSERT_TRUE(unpolled.capabilities().batches_replies);
  ASSERT_EQ(unpolled.capabilities().readiness, nullptr);
  ReplySender replies(unpolled, unpolled.peer(), share, options, flusher, MayBlock::yes);
  EXPECT_TRUE(replies.is_plain());
  ASSERT_TRUE(replies.claim(24));
  ASSERT_TRUE(replies.commit(24));
  EXPECT_EQ(script->frames().size(), 1u);
}

}  // namespace
}  // namespace orbtest
