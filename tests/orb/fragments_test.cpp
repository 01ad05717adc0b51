// Large requests and replies in fragments: sending, reassembly, and incomplete messages.
#include <gmock/gmock.h>

#include <orbweaver/detail/stub.h>

#include <numeric>
#include <optional>

#include "giop/fragment.h"
#include "giop/request.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace cdr = orbweaver::cdr;
namespace giop = orbweaver::giop;
using giop::MessageType;
using ::testing::Ge;
using ::testing::SizeIs;

constexpr std::size_t kFragment = 1024;
const Options kOptions{"-ORBTransportPreference", "tcp",   "-ORBTune", "fragment-bytes=1024",
                       "-ORBCallTimeout",         "120000"};

/// A received message: its frames, and the reassembled whole.
struct Arrived {
  std::vector<Octets> frames;
  Octets whole;
  giop::MessageHeader header;
};

std::optional<Arrived> next_message(RawPeer& peer) {
  giop::FragmentAssembler assembler;
  Arrived arrived;
  while (auto frame = peer.receives()) {
    arrived.frames.push_back(*frame);
    arrived.header = *giop::parse_header(*frame);
    auto whole = assembler.add(*frame, arrived.header);
    if (!whole) {
      ADD_FAILURE() << whole.error().message;
      return std::nullopt;
    }
    if (whole->empty()) continue;
    arrived.whole.assign(whole->begin(), whole->end());
    return arrived;
  }
  return std::nullopt;
}

/// Expects the fragments of one message of GIOP 1.2: each but the last a multiple of 8 bytes, none above
/// kFragment.
void expect_fragments(const std::vector<Octets>& frames, MessageType type) {
  ASSERT_GT(frames.size(), 1u);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto header = giop::parse_header(frames[i]);
    const bool last = i + 1 == frames.size();
    EXPECT_EQ(header->type, i == 0 ? type : MessageType::fragment);
    EXPECT_EQ(header->more_fragments, !last);
    EXPECT_LE(frames[i].size(), kFragment);
    EXPECT_TRUE(last || frames[i].size() % 8 == 0) << frames[i].size();
    EXPECT_TRUE(std::equal(frames[i].begin() + 12, frames[i].begin() + 16, frames[0].begin() + 12))
        << "another request id";
  }
}

Octets numbered(std::size_t n) {
  Octets octets(n);
  std::iota(octets.begin(), octets.end(), std::uint8_t{0});
  return octets;
}

std::uint32_t request_id_of(const Octets& message) {
  std::uint32_t id;
  std::memcpy(&id, message.data() + 12, 4);
  return id;
}

TEST(Fragments, OfARequestFollowGiop12) {
  std::vector<Arrived> requests;
  std::optional<RawServer> server(std::in_place, [&](RawPeer& peer) {
    while (auto request = next_message(peer)) {
      requests.push_back(*request);
      peer.sends(reply(request_id_of(request->whole)).ulong(0).bytes());
    }
  });
  TestOrb client{kOptions};
  const CallsRef calls = client.unchecked(server->reference());
  for (const std::size_t n : {900, 5000, 100'000}) calls->echo(numbered(n));
  client.destroy();
  server.reset();
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_THAT(requests[0].frames, SizeIs(1)) << "it fits into one";
  for (const Arrived& request : {requests[1], requests[2]})
    expect_fragments(request.frames, MessageType::request);
  for (const Arrived& request : requests) {
    cdr::Decoder in = giop::open_body(request.whole, request.header);
    giop::RequestHeader header;
    ASSERT_TRUE(giop::decode_request(in, request.header.version, header));
    EXPECT_EQ(header.operation, "echo");
    const std::uint32_t n = in.get<std::uint32_t>();
    ASSERT_EQ(in.remaining(), n);
    const Octets sent = numbered(n);
    EXPECT_EQ(std::memcmp(in.get_bytes(n), sent.data(), n), 0);
  }
}

TEST(Fragments, OfAReplyFollowGiop12) {
  TestOrb server{Options{"-ORBTune", "fragment-bytes=1024"}};
  const Where at = where(server.serve(CORBA::make_reference<Servant>()));
  RawPeer peer = RawPeer::to(at.port);
  const Octets sent = numbered(100'001);
  peer.sends(request(1, at.key, "echo").align(8).octets(sent).bytes());
  const auto answer = next_message(peer);
  ASSERT_TRUE(answer);
  expect_fragments(answer->frames, MessageType::reply);
  ASSERT_GE(answer->whole.size(), sent.size());
  EXPECT_TRUE(
      std::equal(sent.begin(), sent.end(), answer->whole.end() - static_cast<std::ptrdiff_t>(sent.size())));
}

/// A single thread does not wait for the client between two fragments (decision 25).
TEST(Fragments, OfRepliesAreSentByAPoolButNotByASingleThread) {
  for (const std::string threads : {"pool:1", "single"}) {
    TestOrb server{Options{"-ORBTune", "fragment-bytes=1024", "-ORBListen", "tcp", "-ORBThreads", threads}};
    const Where at = where(server.serve(CORBA::make_reference<Servant>()));
    std::thread running;
    if (threads == "single") running = std::thread([&] { server.orb->run(); });
    RawPeer peer = RawPeer::to(at.port);
    const Octets sent = numbered(3'000'000);
    peer.sends(request(1, at.key, "echo").align(8).octets(sent).bytes());
    const auto answer = next_message(peer);
    EXPECT_TRUE(answer);
    if (answer && answer->whole.size() >= sent.size()) {
      if (threads == "single")
        EXPECT_THAT(answer->frames, SizeIs(1));
      else
        expect_fragments(answer->frames, MessageType::reply);
      const auto end = answer->whole.end();
      EXPECT_TRUE(std::equal(sent.begin(), sent.end(), end - static_cast<std::ptrdiff_t>(sent.size())));
    } else {
      ADD_FAILURE() << threads << ": not the whole reply";
    }
    server.orb->shutdown(false);
    if (running.joinable()) running.join();
  }
}

/// More clients than pool threads; each client reads only the first fragment of its reply.
TEST(Fragments, OfUnreadRepliesDoNotBlockAPool) {
  TestOrb server{Options{"-ORBTune", "fragment-bytes=1024", "-ORBListen", "tcp", "-ORBThreads", "pool:1"}};
  TestOrb client{Options{"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "600000"}};
  const std::string reference = server.serve(CORBA::make_reference<Servant>());
  const Where at = where(reference);
  const Octets question = request(1, at.key, "echo").align(8).octets(Octets(12'000'000)).bytes();
  std::vector<RawPeer> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(RawPeer::to(at.port));
    peers.back().sends(question);
    EXPECT_TRUE(peers.back().receives()) << "the first fragment";
  }
  const CallsRef calls = client.at(reference);
  for (std::int32_t n = 0; n < 100; ++n) EXPECT_EQ(calls->twice(n), 2 * n);
}

/// Large calls over every transport, whether it sends fragments or not, with values of all kinds at fragment
/// boundaries.
struct FragmentedCalls : ::testing::TestWithParam<std::string> {
  ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server{Options{"-ORBListen", GetParam(), "-ORBTune", "fragment-bytes=1024"}};
  TestOrb client{Options{"-ORBTransportPreference", GetParam(), "-ORBTune", "fragment-bytes=1024",
                         "-ORBCallTimeout", "120000"}};
  CallsRef calls = client.at(server.serve(servant));
};

TEST_P(FragmentedCalls, TransferOctets) {
  for (std::size_t n = 880; n < 1120; n += 3) EXPECT_EQ(calls->echo(numbered(n)), numbered(n)) << n;
  for (std::size_t n = 1; n < 2'000'000; n = 3 * n + 1) EXPECT_EQ(calls->echo(numbered(n)), numbered(n)) << n;
}

TEST_P(FragmentedCalls, TransferStructsAndStrings) {
  for (std::size_t n = 1; n < 20'000; n = 2 * n + 1) {
    OrbTest::Record record;
    record.name(std::string(n, 'x'));
    record.flag(7);
    for (std::size_t i = 0; i < n; ++i) record.path().push_back({0.5 * static_cast<double>(i), -1.0});
    record.levels().assign(n + 1, 0.25);
    std::int32_t counter = 1;
    std::string note;
    const OrbTest::Record turned = calls->turn(record, counter, note);
    EXPECT_EQ(turned.name(), record.name());
    EXPECT_EQ(turned.levels(), record.levels());
    ASSERT_EQ(turned.path().size(), n);
    EXPECT_EQ(turned.path().front().x(), record.path().back().x());
  }
}

TEST_P(FragmentedCalls, TransferALargeView) {
  const std::vector<double> samples(200'000, 0.5);
  EXPECT_EQ(calls->sum(samples), 100'000);
}

TEST_P(FragmentedCalls, DoNotInterleaveThreads) {
  std::vector<std::thread> callers;
  for (std::size_t t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (std::size_t i = 0; i < 20; ++i) {
        const Octets sent = numbered(1000 + 777 * (i + t));
        EXPECT_EQ(calls->echo(sent), sent);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

INSTANTIATE_TEST_SUITE_P(Transports, FragmentedCalls,
                         ::testing::Values("inproc", "shm", "unix", "mqueue", "tcp"),
                         [](const auto& i) { return i.param; });

/// A call whose arguments fail to encode after some fragments have been sent.
TEST(Fragments, OfAnAbandonedRequestAreCancelled) {
  std::vector<Octets> frames;
  std::optional<RawServer> server(std::in_place, [&](RawPeer& peer) {
    while (auto frame = peer.receives()) {
      frames.push_back(*frame);
      const auto header = giop::parse_header(*frame);
      if (header->type == MessageType::request && !header->more_fragments)
        peer.sends(reply(request_id_of(*frame)).ulong(5).bytes());
    }
  });
  TestOrb client{kOptions};
  const CallsRef calls = client.unchecked(server->reference());
  static constexpr orbweaver::Operation kBroken{"broken", 6, false, nullptr, 0};
  const Octets some = numbered(3000);
  EXPECT_THROW(orbweaver::twoway(
                   *calls, kBroken, 6000,
                   [&](cdr::Encoder& out) {
                     out.put_bytes(some.data(), some.size());
                     throw CORBA::BAD_PARAM();
                   },
                   [](cdr::Decoder&) {}),
               CORBA::BAD_PARAM);
  EXPECT_EQ(calls->twice(1), 5);  // over the same connection
  client.destroy();
  server.reset();
  ASSERT_THAT(frames, SizeIs(Ge(4u)));
  const auto type = [&](std::size_t i) { return giop::parse_header(frames[i])->type; };
  EXPECT_EQ(type(0), MessageType::request);
  EXPECT_EQ(type(1), MessageType::fragment);
  EXPECT_EQ(type(frames.size() - 2), MessageType::cancel_request);
  EXPECT_EQ(request_id_of(frames[frames.size() - 2]), request_id_of(frames[0]));
  EXPECT_EQ(type(frames.size() - 1), MessageType::request);
}

TEST(Fragments, AreNotServedWhenIncomplete) {
  std::optional<RawServer> server(
      std::in_place, [&](RawPeer& peer) { (void)peer.receives(); });  // reads one frame and closes
  TestOrb client{kOptions};
  const CallsRef calls = client.unchecked(server->reference());
  try {
    calls->echo(numbered(40'000'000));
    ADD_FAILURE() << "a reply without a server";
  } catch (const CORBA::SystemException& e) {
    EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_NO) << e.what();
  }
  client.destroy();
  server.reset();
}

TEST(Fragments, OfAnUnreadReplyDoNotDelayShutdown) {
  for (const char* threads : {"connection", "pool:1"}) {
    TestOrb server{Options{"-ORBListen", "tcp", "-ORBTune", "fragment-bytes=1024", "-ORBThreads", threads}};
    const Where at = where(server.serve(CORBA::make_reference<Servant>()));
    RawPeer peer = RawPeer::to(at.port);
    peer.sends(request(1, at.key, "echo").align(8).octets(Octets(12'000'000)).bytes());
    EXPECT_TRUE(peer.receives()) << "the first fragment";
    server.destroy();
  }
}

TEST(Fragments, AreNotSentForAMessageBeyondTheLimit) {
  std::atomic<int> messages{0};
  std::optional<RawServer> server(std::in_place, [&](RawPeer& peer) {
    while (peer.receives()) ++messages;
  });
  TestOrb client{Options{"-ORBTransportPreference", "tcp", "-ORBTune", "fragment-bytes=1024",
                         "-ORBMaxMessageBytes", "20000"}};
  const CallsRef calls = client.unchecked(server->reference());
  try {
    calls->echo(numbered(30'000));
    ADD_FAILURE() << "no exception";
  } catch (const CORBA::IMP_LIMIT& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("the limit of this end is 20000 (-ORBMaxMessageBytes)"));
  }
  client.destroy();
  server.reset();
  EXPECT_EQ(messages, 0);
}

TEST(Fragments, AreDisabledByTheOption) {
  std::vector<std::size_t> sizes;
  std::optional<RawServer> server(std::in_place, [&](RawPeer& peer) {
    while (auto frame = peer.receives()) {
      sizes.push_back(frame->size());
      peer.sends(reply(request_id_of(*frame)).ulong(0).bytes());
    }
  });
  TestOrb client{Options{"-ORBTransportPreference", "tcp", "-ORBTune", "fragment-bytes=0"}};
  client.unchecked(server->reference())->echo(numbered(5'000'000));
  client.destroy();
  server.reset();
  EXPECT_THAT(sizes, ::testing::ElementsAre(Ge(5'000'000u)));
}

}  // namespace
}  // namespace orbtest
