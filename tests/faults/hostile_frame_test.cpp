// A client flips every word of every kind of message, over each transport, while another client is served.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "background_caller.h"
#include "giop/message.h"
#include "testing/giop_builder.h"
#include "transport/plugins.h"

namespace faulttest {
namespace {

namespace giop = orbweaver::giop;
namespace transport = orbweaver::transport;
using giop::MessageType;
using orbtest::Message;
using orbtest::Octets;
using orbtest::Order;
using orbweaver::ErrorKind;
using transport::Deadline;

constexpr std::uint8_t kMoreFragments = 2;

class HostileFrames : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string free_address(const std::string& transport_name) {
    if (transport_name == "tcp" || transport_name == "udp") return "127.0.0.1:" + orbtest::free_port();
    return std::string(transport_name == "unix" ? "@" : "") + "orbweaver-test-frames-" +
           std::to_string(getpid());
  }
  std::string reference() { return server.orb->object_to_string(server.root->servant_to_reference(servant)); }
  std::unique_ptr<transport::Channel> connect() const {
    transport::ChannelOptions options;
    options.frame_length = &giop::frame_length;
    auto connected = transport::find(transport_name)->connect(address, options, Deadline::in_ms(120'000));
    EXPECT_TRUE(connected) << connected.error().message;
    return connected ? std::move(*connected) : nullptr;
  }
  static bool send(transport::Channel& channel, const Octets& frame) {
    auto buffer = channel.claim(frame.size(), Deadline::in_ms(120'000));
    if (!buffer) return false;
    std::copy(frame.begin(), frame.end(), buffer->begin());
    return static_cast<bool>(channel.commit(frame.size(), Deadline::in_ms(120'000)));
  }
  /// Sends `frames` and then valid requests. Expects a reply to one of them, or the close of the connection.
  /// The valid requests also complete a message whose length is a little too large.
  void attack(const std::vector<Octets>& frames) {
    const auto channel = connect();
    if (!channel) return;
    for (const Octets& frame : frames) send(*channel, frame);
    for (std::uint32_t id = 77; id < 80; ++id)
      send(*channel, orbtest::request(id, key, "twice").ulong(4).bytes());
    // Datagrams may be lost, or not belong to the connection.
    const auto answer = channel->receive(Deadline::in_ms(transport_name == "udp" ? 2 : 120'000));
    if (answer) {
      ++answered;
      channel->release();
    } else if (transport_name != "udp") {
      EXPECT_EQ(answer.error().kind, ErrorKind::disconnected) << "neither a reply nor a close";
      ++ended;
    }
  }

  /// Valid messages of every kind, by the conversation that they form.
  std::vector<std::vector<Octets>> valid_conversations() const {
    const auto with_contexts = [&](Order order) {
      Message request(MessageType::request, order);
      request.ulong(1).octet(3).octet(0).octet(0).octet(0).ushort(0).octets(key).text("twice").ulong(2);
      request.ulong(1).octets({1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0});  // malformed code sets
      request.ulong(0x4f570001).octets(Octets(5, 7));
      return request.align(8).ulong(4).bytes();
    };
    const auto oldest = [&] {  // GIOP 1.0: contexts, id, response expected, key, operation, principal
      Message request(MessageType::request, Order::big, 0);
      return request.ulong(0).ulong(1).octet(1).octets(key).text("twice").ulong(0).ulong(4).bytes();
    };
    const auto in_fragments = [&]() -> std::vector<Octets> {
      Message first(MessageType::request, Order::little, 2, kMoreFragments);
      first.ulong(1)
          .octet(3)
          .octet(0)
          .octet(0)
          .octet(0)
          .ushort(0)
          .octets(key)
          .text("echo")
          .ulong(0)
          .align(8)
          .ulong(40);
      first.octets(Octets(16, 3)).align(8);
      return {first.bytes(),
              Message(MessageType::fragment, Order::little, 2, kMoreFragments)
                  .ulong(1)
                  .octets(Octets(16, 4))
                  .bytes(),
              Message(MessageType::fragment).ulong(1).octets(Octets(16, 5)).bytes()};
    };
    return {
        {orbtest::request(1, key, "echo").octets(Octets(40, 1)).bytes()},
        {with_contexts(Order::little)},
        {with_contexts(Order::big)},
        {oldest()},
        in_fragments(),
        {Message(MessageType::locate_request).ulong(1).ushort(0).octets(key).bytes(),
         Message(MessageType::cancel_request).ulong(1).bytes()},
        {orbtest::reply(1).ulong(8).bytes()},
        {Message(MessageType::close_connection).bytes()},
        {Message(MessageType::message_error).bytes()},
    };
  }

  const std::string transport_name = GetParam(), address = free_address(transport_name);
  CallLogPage call_log;
  const CORBA::object_reference<TargetServant> servant = CORBA::make_reference<TargetServant>(*call_log);
  TestOrb server{Options{"-ORBListen", transport_name + ":" + address, "-ORBTune", "ring-bytes=65536",
                         "-ORBMaxMessageBytes", "65536", "-ORBLog", "off"}};
  TestOrb client{
      Options{"-ORBTransportPreference", transport_name, "-ORBLog", "off", "-ORBCallTimeout", "120000"}};
  const Octets key = orbtest::where(reference()).key;
  int answered = 0, ended = 0;
};

TEST_P(HostileFrames, AffectOnlyTheirSender) {
  const std::vector<std::vector<Octets>> conversations = valid_conversations();
  const BackgroundCaller other(reference_to_target(client, reference()));
  ASSERT_TRUE(other.is_served_again());
  attack({});
  if (transport_name != "udp") {
    ASSERT_EQ(answered, 1) << "a valid request is answered";
  }
  const ResourceSnapshot before = ResourceSnapshot::now();
  for (std::size_t n = 0; n < conversations.size(); ++n) {
    for (std::size_t frame = 0; frame < conversations[n].size(); ++frame) {
      for (std::size_t at = 0; at < conversations[n][frame].size(); at += 4) {
        for (const std::uint32_t bits : kBitMasks) {
          std::vector<Octets> messages = conversations[n];
          flip(messages[frame], at, bits);
          attack(messages);
        }
      }
      ASSERT_TRUE(other.is_served_again()) << "after frame " << frame << " of conversation " << n;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(answered, 20);
  if (transport_name != "udp") {
    EXPECT_GT(ended, 20);
  }
  EXPECT_TRUE(before.are_restored()) << before.difference();
}

INSTANTIATE_TEST_SUITE_P(Transports, HostileFrames, ::testing::ValuesIn(transports_with_udp()),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace faulttest
