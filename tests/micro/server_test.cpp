// A server of the micro library and clients that send malformed messages, or exceed its limits.
#include "micro_server.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace microtest {
namespace {

constexpr std::uint8_t kMoreFragments = 2;
const std::string kEnd;
/// For tests of other limits.
const std::string kNoTimeLimits = "handshake-timeout-ms=0,message-timeout-ms=0,idle-timeout-ms=0";

/// A request of GIOP 1.0 or 1.1: contexts, id, response expected, key, operation, principal.
Octets old_request(const Octets& key, std::uint8_t minor, Order order) {
  Message request(MessageType::request, order, minor);
  request.ulong(0).ulong(1).octet(1);
  if (minor == 1) request.octet(0).octet(0).octet(0);
  return request.octets(key).text("_get_value").ulong(0).bytes();
}

Message echo_header(const Octets& key, std::uint8_t flags, std::uint32_t id = 1) {
  Message first(MessageType::request, Order::little, 2, flags);
  first.ulong(id).octet(3).octet(0).octet(0).octet(0).ushort(0).octets(key).text("echo_octets");
  return first.ulong(0).align(8);
}

/// A call of echo_octets in three fragments.
std::vector<Octets> fragmented_call(const Octets& key, std::uint32_t id = 1) {
  Message first = echo_header(key, kMoreFragments, id);
  for (int i = 0; i < 8; ++i) first.octet(i == 0 ? 36 : 0);  // the length, and four octets
  const auto next = [id](std::uint8_t flags) {
    Message fragment(MessageType::fragment, Order::little, 2, flags);
    fragment.ulong(id);
    for (int i = 0; i < 16; ++i) fragment.octet(7);
    return fragment.bytes();
  };
  return {first.bytes(), next(kMoreFragments), next(0)};
}

TEST(MicroServer, ServesEveryVersionAndByteOrder) {
  const MicroServer server;
  for (const Order order : {Order::little, Order::big}) {
    for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}}) {
      const RawClient client(server);
      ASSERT_TRUE(client.send(old_request(client.key(), minor, order)));
      const Octets reply = client.receive();
      ASSERT_GE(reply.size(), 12u);
      EXPECT_EQ(reply[5], minor) << "the reply has the version of the request";
      EXPECT_EQ(reply[7], 1);
    }
    const RawClient client(server);
    ASSERT_TRUE(client.send(orbtest::request(1, client.key(), "_get_value", order).bytes()));
    EXPECT_EQ(client.receive_type(), "Reply");
  }
}

TEST(MicroServer, ReassemblesFragments) {
  const MicroServer server;
  const RawClient client(server);
  for (const Octets& frame : fragmented_call(client.key())) ASSERT_TRUE(client.send(frame));
  const Octets reply = client.receive();
  ASSERT_EQ(reply.size(), 24u + 4 + 36);
  EXPECT_EQ(reply[24], 36);
  EXPECT_EQ(reply[63], 7);
}

TEST(MicroServer, AnswersALocateRequest) {
  const MicroServer server;
  const RawClient client(server);
  ASSERT_TRUE(
      client.send(Message(MessageType::locate_request).ulong(1).ushort(0).octets(client.key()).bytes()));
  Octets reply = client.receive();
  ASSERT_EQ(reply.size(), 20u);
  EXPECT_EQ(reply[16], 1) << "the object is here";
  ASSERT_TRUE(client.send(Message(MessageType::locate_request).ulong(2).ushort(0).octets({1, 2}).bytes()));
  reply = client.receive();
  ASSERT_EQ(reply.size(), 20u);
  EXPECT_EQ(reply[16], 0) << "there is no such object";
}

TEST(MicroServer, SendsTheTextOfASystemException) {
  const MicroServer server;
  const RawClient client(server);
  ASSERT_TRUE(client.send(orbtest::request(1, {1, 2, 3}, "_get_value").bytes()));
  const Octets reply = client.receive();
  ASSERT_GE(reply.size(), 28u);
  EXPECT_EQ(reply[16], 2) << "a system exception";
  EXPECT_EQ(reply[20], 1) << "one service context";
  EXPECT_EQ(reply[24], 14) << "ExceptionDetailMessage";
}

/// Sends frames, then valid requests, and counts whether one of these is answered, or the connection ends.
void send_and_count(const MicroServer& server, const std::vector<Octets>& frames, int& answered, int& ended) {
  const RawClient client(server);
  for (const Octets& frame : frames) client.send(frame);
  for (std::uint32_t id = 77; id < 80; ++id)
    client.send(orbtest::request(id, client.key(), "_get_value").bytes());
  const std::string answer = client.receive_type();
  ++(answer == "Reply" || answer == "LocateReply" ? answered : ended);
}

TEST(MicroServer, ServesOthersWhateverAClientSends) {
  // The time limit ends the wait of a frame whose length is too large.
  const MicroServer server(
      {"-ORBMaxMessageBytes", "65536", "-ORBTune", "message-timeout-ms=500", "-ORBLog", "off"});
  const RawClient other(server);
  ASSERT_TRUE(other.is_served());
  const Octets& key = other.key();
  Message with_contexts(MessageType::request, Order::big);
  with_contexts.ulong(1).octet(3).octet(0).octet(0).octet(0).ushort(0).octets(key).text("_get_value");
  with_contexts.ulong(1).ulong(1).octets({1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0});
  const std::vector<std::vector<Octets>> conversations = {
      {orbtest::request(1, key, "echo_octets").octets(Octets(40, 1)).bytes()},
      {orbtest::request(1, key, "name_of")
           .text("IDL:MicroTest/Named:1.0")
           .ulong(1)
           .ulong(0)
           .octets({1, 1, 2})
           .bytes()},
      {orbtest::request(1, key, "echo_shape").ulong(1).ulong(1).text("a").bytes()},
      {with_contexts.bytes()},
      {old_request(key, 0, Order::big)},
      fragmented_call(key),
      {Message(MessageType::locate_request).ulong(1).ushort(0).octets(key).bytes(),
       Message(MessageType::cancel_request).ulong(1).bytes()},
      {orbtest::reply(1).ulong(8).bytes()},
      {Message(MessageType::close_connection).bytes()},
      {Message(MessageType::message_error).bytes()},
  };
  int answered = 0, ended = 0;
  for (const auto& conversation : conversations) {
    for (std::size_t frame = 0; frame < conversation.size(); ++frame) {
      for (std::size_t at = 0; at < conversation[frame].size(); at += 4) {
        for (const std::uint32_t bits : {0x01u, 0x80u, 0xffu, 0x80000000u, 0xffffffffu}) {
          std::vector<Octets> frames = conversation;
          for (std::size_t i = 0; i < 4 && at + i < frames[frame].size(); ++i)
            frames[frame][at + i] ^= static_cast<std::uint8_t>(bits >> (8 * i));
          send_and_count(server, frames, answered, ended);
        }
      }
      ASSERT_TRUE(other.is_served());
    }
  }
  EXPECT_GT(answered, 20);
  EXPECT_GT(ended, 20);
}

TEST(MicroServer, RejectsAMessageAboveTheLimit) {
  const MicroServer server({"-ORBMaxMessageBytes", "4096", "-ORBLog", "off"});
  const RawClient client(server);
  ASSERT_TRUE(client.is_served());
  ASSERT_TRUE(client.send(orbtest::request(1, client.key(), "echo_octets").octets(Octets(3000, 1)).bytes()));
  EXPECT_EQ(client.receive_type(), "Reply");
  ASSERT_TRUE(client.send(orbtest::request(2, client.key(), "echo_octets").octets(Octets(4096, 1)).bytes()));
  EXPECT_NE(client.receive_type(), "Reply");
  EXPECT_TRUE(client.is_closed());
  EXPECT_TRUE(RawClient(server).is_served());
}

TEST(MicroServer, LimitsTheSumOfFragments) {
  const MicroServer server({"-ORBMaxMessageBytes", "65536", "-ORBTune", kNoTimeLimits, "-ORBLog", "off"});
  const RawClient client(server);
  Message first = echo_header(client.key(), kMoreFragments);
  ASSERT_TRUE(client.send(first.bytes()));
  bool sent = true;
  for (int i = 0; i < 40 && sent; ++i) {
    Message more(MessageType::fragment, Order::little, 2, kMoreFragments);
    more.ulong(1);
    for (int k = 0; k < 4096; ++k) more.octet(0);
    sent = client.send(more.bytes());
  }
  EXPECT_TRUE(client.is_closed());
  EXPECT_TRUE(RawClient(server).is_served());
}

TEST(MicroServer, LimitsTheBytesOfAllConnections) {
  const MicroServer server({"-ORBMaxMessageBytes", "1048576", "-ORBTune",
                            "receive-bytes=1048576," + kNoTimeLimits, "-ORBLog", "off"});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<RawClient>(server));
    Octets part = Message(MessageType::request).bytes_announcing(1'000'000);
    part.resize(700'000);
    clients.back()->send(part);
  }
  // Of four messages of which most has arrived, one fits: the connections of the others are closed; also both
  // of two that grow at the same time.
  std::vector<pollfd> open;
  for (const auto& client : clients) open.push_back({client->fd(), POLLIN, 0});
  while (open.size() > 1 && poll(open.data(), open.size(), 120'000) > 0)
    open.erase(std::remove_if(open.begin(), open.end(), [](const pollfd& p) { return p.revents != 0; }),
               open.end());
  EXPECT_LE(open.size(), 1u);
  EXPECT_TRUE(RawClient(server).is_served());
}

TEST(MicroServer, RejectsConnectionsAboveTheLimit) {
  const MicroServer server({"-ORBTune", "max-connections=2," + kNoTimeLimits, "-ORBLog", "off"});
  const RawClient first(server);
  ASSERT_TRUE(first.is_served());
  const RawClient second(server);
  ASSERT_TRUE(second.is_served());
  const RawClient third(server);
  EXPECT_EQ(third.receive_type(), "CloseConnection");
  EXPECT_EQ(third.receive_type(), kEnd);
  EXPECT_TRUE(first.is_served() && second.is_served());
}

TEST(MicroServer, ClosesIdleConnections) {
  const MicroServer server({"-ORBTune", "idle-timeout-ms=100"});
  const RawClient client(server);
  ASSERT_TRUE(client.is_served());
  EXPECT_EQ(client.receive_type(), "CloseConnection");
  EXPECT_EQ(client.receive_type(), kEnd);
}

TEST(MicroServer, ClosesConnectionsWithoutAFirstMessage) {
  const MicroServer server({"-ORBTune", "handshake-timeout-ms=100"});
  const RawClient client(server);
  EXPECT_EQ(client.receive_type(), "CloseConnection");
  EXPECT_EQ(client.receive_type(), kEnd);
}

TEST(MicroServer, ClosesConnectionsWhoseMessageStaysIncomplete) {
  const MicroServer server({"-ORBTune", "message-timeout-ms=100", "-ORBLog", "off"});
  const RawClient client(server);
  ASSERT_TRUE(client.is_served());
  Octets part = orbtest::request(1, client.key(), "_get_value").bytes();
  part.resize(part.size() - 4);
  ASSERT_TRUE(client.send(part));
  EXPECT_EQ(client.receive_type(), kEnd);
  // Also after many bytes.
  const RawClient large(server);
  part = Message(MessageType::request).bytes_announcing(4'000'000);
  part.resize(1'000'000);
  ASSERT_TRUE(large.send(part));
  EXPECT_TRUE(large.is_closed());
  // Also one of which fragments are missing.
  const RawClient fragmented(server);
  ASSERT_TRUE(fragmented.send(fragmented_call(fragmented.key()).front()));
  EXPECT_TRUE(fragmented.is_closed());
}

TEST(MicroServer, ClosesConnectionsWhoseMessageStaysIncompleteWhileOthersEnd) {
  const MicroServer server({"-ORBTune", "message-timeout-ms=100", "-ORBLog", "off"});
  const RawClient client(server);
  ASSERT_TRUE(client.send(fragmented_call(client.key()).front()));
  for (std::uint32_t id = 2;; ++id) {
    bool sent = true;
    for (const Octets& part : fragmented_call(client.key(), id)) sent = sent && client.send(part);
    if (!sent || client.receive_type() == kEnd) break;
  }
}

TEST(MicroServer, WaitsForTheRestOfAFirstMessageAsForAnyMessage) {
  const MicroServer server({"-ORBTune", "handshake-timeout-ms=100,idle-timeout-ms=100"});
  const RawClient client(server);
  const Octets call = orbtest::request(1, client.key(), "_get_value").bytes();
  ASSERT_TRUE(client.send(Octets(call.begin(), call.begin() + 8)));
  // The time limit of a connection without a message passes.
  const RawClient other(server);
  EXPECT_EQ(other.receive_type(), "CloseConnection");
  ASSERT_TRUE(client.send(Octets(call.begin() + 8, call.end())));
  EXPECT_EQ(client.receive_type(), "Reply");
}

TEST(MicroServer, ClosesConnectionsThatDoNotReadTheirReplies) {
  const MicroServer server({"-ORBTune", "reply-timeout-ms=100", "-ORBLog", "off"});
  const RawClient client(server);
  // More replies than the sockets hold; the connection ends while they are being sent.
  const Octets call = orbtest::request(1, client.key(), "echo_octets").octets(Octets(500'000, 1)).bytes();
  bool sent = true;
  for (int i = 0; i < 100 && sent; ++i) sent = client.send(call);
  EXPECT_FALSE(sent);
  EXPECT_NE(errno, EAGAIN) << "the time limit of this test";
  EXPECT_TRUE(RawClient(server).is_served());
}

TEST(MicroServer, EndsAlthoughAClientDoesNotReadItsReply) {
  MicroServer server({"-ORBTune", "reply-timeout-ms=0", "-ORBLog", "off"});
  const RawClient client(server);
  // More than the sockets hold.
  ASSERT_TRUE(
      client.send(orbtest::request(1, client.key(), "echo_octets").octets(Octets(15'000'000, 1)).bytes()));
  std::uint8_t first = 0;
  ASSERT_EQ(recv(client.fd(), &first, 1, MSG_PEEK), 1) << "the reply has begun";
  const RawClient other(server);
  ASSERT_TRUE(other.send(orbtest::request(1, other.key(), "stop", Order::little, 0).bytes()));
  EXPECT_EQ(server.wait_for_end(), "exited with status 0");
}

TEST(MicroServer, AnswersACallOfAnOperationWithALongName) {
  const MicroServer server({"-ORBMaxMessageBytes", "4096", "-ORBLog", "off"});
  const RawClient client(server);
  ASSERT_TRUE(client.send(orbtest::request(1, client.key(), std::string(3000, 'x')).bytes()));
  const Octets reply = client.receive();
  ASSERT_GE(reply.size(), 28u);
  EXPECT_EQ(reply[16], 2) << "a system exception";
  EXPECT_EQ(reply[20], 1) << "with a detail";
  EXPECT_LT(reply.size(), 1024u);
}

TEST(MicroServer, CountsTheStorageOfReplies) {
  const MicroServer server({"-ORBMaxMessageBytes", "1048576", "-ORBTune", "receive-bytes=1048576"});
  const RawClient client(server);
  for (std::uint32_t id = 1; id < 3; ++id) {
    ASSERT_TRUE(
        client.send(orbtest::request(id, client.key(), "echo_octets").octets(Octets(700'000, 1)).bytes()));
    const Octets reply = client.receive();
    ASSERT_GE(reply.size(), 28u);
    EXPECT_EQ(reply[16], 2) << "a system exception";
    ASSERT_TRUE(
        client.send(orbtest::request(id, client.key(), "echo_octets").octets(Octets(300'000, 1)).bytes()));
    EXPECT_GE(client.receive().size(), 300'000u) << "the storage is free again";
  }
}

TEST(MicroServer, RejectsOptionsOfTheFullLibrary) {
  for (const char* const option : {"-ORBThreads", "-ORBAllow", "-ORBTransportPreference", "-ORBListen"}) {
    MicroServer server({option, "shm"});
    EXPECT_EQ(server.reference, "");
    EXPECT_EQ(server.wait_for_end(), "exited with status 1") << option;
  }
}

}  // namespace
}  // namespace microtest

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) microtest::server_program() = argv[1];
  return RUN_ALL_TESTS();
}
