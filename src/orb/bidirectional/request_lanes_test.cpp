// Which requests of a bidirectional connection are executed at the same time.
#include "orb/bidirectional/request_lanes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "orb/bidirectional/testing/frames.h"

namespace orbweaver::orb {
namespace {

using giop::MessageType;
using testing::frame;
using testing::one_way;
using testing::two_way;

/// The id of the next frame of a lane; 0: none.
std::uint32_t next(RequestLanes& lanes, RequestLanes::Lane& lane) {
  const auto taken = lanes.take(lane);
  std::uint32_t id = 0;
  if (taken) std::memcpy(&id, taken->data() + 12, 4);
  return id;
}

class Lanes : public ::testing::Test {
 protected:
  RequestLanes lanes;
  RequestLanes::Lane& first = lanes.add();
  RequestLanes::Lane& second = lanes.add();
};

TEST_F(Lanes, ExecuteTwoWayRequestsAtTheSameTime) {
  lanes.put(two_way(1));
  lanes.put(two_way(3));
  EXPECT_EQ(next(lanes, first), 1u);
  EXPECT_EQ(next(lanes, second), 3u);
  EXPECT_EQ(next(lanes, first), 0u);
  EXPECT_EQ(lanes.bytes(), 0u);
}

TEST_F(Lanes, BeginARequestAfterTheOneWayRequestsBeforeIt) {
  lanes.put(one_way(1));
  lanes.put(one_way(3));
  lanes.put(two_way(5));
  EXPECT_EQ(next(lanes, second), 1u);
  EXPECT_EQ(next(lanes, first), 0u);
  EXPECT_EQ(next(lanes, second), 3u);
  EXPECT_EQ(next(lanes, first), 0u);
  EXPECT_EQ(next(lanes, second), 5u);
}

TEST_F(Lanes, BeginAOneWayRequestWhileATwoWayRequestIsExecuted) {
  lanes.put(two_way(1));
  lanes.put(one_way(3));
  lanes.put(two_way(5));
  EXPECT_EQ(next(lanes, first), 1u);
  EXPECT_EQ(next(lanes, second), 3u);
  EXPECT_EQ(next(lanes, first), 0u) << "after the one-way request";
  EXPECT_EQ(next(lanes, second), 5u);
}

TEST_F(Lanes, GiveTheFragmentsOfARequestToOneLane) {
  lanes.put(frame(MessageType::request, 1, 3, true));
  EXPECT_EQ(next(lanes, first), 1u);
  lanes.put(frame(MessageType::request, 3, 3, true));
  lanes.put(frame(MessageType::fragment, 3));
  lanes.put(frame(MessageType::fragment, 1, 0, true));
  EXPECT_EQ(next(lanes, second), 3u);
  EXPECT_EQ(next(lanes, second), 3u) << "its fragment came before it was taken";
  EXPECT_EQ(next(lanes, first), 1u);
  EXPECT_EQ(next(lanes, first), 0u);
  EXPECT_EQ(next(lanes, second), 0u);
  lanes.put(two_way(5));
  EXPECT_EQ(next(lanes, first), 0u) << "it waits for its fragment";
  lanes.put(frame(MessageType::fragment, 1));
  EXPECT_EQ(next(lanes, first), 1u);
  EXPECT_EQ(next(lanes, first), 5u);
}

TEST_F(Lanes, EndAnIncompleteRequestThatIsCancelled) {
  lanes.put(frame(MessageType::request, 1, 3, true));
  EXPECT_EQ(next(lanes, second), 1u);
  lanes.put(frame(MessageType::cancel_request, 1));
  EXPECT_EQ(next(lanes, second), 1u) << "for the assembler of the lane";
  lanes.put(frame(MessageType::cancel_request, 7));
  EXPECT_EQ(lanes.bytes(), 0u) << "nothing is left to cancel";
  lanes.put(two_way(3));
  EXPECT_EQ(next(lanes, second), 3u);
}

// The requests before CloseConnection would be lost if a lane took it first.
TEST_F(Lanes, TakeCloseConnectionAfterTheOneWayRequestsBeforeIt) {
  constexpr std::uint32_t kOneWays = 100;
  lanes.put(one_way(1));
  EXPECT_EQ(next(lanes, first), 1u);
  for (std::uint32_t id = 2; id <= kOneWays; ++id) lanes.put(one_way(id));
  lanes.put(frame(MessageType::close_connection, 777));
  EXPECT_EQ(next(lanes, second), 0u);
  for (std::uint32_t id = 2; id <= kOneWays; ++id) ASSERT_EQ(next(lanes, first), id);
  EXPECT_EQ(next(lanes, first), 777u);
}

TEST_F(Lanes, TakeCloseConnectionWhileARequestIsIncomplete) {
  lanes.put(frame(MessageType::request, 1, 0, true));
  EXPECT_EQ(next(lanes, first), 1u);
  lanes.put(frame(MessageType::close_connection, 777));
  EXPECT_EQ(next(lanes, first), 777u);
}

TEST_F(Lanes, GiveTheFragmentsOfARequestOfGiop11ToOneLane) {
  lanes.put(frame(MessageType::request, 8, 3, true, 1));
  EXPECT_EQ(next(lanes, second), 8u);
  lanes.put(frame(MessageType::fragment, 9, 3, false, 1));
  lanes.put(frame(MessageType::request, 10, 3, false, 1));
  EXPECT_EQ(next(lanes, first), 0u) << "one at a time";
  EXPECT_EQ(next(lanes, second), 9u);
  EXPECT_EQ(next(lanes, second), 10u);
}

TEST_F(Lanes, BeginNothingOnceTheConnectionCloses) {
  lanes.put(two_way(1));
  lanes.begin_closing();
  EXPECT_EQ(next(lanes, first), 0u);
  lanes.remove(second);
  EXPECT_EQ(next(lanes, first), 0u);
}

TEST_F(Lanes, ExecuteUntilTheyEndInOrderWhileTheyOweReplies) {
  EXPECT_FALSE(lanes.is_executing());
  first.owes_replies = true;
  EXPECT_TRUE(lanes.is_executing());
  first.is_closing = true;
  EXPECT_FALSE(lanes.is_executing());
}

TEST_F(Lanes, BeginTwoWayRequestsWhileAOneWayUpcallAwaitsAReply) {
  const std::thread::id caller = std::this_thread::get_id();
  lanes.put(one_way(1));
  lanes.put(one_way(3));
  lanes.put(two_way(5));
  EXPECT_EQ(next(lanes, first), 1u);
  EXPECT_TRUE(lanes.wait_for_one_way());
  EXPECT_FALSE(lanes.take(second, caller)) << "another thread executes the one-way request";
  first.thread = caller;
  const auto taken = lanes.take(second, caller);
  ASSERT_TRUE(taken);
  EXPECT_EQ((*taken)[12], 5);
  EXPECT_FALSE(lanes.take(second, caller)) << "one-way requests stay in their order";
  EXPECT_EQ(next(lanes, first), 3u);
}

TEST_F(Lanes, RejectATwoWayRequestThatIsPutBack) {
  lanes.put(two_way(1));
  lanes.put(one_way(3));
  const auto request = lanes.take(first);
  const auto note = lanes.take(second);
  ASSERT_TRUE(request && note);
  lanes.begin_closing();
  lanes.put_back(second, *note);
  EXPECT_FALSE(lanes.take_two_way());
  lanes.put_back(first, *request);
  const auto rejected = lanes.take_two_way();
  ASSERT_TRUE(rejected);
  EXPECT_EQ((*rejected)[12], 1);
  EXPECT_EQ(lanes.bytes(), 0u);
}

TEST_F(Lanes, CountTheBytesThatAreNotTaken) {
  constexpr std::size_t kBytes = 24 + RequestLanes::kBytesPerFrame;
  lanes.put(two_way(1));
  lanes.put(frame(MessageType::request, 3, 3, true));
  lanes.put(frame(MessageType::fragment, 3));
  EXPECT_EQ(lanes.bytes(), 3 * kBytes);
  EXPECT_EQ(next(lanes, second), 1u);
  EXPECT_EQ(lanes.bytes(), 2 * kBytes);
  EXPECT_EQ(next(lanes, first), 3u);
  EXPECT_EQ(lanes.bytes(), kBytes);
  lanes.remove(first);
  EXPECT_EQ(lanes.bytes(), 0u);
}

}  // namespace
}  // namespace orbweaver::orb
