// One-way calls that wait in the ORB, and peers that read nothing, at the shutdown of a server.
#include <gmock/gmock.h>

#include <orbweaver/messaging.h>
#include <orbweaver/statistics.h>

#include <future>

#include "node.h"
#include "platform/process_identity.h"
#include "platform/socket_address.h"
#include "raw_client.h"

namespace bidirtest {
namespace {

namespace platform = orbweaver::platform;
using orbtest::RawPeer;
using orbweaver::giop::ListenPoint;
using orbweaver::giop::MessageType;

std::uint64_t queued_calls() {
  const auto now = orbweaver::oneway_queue_statistics();
  return now.queued - now.sent - now.lost - now.discarded;
}

/// Attaches an object of `peer`, and calls it one-way with SYNC_NONE until `queued` further calls wait: the
/// peer reads nothing. Returns the number of calls.
std::int32_t call_until_queued(NodeOrb& server, RawPeer& peer, const std::string& host,
                               std::uint64_t queued) {
  attach(peer, 0, orbtest::where(server.stringified()).key, ListenPoint{host, 9});
  CORBA::Any none;
  none <<= Messaging::SYNC_NONE;
  const NodeRef there = unchecked(server.node->attached()->_set_policy_overrides(
      {server.broker.orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, none)},
      CORBA::SetOverrideType::ADD_OVERRIDE));
  const std::uint64_t before = queued_calls();
  std::int32_t calls = 0;
  while (queued_calls() < before + queued && calls < 1'000'000) there->note(calls++);
  return calls;
}

// The time of a shutdown is limited: on a loaded machine the peer may not have read all in one attempt.
TEST(BidirectionalShutdown, SendsTheQueuedOneWayCallsOfTheServer) {
  constexpr int kAttempts = 5;
  std::int32_t calls = -1, received = 0;
  for (int attempt = 0; attempt < kAttempts && received != calls; ++attempt) {
    NodeOrb server(accepting(), BiDirPolicy::NORMAL);
    RawPeer peer = RawPeer::to(orbtest::where(server.stringified()).port);
    calls = call_until_queued(server, peer, "client.invalid", 50);
    auto ended = std::async(std::launch::async, [&] { server.end(); });
    received = 0;
    MessageType last = MessageType::request;
    while (const auto message = peer.receives()) {
      last = type_of(message);
      received += last == MessageType::request ? 1 : 0;
    }
    EXPECT_EQ(last, MessageType::close_connection);
    ended.get();
  }
  EXPECT_EQ(received, calls);
}

// One after the other, at half a second each, would take longer than the test waits.
TEST(BidirectionalShutdown, WaitsForAllPeersThatReadNothingTogether) {
  constexpr int kPeers = 200;
  const std::string name = "@orbweaver-bidirectional-" + std::to_string(platform::process_id());
  NodeOrb server(accepting("received", {"-ORBListen", "tcp,unix:" + name, "-ORBTransportPreference",
                                        "unix,tcp", "-ORBLog", "error"}),
                 BiDirPolicy::NORMAL);
  static_cast<void>(server.stringified());  // listens
  std::vector<RawPeer> peers;
  for (int i = 0; i < kPeers; ++i) {
    peers.emplace_back(
        std::move(platform::connect_to(platform::unix_address(name), platform::Deadline::in_ms(120'000)).fd));
    call_until_queued(server, peers.back(), "client-" + std::to_string(i) + ".invalid", 1);
  }
  auto ended = std::async(std::launch::async, [&] { server.end(); });
  EXPECT_EQ(ended.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  peers.clear();
}

}  // namespace
}  // namespace bidirtest
