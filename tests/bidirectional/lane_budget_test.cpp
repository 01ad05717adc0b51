// LaneBudget: what the divided connections of an ORB hold together.
#include "orb/bidirectional/lane_budget.h"

#include "divided_channel.h"
#include "node.h"
#include "platform/testing/waiting_thread.h"

namespace bidirtest {
namespace {

using orbtest::becomes_true;
using orbtest::RawPeer;
using orbweaver::orb::LaneBudget;
using orbweaver::platform::testing::WaitingThread;

constexpr std::size_t kLimit = 100'000;
/// Of the requests below, with the memory of their frames.
constexpr std::size_t kRequest = 30'000;

/// A one-way request of about kRequest bytes.
Octets one_way(std::uint32_t id) {
  const auto message = orbtest::request(id, {1}, "note", orbtest::Order::little, kOneWay);
  return orbtest::Message(message).octets(Octets(kRequest)).bytes();
}

/// A connection whose peer is a host of its own. A one-way request is executed, and thus no other one.
struct BusyChannel {
  BusyChannel(std::shared_ptr<LaneBudget> budget, const std::string& host) {
    script->peer_address = host + ":4711";
    split = SplitChannel::make(std::make_unique<ScriptedChannel>(script), SplitChannel::Side::acceptor,
                               std::size_t{4} << 20, std::move(budget));
    server = split->make_end(SplitChannel::Role::server);
    second = split->make_end(SplitChannel::Role::server);
    script->arrives(orbtest::request(0, {1}, "note", orbtest::Order::little, kOneWay).bytes());
    EXPECT_TRUE(server->receive(Deadline{0}));
    SplitChannel::on_ready(*second, [] {});
    split->set_reader([this] { resumed = true; });
  }
  ~BusyChannel() { split->set_reader(nullptr); }
  /// Reads as many requests as it may, of those that have arrived.
  void reads(int requests) {
    for (int n = 0; n < requests; ++n) script->arrives(one_way(2 * ++last_id));
    read();
  }
  void read() {
    while (split->read_available() == SplitChannel::ReadResult::ready && script->waiting() != 0) {
    }
  }
  /// Executes the next request.
  bool executes() {
    server->release();
    return static_cast<bool>(server->receive(Deadline{0}));
  }

  std::atomic<bool> resumed{false};
  std::uint32_t last_id = 0;
  const std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  std::shared_ptr<SplitChannel> split;
  std::unique_ptr<Channel> server, second;
};

struct LimitedChannels : ::testing::Test {
  LimitedChannels() {
    orbweaver::log::set_level("warn");
    orbweaver::log::reset_limits();
  }
  const std::shared_ptr<LaneBudget> budget = std::make_shared<LaneBudget>(LaneBudget::Limits{kLimit, 8});
};

TEST_F(LimitedChannels, HoldHalfOfTheLimitForOnePeer) {
  BusyChannel first(budget, "10.0.0.1"), other(budget, "10.0.0.1");
  first.reads(10);
  EXPECT_EQ(first.script->waiting(), 8u) << "two exceed the half";
  EXPECT_GE(budget->bytes(), 2 * kRequest);
  EXPECT_TRUE(first.split->is_held_back());
  other.reads(1);
  EXPECT_EQ(other.script->waiting(), 1u);
  EXPECT_FALSE(first.script->closed());
}

TEST_F(LimitedChannels, HoldTheLimitOfAllPeers) {
  BusyChannel first(budget, "10.0.0.1"), second(budget, "10.0.0.2"), third(budget, "10.0.0.3");
  first.reads(10);
  second.reads(10);
  EXPECT_EQ(second.script->waiting(), 8u);
  third.reads(1);
  EXPECT_EQ(third.script->waiting(), 0u) << "it holds nothing: two peers do not stop all others";
  third.reads(1);
  EXPECT_EQ(third.script->waiting(), 1u);
  EXPECT_LT(budget->bytes(), kLimit + 2 * kRequest);
}

TEST_F(LimitedChannels, AreReadAgainWhenARequestIsTaken) {
  BusyChannel first(budget, "10.0.0.1"), second(budget, "10.0.0.2"), third(budget, "10.0.0.3");
  first.reads(2);
  second.reads(2);
  third.reads(2);
  ASSERT_EQ(third.script->waiting(), 1u);
  third.resumed = false;
  EXPECT_TRUE(first.executes());
  EXPECT_TRUE(second.executes());
  EXPECT_TRUE(third.resumed);
  third.read();
  EXPECT_EQ(third.script->waiting(), 0u);
}

TEST_F(LimitedChannels, AreReadAgainWhenAConnectionEnds) {
  auto first = std::make_unique<BusyChannel>(budget, "10.0.0.1");
  BusyChannel second(budget, "10.0.0.1");
  first->reads(2);
  second.reads(1);
  ASSERT_EQ(second.script->waiting(), 1u);
  second.resumed = false;
  first = nullptr;
  EXPECT_TRUE(second.resumed);
  second.read();
  EXPECT_EQ(second.script->waiting(), 0u);
}

// As the thread of a connection, which waits without a reactor.
TEST_F(LimitedChannels, WakeAThreadThatWaitsToRead) {
  BusyChannel first(budget, "10.0.0.1");
  first.reads(2);
  const auto script = std::make_shared<ChannelScript>();
  script->peer_address = "10.0.0.1:4712";
  const auto split = SplitChannel::make(std::make_unique<ScriptedChannel>(script),
                                        SplitChannel::Side::acceptor, std::size_t{4} << 20, budget);
  const auto server = split->make_end(SplitChannel::Role::server);
  script->arrives(orbtest::request(0, {1}, "twice").bytes());
  WaitingThread receiving([&] { EXPECT_TRUE(server->receive(Deadline::never())); });
  EXPECT_TRUE(receiving.waits());
  EXPECT_EQ(script->waiting(), 1u);
  EXPECT_TRUE(first.executes());
  receiving.join();
}

TEST_F(LimitedChannels, ReadAReplyBeyondTheLimit) {
  BusyChannel first(budget, "10.0.0.1"), second(budget, "10.0.0.1");
  first.reads(2);
  const auto caller = second.split->make_end(SplitChannel::Role::caller);
  second.script->arrives(one_way(2));
  second.script->arrives(orbtest::reply(1).bytes());
  EXPECT_TRUE(caller->receive(hang()));
}

TEST_F(LimitedChannels, EndTheConnectionOfThePeerThatHoldsMostBeyondTwiceTheLimit) {
  BusyChannel small(budget, "10.0.0.1"), large(budget, "10.0.0.2");
  small.reads(1);
  const auto caller = large.split->make_end(SplitChannel::Role::caller);
  for (std::uint32_t n = 1; n <= 10; ++n) large.script->arrives(one_way(2 * n));
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(caller->receive(hang()));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("-ORBTune bidirectional-queue-bytes"));
  EXPECT_TRUE(large.script->closed());
  EXPECT_FALSE(small.script->closed());
  EXPECT_LE(budget->bytes(), 2 * kRequest);
  EXPECT_FALSE(large.executes()) << "its requests are discarded";
}

// ---- lanes ----

/// A connection with a lane for each request, all of which are executed.
struct ServedChannel {
  ServedChannel(std::shared_ptr<LaneBudget> budget, const std::string& host) {
    script->peer_address = host + ":4711";
    split = SplitChannel::make(std::make_unique<ScriptedChannel>(script), SplitChannel::Side::acceptor,
                               std::size_t{4} << 20, std::move(budget));
    lanes.push_back(split->make_end(SplitChannel::Role::server));
    split->serve_concurrently([this] {
      lanes.push_back(split->make_end(SplitChannel::Role::server));
      return true;
    });
  }
  /// Executes requests at the same time, as long as there is a lane.
  void execute(std::uint32_t requests) {
    for (std::uint32_t n = 0; n < requests && n < lanes.size(); ++n) {
      script->arrives(orbtest::request(2 * n, {1}, "twice").bytes());
      EXPECT_TRUE(lanes[n]->receive(Deadline{0}));
    }
  }
  const std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
  std::shared_ptr<SplitChannel> split;
  std::vector<std::unique_ptr<Channel>> lanes;
};

TEST_F(LimitedChannels, HaveHalfOfTheLanesForOnePeer) {
  ServedChannel first(budget, "10.0.0.1"), second(budget, "10.0.0.1"), other(budget, "10.0.0.2");
  first.execute(3);
  EXPECT_EQ(first.lanes.size(), 4u) << "one of them waits";
  ::testing::internal::CaptureStderr();
  second.execute(3);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("-ORBTune bidirectional-lanes"));
  EXPECT_EQ(second.lanes.size(), 2u);
  EXPECT_EQ(budget->lanes(), 4u);
  other.execute(10);
  EXPECT_EQ(other.lanes.size(), 5u);
  EXPECT_EQ(budget->lanes(), 8u);
}

TEST_F(LimitedChannels, GiveTheirLanesBackWhenTheyEnd) {
  auto first = std::make_unique<ServedChannel>(budget, "10.0.0.1");
  first->execute(4);
  EXPECT_EQ(budget->lanes(), 4u);
  const auto kept = first->split;  // as by a reference
  first = nullptr;
  EXPECT_EQ(budget->lanes(), 0u);
}

// ---- in an ORB ----

// Requests wait behind one whose servant does not return; the other thread of the pool reads.
TEST_F(LimitedChannels, HaveTheLimitOfTheirOrb) {
  constexpr std::size_t kBytes = 200'000;
  NodeOrb server(accepting("received", {"-ORBThreads", "pool:2", "-ORBMaxMessageBytes", "100000", "-ORBTune",
                                        "bidirectional-queue-bytes=" + std::to_string(kBytes)}),
                 BiDirPolicy::NORMAL);
  const std::shared_ptr<LaneBudget> of_orb = server.node->self()->_reference()->core().lane_budget();
  std::atomic<std::size_t> most{0};
  std::atomic<int> executed{0};
  server.node->in_note = [&] {
    most = std::max(most.load(), of_orb->bytes());
    ++executed;
  };
  const orbtest::Where at = orbtest::where(server.stringified());
  RawPeer peer = RawPeer::to(at.port);
  peer.sends(orbtest::request(0, at.key, "wait_at_gate", orbtest::Order::little, kOneWay).ulong(1).bytes());
  ASSERT_TRUE(server.node->gate.reached_by(1));
  constexpr int kRequests = 40;
  for (std::uint32_t n = 1; n <= kRequests; ++n) {
    auto note = orbtest::request(2 * n, at.key, "note", orbtest::Order::little, kOneWay);
    peer.sends(note.ulong(n).octets(Octets(kRequest)).bytes());
  }
  EXPECT_TRUE(becomes_true([&] { return of_orb->bytes() >= kBytes / 2; })) << of_orb->bytes();
  server.node->gate.open();
  EXPECT_TRUE(becomes_true([&] { return executed == kRequests; }));
  EXPECT_LT(most, kBytes / 2 + 2 * kRequest);
  EXPECT_TRUE(becomes_true([&] { return of_orb->bytes() == 0; })) << of_orb->bytes();
}

/// Ends connections that have received a message in part, however long ago: at the time limit, without a
/// wait.
void end_partial_messages(NodeOrb& server) {
  server.node->self()->_reference()->core().receive_budget()->end_timed_out(-1'000'000);
}
bool has_partial_message(NodeOrb& server) {
  return server.node->self()->_reference()->core().receive_budget()->receiving();
}
Options without_timeouts(Options more) {
  more.insert(more.end(), {"-ORBTune", "message-timeout-ms=0"});
  return accepting("received", more);
}
/// The first fragment of a request `twice(21)`, and the last one.
std::pair<Octets, Octets> twice_in_fragments(std::uint32_t id, const Octets& key) {
  const Octets whole = orbtest::request(id, key, "twice").ulong(21).bytes();
  const std::size_t first_bytes = (whole.size() - 1) / 8 * 8;
  Octets first(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(first_bytes));
  constexpr std::uint8_t kMoreFragments = 2;
  first[6] |= kMoreFragments;
  first[8] = static_cast<std::uint8_t>(first_bytes - giop::kHeaderBytes);
  orbtest::Message last(giop::MessageType::fragment);
  last.ulong(id);
  for (std::size_t i = first_bytes; i < whole.size(); ++i) last.octet(whole[i]);
  return {first, last.bytes()};
}

struct HeldBackConnection : LimitedChannels, ::testing::WithParamInterface<const char*> {};

// A two-way request is executed, another one has arrived in part, and one-way requests wait behind one whose
// servant does not return.
TEST_P(HeldBackConnection, IsNotEndedForAPartialMessageUntilItIsReadAgain) {
  constexpr std::size_t kBytes = 200'000;
  NodeOrb server(without_timeouts({"-ORBThreads", GetParam(), "-ORBMaxMessageBytes", "100000", "-ORBTune",
                                   "bidirectional-queue-bytes=" + std::to_string(kBytes)}),
                 BiDirPolicy::NORMAL);
  const std::shared_ptr<LaneBudget> of_orb = server.node->self()->_reference()->core().lane_budget();
  std::atomic<int> executed{0};
  server.node->in_note = [&] { ++executed; };
  const orbtest::Where at = orbtest::where(server.stringified());
  RawPeer peer = RawPeer::to(at.port);
  attach(peer, 0, at.key, {"127.0.0.1", 4711});  // an offer: requests are executed at the same time
  peer.sends(orbtest::request(2, at.key, "wait_at_gate").ulong(1).bytes());
  ASSERT_TRUE(server.node->gate.reached_by(1));
  peer.sends(twice_in_fragments(4, at.key).first);
  ASSERT_TRUE(becomes_true([&] { return has_partial_message(server); }));
  peer.sends(orbtest::request(6, at.key, "wait_at_gate", orbtest::Order::little, kOneWay).ulong(2).bytes());
  ASSERT_TRUE(server.node->gate.reached_by(2));
  constexpr int kRequests = 10;
  for (std::uint32_t n = 1; n <= kRequests; ++n) {
    auto note = orbtest::request(2 * n + 6, at.key, "note", orbtest::Order::little, kOneWay);
    peer.sends(note.ulong(n).octets(Octets(kRequest)).bytes());
  }
  ASSERT_TRUE(becomes_true([&] { return of_orb->bytes() >= kBytes / 2; })) << of_orb->bytes();
  end_partial_messages(server);
  EXPECT_FALSE(peer.is_hung_up()) << "this end does not read it";
  server.node->gate.open();
  EXPECT_TRUE(becomes_true([&] { return executed == kRequests; }));
  EXPECT_TRUE(has_partial_message(server));
  end_partial_messages(server);
  EXPECT_TRUE(peer.is_closed()) << "the message is still incomplete";
}
INSTANTIATE_TEST_SUITE_P(Threads, HeldBackConnection, ::testing::Values("connection", "pool:4"),
                         [](const auto& threads) { return std::string(threads.param).substr(0, 4); });

// The thread of the ORB executes a request of another connection meanwhile.
TEST_F(LimitedChannels, KeepAConnectionWhoseMessageWaitsForAThread) {
  NodeOrb server(without_timeouts({"-ORBThreads", "pool:1"}), BiDirPolicy::NORMAL);
  const orbtest::Where at = orbtest::where(server.stringified());
  RawPeer peer = RawPeer::to(at.port), other = RawPeer::to(at.port);
  const auto [first, last] = twice_in_fragments(2, at.key);
  peer.sends(first);
  ASSERT_TRUE(becomes_true([&] { return has_partial_message(server); }));
  other.sends(orbtest::request(0, at.key, "wait_at_gate").ulong(1).bytes());
  ASSERT_TRUE(server.node->gate.reached_by(1));
  peer.sends(last);
  peer.awaits_acknowledgement();
  end_partial_messages(server);
  server.node->gate.open();
  EXPECT_TRUE(peer.receives()) << "the reply";
}

}  // namespace
}  // namespace bidirtest
