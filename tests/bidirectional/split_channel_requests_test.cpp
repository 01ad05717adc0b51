// SplitChannel over a scripted channel: requests that wait, and calls that await their reply behind them.
#include "divided_channel.h"
#include "platform/testing/waiting_thread.h"

namespace bidirtest {
namespace {

// ---- calls that await their reply behind many requests ----

/// A one-way request that carries half of what a queue holds.
Octets large_one_way(std::uint32_t id) {
  const auto message = orbtest::request(id, {1}, "note", orbtest::Order::little, kOneWay);
  return orbtest::Message(message).octets(Octets(SplitChannel::kMaxQueuedBytes / 2)).bytes();
}

/// A one-way request is executed, and thus no other one.
struct FloodedChannel : DividedChannel {
  FloodedChannel() {
    script->arrives(orbtest::request(0, {1}, "note", orbtest::Order::little, kOneWay).bytes());
    EXPECT_TRUE(server->receive(Deadline{0}));
    for (std::uint32_t id = 2; id < 8; id += 2) script->arrives(large_one_way(id));
  }
  std::unique_ptr<Channel> caller = split->make_end(SplitChannel::Role::caller);
};

// By another thread than that of the upcall, which may wait for it.
TEST_F(FloodedChannel, ReadsAReplyBehindWhatItsQueueHolds) {
  script->arrives(orbtest::reply(1).bytes());
  bool received = false;
  std::thread([&] { received = static_cast<bool>(caller->receive(Deadline{0})); }).join();
  EXPECT_TRUE(received);
}

TEST_F(FloodedChannel, StopsReadingAtALimit) {
  constexpr std::uint32_t kMore = 8;
  for (std::uint32_t id = 8; id < 8 + 2 * kMore; id += 2) script->arrives(large_one_way(id));
  script->arrives(orbtest::reply(1).bytes());
  std::thread([&] { EXPECT_FALSE(caller->receive(Deadline{0})); }).join();
  EXPECT_FALSE(script->closed()) << "the requests may be executed in time";
  EXPECT_GT(script->waiting(), kMore / 2);
}

TEST_F(FloodedChannel, EndsACallThatIsBlockedForTooLong) {
  for (std::uint32_t id = 8; id < 24; id += 2) script->arrives(large_one_way(id));
  EXPECT_FALSE(split->blocked_reply(1'000, 10));
  orbweaver::platform::testing::WaitingThread calling(
      [&] { EXPECT_FALSE(caller->receive(Deadline::never())); });
  EXPECT_TRUE(calling.waits());
  EXPECT_FALSE(split->blocked_reply(2'000, 10));
  EXPECT_FALSE(split->blocked_reply(2'009, 10));
  EXPECT_FALSE(split->blocked_reply(2'010, 0)) << "no limit";
  EXPECT_FALSE(split->blocked_reply(3'000, 10));
  EXPECT_THAT(split->blocked_reply(3'010, 10).value_or(""), HasSubstr("a call awaits its reply behind"));
  split->close();
}

TEST_F(FloodedChannel, DoesNotEndACallWhileRequestsAreExecuted) {
  for (std::uint32_t id = 8; id < 24; id += 2) script->arrives(large_one_way(id));
  orbweaver::platform::testing::WaitingThread calling(
      [&] { EXPECT_FALSE(caller->receive(Deadline::never())); });
  EXPECT_TRUE(calling.waits());
  EXPECT_FALSE(split->blocked_reply(2'000, 10));
  server->release();
  EXPECT_TRUE(server->receive(Deadline::never()));
  EXPECT_FALSE(split->blocked_reply(3'000, 10));
  split->close();
}

// ---- requests that nobody will begin while a call awaits its reply ----

/// A two-way request is executed; its thread calls the peer.
struct ChannelWithoutThreads : DividedChannel {
  ChannelWithoutThreads() {
    split->serve_concurrently([this] {
      if (has_thread) others.push_back(split->make_end(SplitChannel::Role::server));
      return has_thread;
    });
    script->arrives(orbtest::request(0, {1}, "twice").bytes());
    EXPECT_TRUE(server->receive(Deadline{0}));
  }
  bool has_thread = false;
  std::vector<std::unique_ptr<Channel>> others;
  std::unique_ptr<Channel> caller = split->make_end(SplitChannel::Role::caller);
};

void expect_transient(const Octets& message, std::uint32_t id) {
  EXPECT_EQ(id_of(message), id);
  EXPECT_THAT(std::string(message.begin(), message.end()), HasSubstr("IDL:omg.org/CORBA/TRANSIENT:1.0"));
}

TEST_F(ChannelWithoutThreads, RaisesTransientForARequestThatWouldWait) {
  script->arrives(orbtest::request(2, {1}, "twice").bytes());
  script->arrives(orbtest::Message(giop::MessageType::locate_request).ulong(4).ushort(0).octets({1}).bytes());
  script->arrives(orbtest::reply(1).bytes());
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(caller->receive(hang()));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("no thread for it"));
  const auto frames = script->frames();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(type_of(frames[0]), giop::MessageType::reply);
  expect_transient(frames[0], 2);
  EXPECT_EQ(type_of(frames[1]), giop::MessageType::locate_reply);
  expect_transient(frames[1], 4);
}

TEST_F(ChannelWithoutThreads, KeepsOneWayRequests) {
  script->arrives(orbtest::request(2, {1}, "note", orbtest::Order::little, kOneWay).bytes());
  script->arrives(orbtest::reply(1).bytes());
  EXPECT_TRUE(caller->receive(hang()));
  EXPECT_TRUE(script->frames().empty());
  server->release();
  const auto next = server->receive(Deadline{0});
  ASSERT_TRUE(next);
  EXPECT_EQ(id_of(Octets(next->begin(), next->end())), 2u);
}

TEST_F(ChannelWithoutThreads, UseAThreadThatCanBeCreatedLater) {
  script->arrives(orbtest::request(2, {1}, "twice").bytes());
  script->arrives(orbtest::reply(1).bytes());
  has_thread = true;
  EXPECT_TRUE(caller->receive(hang()));
  EXPECT_TRUE(script->frames().empty());
  ASSERT_EQ(others.size(), 1u);
  EXPECT_TRUE(others.front()->receive(Deadline{0}));
}

TEST_F(ChannelWithoutThreads, CloseAPeerThatReadsNoRejection) {
  script->arrives(orbtest::request(2, {1}, "twice").bytes());
  script->fill();
  EXPECT_FALSE(caller->receive(hang()));
  EXPECT_TRUE(script->closed());
}

TEST_F(DividedChannel, RejectsRequestsWhileALaneCloses) {
  const auto caller = split->make_end(SplitChannel::Role::caller);
  const auto second = split->make_end(SplitChannel::Role::server);
  script->arrives(orbtest::request(0, {1}, "twice").bytes());
  ASSERT_TRUE(server->receive(Deadline{0}));
  close_in_order(*second, Deadline{0});
  EXPECT_FALSE(script->closed()) << "a request is executed";
  script->arrives(orbtest::request(2, {1}, "twice").bytes());
  script->arrives(orbtest::reply(1).bytes());
  EXPECT_TRUE(caller->receive(hang()));
  ASSERT_EQ(script->frames().size(), 1u);
  expect_transient(script->frames()[0], 2);
  server->release();
  EXPECT_FALSE(server->receive(Deadline{0}));
  EXPECT_TRUE(sent_close_connection());
}

/// A call awaits its reply; its thread reads, and the second end has taken no request.
struct ReadingCaller : DividedChannel {
  ReadingCaller() {
    script->arrives(orbtest::request(0, {1}, "twice").bytes());
    EXPECT_TRUE(server->receive(hang()));
    EXPECT_TRUE(calling.waits());
  }
  ~ReadingCaller() override {
    script->arrives(orbtest::reply(1).bytes());
    calling.join();
  }
  std::unique_ptr<Channel> second = split->make_end(SplitChannel::Role::server);
  std::unique_ptr<Channel> caller = split->make_end(SplitChannel::Role::caller);
  orbweaver::platform::testing::WaitingThread calling{
      [this] { EXPECT_TRUE(caller->receive(Deadline::never())); }};
};

TEST_F(ReadingCaller, RejectsRequestsQueuedBeforeTheConnectionCloses) {
  script->arrives(orbtest::request(2, {1}, "twice").bytes());
  while (script->waiting() != 0) std::this_thread::yield();
  EXPECT_TRUE(calling.waits()) << "for the next message";
  split->begin_closing(Deadline{0});
  ASSERT_EQ(script->frames().size(), 1u);
  expect_transient(script->frames()[0], 2);
}

TEST_F(ReadingCaller, RejectsARequestThatWasTakenAndNotBegun) {
  script->arrives(orbtest::request(2, {1}, "twice").bytes());
  const auto frame = second->receive(hang());
  ASSERT_TRUE(frame);
  SplitChannel::put_back(*second, *frame);
  ASSERT_EQ(script->frames().size(), 1u);
  expect_transient(script->frames()[0], 2);
}

TEST_F(DividedChannel, SendsCloseConnectionAfterTheRepliesThatAnEndOwes) {
  const auto second = split->make_end(SplitChannel::Role::server);
  script->arrives(orbtest::request(0, {1}, "twice").bytes());
  ASSERT_TRUE(server->receive(Deadline{0}));
  SplitChannel::owe_replies(*server);
  server->release();
  EXPECT_FALSE(server->receive(Deadline{0})) << "it waits for the next request";
  close_in_order(*second, Deadline{0});
  EXPECT_FALSE(sent_close_connection());
  EXPECT_TRUE(send(*server, 24)) << "the reply";
  close_in_order(*server, Deadline{0});
  EXPECT_TRUE(sent_close_connection());
  EXPECT_TRUE(script->closed());
}

TEST_F(DividedChannel, GivesUpTheRightToSendOfAnEndThatIsDestroyed) {
  auto second = split->make_end(SplitChannel::Role::server);
  ASSERT_TRUE(second->claim(24, Deadline{0}));
  second = nullptr;
  EXPECT_TRUE(send(*server, 24));
}

TEST_F(DividedChannel, HasNoFurtherEndsOnceTheLastServersEndHasEnded) {
  server = nullptr;
  EXPECT_EQ(split->make_end(SplitChannel::Role::server), nullptr);
}

}  // namespace
}  // namespace bidirtest
