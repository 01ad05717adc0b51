// Hostile clients: malformed input closes their connection and does not affect other clients.
#include <gmock/gmock.h>

#include <random>

#include "platform/memory.h"
#include "platform/testing/waiting_thread.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"
#include "transport/shm/segment.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
namespace platform = orbweaver::platform;
using giop::MessageType;

/// A server, a well-behaved client which calls it during the whole test, and raw connections.
class HostileClient : public ::testing::Test {
 protected:
  HostileClient() {
    reference = server.serve(servant);
    good = client.at(reference);
    there = where(reference);
    others_.emplace_back([this] {
      for (std::int32_t n = 0; !done_; ++n) {
        if (good->twice(n) != 2 * n) ++wrong_;
      }
    });
  }
  ~HostileClient() override {
    done_ = true;
    for (std::thread& other : others_) other.join();
    EXPECT_EQ(wrong_, 0);
    EXPECT_EQ(good->twice(21), 42);  // the well-behaved client is still served
  }
  RawPeer peer() { return RawPeer::to(there.port); }
  bool is_turned_out(const Octets& bytes) {
    RawPeer raw = peer();
    raw.sends(bytes);
    return raw.is_closed();
  }

  ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server, client{Options{"-ORBTransportPreference", "shm"}};
  std::string reference;
  CallsRef good;
  Where there;

 private:
  std::atomic<bool> done_{false};
  std::atomic<int> wrong_{0};
  std::vector<std::thread> others_;
};

std::uint32_t ulong_at(const Octets& bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

TEST_F(HostileClient, IsServedInTheOtherByteOrder) {
  for (const Order order : {Order::little, Order::big}) {
    RawPeer raw = peer();
    Message call = request(7, there.key, "sum", order);
    call.ulong(3).real(1.5).real(2.5).real(-1);
    raw.sends(call.bytes());
    const auto answer = raw.receives();
    ASSERT_TRUE(answer);
    EXPECT_EQ(ulong_at(*answer, 12), 7u);  // to request 7
    EXPECT_EQ(ulong_at(*answer, 16), 0u);  // no exception
    double sum;
    std::memcpy(&sum, answer->data() + 24, 8);
    EXPECT_EQ(sum, 3);
  }
}

TEST_F(HostileClient, IsDisconnectedAfterGarbage) {
  const std::string http = "GET / HTTP/1.1\r\nHost: orbweaver\r\n\r\n";
  EXPECT_TRUE(is_turned_out({http.begin(), http.end()}));
  EXPECT_TRUE(is_turned_out(Octets(1000, 0)));
  EXPECT_TRUE(is_turned_out({'G', 'I', 'O', 'P', 9, 9, 1, 0, 0, 0, 0, 0}));
}

TEST_F(HostileClient, IsDisconnectedWhenALengthExceedsTheLimit) {
  EXPECT_TRUE(is_turned_out(request(1, there.key, "twice").bytes_announcing(0xffffffff)));
  EXPECT_TRUE(is_turned_out(request(1, there.key, "twice").bytes_announcing(0x7fffffff)));
}

TEST_F(HostileClient, IsDisconnectedAfterAServerOnlyMessage) {
  EXPECT_TRUE(is_turned_out(reply(1).bytes()));
  EXPECT_TRUE(is_turned_out(Message(MessageType::locate_reply).ulong(1).ulong(1).bytes()));
}

TEST_F(HostileClient, IsDisconnectedAfterAFragmentWithoutARequest) {
  EXPECT_TRUE(is_turned_out(Message(MessageType::fragment).ulong(99).ulong(0).bytes()));
}

TEST_F(HostileClient, IsDisconnectedAfterTooManyFragments) {
  RawPeer raw = peer();
  for (std::uint32_t id = 0; id < 100; ++id) {
    Message begun(MessageType::request, Order::little, 2, 2);  // more fragments follow
    raw.sends(begun.ulong(id).octet(3).octet(0).octet(0).octet(0).bytes());
  }
  EXPECT_TRUE(raw.is_closed());
}

TEST_F(HostileClient, IsDisconnectedAfterATruncatedRequestHeader) {
  const Octets whole = request(1, there.key, "twice").bytes();
  for (std::size_t length = giop::kHeaderBytes; length < whole.size() - 8; length += 3) {
    Message cut(MessageType::request);
    for (std::size_t i = giop::kHeaderBytes; i < length; ++i) cut.octet(whole[i]);
    EXPECT_TRUE(is_turned_out(cut.bytes())) << length;
  }
}

TEST_F(HostileClient, ReceivesMarshalForMissingArgumentsAndStaysConnected) {
  RawPeer raw = peer();
  for (const char* operation :
       {"twice", "greet", "turn", "sum", "echo", "ask", "raise_system", "_is_a", "_set_value"}) {
    raw.sends(request(1, there.key, operation).bytes());
    const auto answer = raw.receives();
    ASSERT_TRUE(answer) << operation;
    EXPECT_EQ(ulong_at(*answer, 16), 2u) << operation;  // a system exception
    const std::string text(answer->begin(), answer->end());
    EXPECT_THAT(text, ::testing::HasSubstr("IDL:omg.org/CORBA/MARSHAL:1.0")) << operation;
  }
}

TEST_F(HostileClient, CannotInflateMemoryWithALengthInArguments) {
  RawPeer raw = peer();
  for (const char* operation : {"greet", "sum", "echo", "turn"}) {
    raw.sends(request(1, there.key, operation).ulong(0xfffffff0).ulong(1).bytes());
    const auto answer = raw.receives();
    ASSERT_TRUE(answer) << operation;
    EXPECT_EQ(ulong_at(*answer, 16), 2u) << operation;
  }
}

TEST_F(HostileClient, ReceivesLocateReplies) {
  RawPeer raw = peer();
  raw.sends(Message(MessageType::locate_request).ulong(5).ushort(0).ushort(0).octets(there.key).bytes());
  auto answer = raw.receives();
  ASSERT_TRUE(answer);
  EXPECT_EQ(ulong_at(*answer, 12), 5u);
  EXPECT_EQ(ulong_at(*answer, 16), 1u);  // here
  raw.sends(Message(MessageType::locate_request).ulong(6).ushort(0).ushort(0).octets({9, 9}).bytes());
  answer = raw.receives();
  ASSERT_TRUE(answer);
  EXPECT_EQ(ulong_at(*answer, 16), 0u);  // unknown
}

TEST_F(HostileClient, ReceivesObjectNotExistForForgedKeys) {
  RawPeer raw = peer();
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    Octets key = there.key;
    const std::size_t changes = 1 + random() % 3;
    // The last eight bytes are slot and generation; the incarnation before them is the secret.
    for (std::size_t c = 0; c < changes; ++c)
      key[random() % key.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
    if (i % 5 == 0) key.resize(random() % 40);
    if (key == there.key) continue;
    raw.sends(request(static_cast<std::uint32_t>(i), key, "_get_value").bytes());
    const auto answer = raw.receives();
    ASSERT_TRUE(answer);
    EXPECT_EQ(ulong_at(*answer, 16), 2u);
  }
}

TEST_F(HostileClient, ReceivesNoReplyToATwoWaySentAsAOneWay) {
  RawPeer raw = peer();
  raw.sends(request(1, there.key, "_get_value", Order::little, 0).bytes());
  raw.sends(request(2, there.key, "_get_value").bytes());
  const auto answer = raw.receives();
  ASSERT_TRUE(answer);
  EXPECT_EQ(ulong_at(*answer, 12), 2u);
}

TEST_F(HostileClient, ReceivesOneReplyWithSyncWithServer) {
  RawPeer raw = peer();
  raw.sends(request(1, there.key, "_get_value", Order::little, 1).bytes());  // SYNC_WITH_SERVER
  raw.sends(request(2, there.key, "_get_value").bytes());
  auto answer = raw.receives();
  ASSERT_TRUE(answer);
  EXPECT_EQ(ulong_at(*answer, 12), 1u);
  answer = raw.receives();
  ASSERT_TRUE(answer);
  EXPECT_EQ(ulong_at(*answer, 12), 2u);
}

TEST_F(HostileClient, ReceivesObjectNotExistWithSyncWithServer) {
  RawPeer raw = peer();
  raw.sends(request(1, {9, 9}, "_get_value", Order::little, 1).bytes());
  const auto answer = raw.receives();
  ASSERT_TRUE(answer);
  EXPECT_EQ(ulong_at(*answer, 16), 2u);
}

TEST_F(HostileClient, ReceivesAReplyToAOneWaySentAsATwoWay) {
  {
    RawPeer raw = peer();
    raw.sends(request(1, there.key, "note").ulong(5).bytes());
    const auto answer = raw.receives();
    ASSERT_TRUE(answer);
    EXPECT_EQ(ulong_at(*answer, 16), 0u);
  }
  // The caller has disconnected before the reply is sent.
  for (int i = 1; i <= 5; ++i) {
    RawPeer raw = peer();
    raw.sends(request(1, there.key, "note_at_gate").ulong(6).bytes());
    ASSERT_TRUE(servant->gate.reached_by(i));
    raw.resets();
  }
  servant->gate.open();
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 6; }));
  EXPECT_EQ(client.at(reference)->twice(1), 2);
}

TEST(ServerShutdown, DoesNotWaitForAClientThatReadsNoReplies) {
  TestOrb server;
  const auto servant = CORBA::make_reference<Servant>();
  RawPeer raw = RawPeer::to(where(server.serve(servant)).port);
  const Octets call =
      request(1, where(server.reference(server.root, servant)).key, "echo").octets(Octets(1 << 20)).bytes();
  platform::testing::WaitingThread sending([&] {
    for (int i = 0; i < 20; ++i)
      raw.sends(call);  // more than socket buffers hold: the server blocks in a reply
  });
  EXPECT_TRUE(sending.waits()) << "for the server, which is blocked";
  server.destroy();
  sending.join();
}

TEST_F(HostileClient, DoesNotDelayOthersWithSilentConnections) {
  std::vector<RawPeer> silent;
  for (int i = 0; i < 50; ++i) silent.push_back(peer());
  for (std::size_t i = 0; i < silent.size(); i += 2) silent[i].sends({'G', 'I', 'O'});
  EXPECT_EQ(client.at(reference)->twice(1), 2);
}

/// A shared-memory client after the handshake, with the segment mapped.
struct RawSegment {
  explicit RawSegment(const std::string& rendezvous) {
    socket = std::move(
        platform::connect_to(platform::unix_address("@shm/" + rendezvous), platform::Deadline::in_ms(120'000))
            .fd);
    platform::poll(socket, platform::kReadable, platform::Deadline::in_ms(120'000));
    orbweaver::transport::shm::Welcome welcome{};
    std::array<platform::Fd, 2> files;  // the segment, and a wake-up descriptor that is not used
    platform::recv_fds(socket, {reinterpret_cast<std::uint8_t*>(&welcome), sizeof welcome}, files,
                       platform::Blocking::no);
    auto opened = orbweaver::transport::shm::Segment::open(std::move(files[0]), welcome);
    if (opened) segment = std::move(*opened);
  }
  explicit operator bool() const { return segment.ring_bytes() != 0; }
  /// Whether the server has closed the connection.
  bool is_closed() {
    const unsigned ready = platform::poll(socket, platform::kReadable, platform::Deadline::in_ms(120'000));
    return (ready & (platform::kHungUp | platform::kReadable)) != 0;
  }
  orbweaver::platform::Fd socket;
  orbweaver::transport::shm::Segment segment;
};

using orbweaver::transport::shm::RingMemory;

void put_word(const RingMemory& ring, std::uint64_t position, std::uint64_t word) {
  reinterpret_cast<std::atomic<std::uint64_t>*>(ring.data + position)->store(word, std::memory_order_release);
}
void wake(const RingMemory& ring) {
  ring.words->reader_state.store(0);
  platform::futex_wake(&ring.words->reader_state, 1, true);
}

TEST_F(HostileClient, IsDisconnectedAfterAnInvalidFrameWord) {
  for (const std::uint64_t word :
       {~0ull, 1ull, 7ull | 1ull << 32, 0xffffffffull | 1ull << 32, 64ull | 9ull << 32, 64ull,
        (1ull << 31) | 2ull << 32, 20ull | 1ull << 32, 8ull | 1ull << 32}) {
    RawSegment raw(there.shm);
    ASSERT_TRUE(raw);
    put_word(raw.segment.to_server(), 0, word);
    wake(raw.segment.to_server());
    EXPECT_TRUE(raw.is_closed()) << std::hex << word;
  }
}

TEST_F(HostileClient, CannotHarmOthersByCorruptingTheRing) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    RawSegment raw(there.shm);
    ASSERT_TRUE(raw);
    for (const RingMemory& ring : {raw.segment.to_server(), raw.segment.to_client()}) {
      ring.words->read_position.store(random());
      ring.words->writer_state.store(static_cast<std::uint32_t>(random()));
      for (std::size_t at = 8; at < ring.bytes; at += 8) put_word(ring, at, random());
    }
    const RingMemory ring = raw.segment.to_server();
    // A valid frame word before garbage, or before a request with a false length.
    Octets bytes = request(1, there.key, "echo").ulong(0x7fffffff).bytes();
    if (round % 2 != 0)
      std::generate(bytes.begin() + 12, bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
    std::memcpy(ring.data + 8, bytes.data(), bytes.size());
    put_word(ring, 0, 1ull << 32 | (8 + bytes.size()));
    for (int i = 0; i < 20; ++i) wake(ring);
    // The words change while the server reads them.
    for (int i = 0; i < 2000; ++i) {
      ring.data[8 + random() % bytes.size()] = static_cast<std::uint8_t>(random());
      if (i % 100 == 0) ring.words->reader_state.store(static_cast<std::uint32_t>(random()));
      if (i % 100 == 0) raw.segment.to_client().words->read_position.store(random());
    }
    wake(ring);
  }
}

TEST_F(HostileClient, IsServedOrRejectedWhenItChangesARequestInPlace) {
  RawSegment raw(there.shm);
  ASSERT_TRUE(raw);
  const RingMemory ring = raw.segment.to_server();
  Message call = request(1, there.key, "greet");
  const Octets bytes = call.text(std::string(300, 'x')).bytes();
  std::memcpy(ring.data + 8, bytes.data(), bytes.size());
  put_word(ring, 0, 1ull << 32 | (8 + bytes.size()));
  std::mt19937 random(3);
  wake(ring);
  for (int i = 0; i < 20'000; ++i)
    ring.data[8 + 12 + random() % (bytes.size() - 12)] = static_cast<std::uint8_t>(random());
}

}  // namespace
}  // namespace orbtest
