// Whose a message of a bidirectional connection is.
#include "orb/bidirectional/message_routing.h"

#include <gtest/gtest.h>

#include <string>

#include "orb/bidirectional/testing/frames.h"

namespace orbweaver::orb {
namespace {

using Frame = RequestLanes::Frame;
using giop::MessageType;
using testing::frame;
using testing::two_way;
using Role = MessageRouting::Role;

std::string whose(MessageRouting& routing, const Frame& frame) {
  const MessageRouting::Destination to = routing.route(frame);
  return std::string(to.caller ? "caller" : "") + (to.server ? "server" : "");
}

TEST(BidirectionalRouting, GivesMessagesToTheEndOfTheirType) {
  MessageRouting routing(MessageRouting::Side::initiator);
  routing.open(Role::caller);
  routing.open(Role::server);
  EXPECT_EQ(whose(routing, two_way(1)), "server");
  EXPECT_EQ(whose(routing, frame(MessageType::locate_request, 1)), "server");
  EXPECT_EQ(whose(routing, frame(MessageType::cancel_request, 1)), "server");
  EXPECT_EQ(whose(routing, frame(MessageType::reply, 2)), "caller");
  EXPECT_EQ(whose(routing, frame(MessageType::locate_reply, 2)), "caller");
  EXPECT_EQ(whose(routing, frame(MessageType::close_connection, 0)), "callerserver");
  EXPECT_EQ(whose(routing, frame(MessageType::message_error, 0)), "callerserver");
}

TEST(BidirectionalRouting, GivesFragmentsToTheEndOfTheirMessage) {
  for (const auto side : {MessageRouting::Side::initiator, MessageRouting::Side::acceptor}) {
    MessageRouting routing(side);
    routing.open(Role::caller);
    routing.open(Role::server);
    const std::uint32_t own = side == MessageRouting::Side::initiator ? 2 : 1, others = 3 - own;
    for (const bool regular : {true, false}) {  // also if the peer does not follow the rule for ids
      const std::uint32_t reply = regular ? own : others, request = regular ? others : own;
      EXPECT_EQ(whose(routing, frame(MessageType::reply, reply, 3, true)), "caller");
      EXPECT_EQ(whose(routing, frame(MessageType::request, request, 3, true)), "server");
      EXPECT_EQ(whose(routing, frame(MessageType::fragment, reply, 3, true)), "caller");
      EXPECT_EQ(whose(routing, frame(MessageType::fragment, request)), "server");
      EXPECT_EQ(whose(routing, frame(MessageType::fragment, reply)), "caller");
    }
    // Of both: by the rule.
    EXPECT_EQ(whose(routing, frame(MessageType::reply, own, 3, true)), "caller");
    EXPECT_EQ(whose(routing, frame(MessageType::request, own, 3, true)), "server");
    EXPECT_EQ(whose(routing, frame(MessageType::fragment, own)), "caller");
    EXPECT_EQ(whose(routing, frame(MessageType::fragment, own)), "server");
  }
}

TEST(BidirectionalRouting, GivesAllToTheServerBeforeThereIsACaller) {
  MessageRouting routing(MessageRouting::Side::acceptor);
  routing.open(Role::server);
  EXPECT_EQ(whose(routing, frame(MessageType::reply, 1)), "server");
  EXPECT_EQ(whose(routing, frame(MessageType::close_connection, 0)), "server");
  EXPECT_EQ(whose(routing, Frame(12, 'x')), "server");
}

}  // namespace
}  // namespace orbweaver::orb
