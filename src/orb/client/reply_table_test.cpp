#include "orb/client/reply_table.h"

#include <gtest/gtest.h>

#include <future>

namespace orbweaver::orb {
namespace {

const Bytes kMessage{reinterpret_cast<const std::uint8_t*>("reply"), 5};

std::string text(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

struct ReplyTableTest : ::testing::Test {
  ReplyTable table;
  ReaderRole role;
  Reply reply;
  const giop::MessageHeader header{giop::kGiop12, giop::MessageType::reply};

  /// The reader receives the reply to `id`.
  void receive(std::uint32_t id) {
    table.count_reply();
    table.deliver(id, header, kMessage);
  }
};

TEST_F(ReplyTableTest, CountsRequestsWithoutReply) {
  EXPECT_FALSE(table.has_outstanding());
  table.count_request();
  table.count_request();
  EXPECT_EQ(table.outstanding(), 2u);
  table.count_reply();
  EXPECT_TRUE(table.has_outstanding());
  table.count_request(-1);
  EXPECT_FALSE(table.has_outstanding());
}

TEST_F(ReplyTableTest, NeverCountsMoreRepliesThanRequests) {
  table.count_reply();
  EXPECT_EQ(table.outstanding(), 0u);
  EXPECT_FALSE(table.expects(1));
}

TEST_F(ReplyTableTest, StoresAReplyUntilItsThreadComes) {
  table.count_request();
  receive(1);
  EXPECT_TRUE(table.has_early());
  EXPECT_FALSE(table.take_early(2, reply));
  ASSERT_TRUE(table.take_early(1, reply));
  EXPECT_EQ(text(reply.message), "reply");
  EXPECT_FALSE(reply.in_channel);
  EXPECT_FALSE(table.has_early());
}

TEST_F(ReplyTableTest, DeliversAReplyToTheThreadThatFollows) {
  table.count_request();
  ASSERT_TRUE(role.try_take());  // this thread reads
  auto followed =
      std::async(std::launch::async, [&] { return *table.follow(1, Deadline::never(), reply, role); });
  receive(1);  // stored, if the thread does not wait yet
  EXPECT_TRUE(followed.get());
  EXPECT_EQ(text(reply.message), "reply");
}

TEST_F(ReplyTableTest, PassesTheReaderRoleToAFollower) {
  ASSERT_TRUE(role.try_take());
  auto followed =
      std::async(std::launch::async, [&] { return *table.follow(1, Deadline::never(), reply, role); });
  role.release();
  table.wake_followers();
  EXPECT_FALSE(followed.get());
  EXPECT_FALSE(role.try_take()) << "the follower has it";
}

TEST_F(ReplyTableTest, StopsFollowingAtTheDeadline) {
  ASSERT_TRUE(role.try_take());
  const auto followed = table.follow(1, Deadline{0}, reply, role);
  ASSERT_FALSE(followed);
  EXPECT_EQ(followed.error().kind, ErrorKind::timed_out);
}

TEST_F(ReplyTableTest, DiscardsAReplyThatIsIgnored) {
  table.count_request();
  EXPECT_TRUE(table.ignore(1));
  EXPECT_TRUE(table.has_outstanding()) << "it has not arrived";
  receive(1);
  EXPECT_FALSE(table.has_early());
  EXPECT_FALSE(table.has_outstanding());
}

TEST_F(ReplyTableTest, DiscardsAStoredReplyThatIsIgnored) {
  table.count_request();
  receive(1);
  EXPECT_TRUE(table.ignore(1));
  EXPECT_FALSE(table.has_early());
}

TEST_F(ReplyTableTest, RefusesToIgnoreMoreRepliesThanTheLimit) {
  for (std::uint32_t id = 1; id <= kMaxIgnoredReplies; ++id) ASSERT_TRUE(table.ignore(id)) << id;
  EXPECT_FALSE(table.ignore(kMaxIgnoredReplies + 1));
}

TEST_F(ReplyTableTest, DoesNotWaitForIgnoredRepliesOverAnUnreliableTransport) {
  table.set_unreliable();
  table.count_request();
  EXPECT_TRUE(table.has_outstanding());
  EXPECT_TRUE(table.ignore(1));
  EXPECT_FALSE(table.has_outstanding());
}

TEST_F(ReplyTableTest, ExpectsOnlyTheReplyToAnIncompleteRequest) {
  table.count_request();
  table.mark_incomplete(7);
  EXPECT_FALSE(table.has_outstanding());
  EXPECT_TRUE(table.expects(7));
  EXPECT_FALSE(table.expects(8));
  receive(7);
  EXPECT_FALSE(table.has_early());
  EXPECT_FALSE(table.expects(7));
}

TEST_F(ReplyTableTest, ForgetsTheOldestIncompleteRequestBeyondTheLimit) {
  for (std::uint32_t id = 1; id <= 65; ++id) {
    table.count_request();
    table.mark_incomplete(id);
  }
  EXPECT_EQ(table.outstanding(), 64u);
  EXPECT_FALSE(table.expects(1));
  EXPECT_TRUE(table.expects(2));
  EXPECT_TRUE(table.expects(65));
}

}  // namespace
}  // namespace orbweaver::orb
