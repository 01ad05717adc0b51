// One end of a message-queue connection says what it should not, or nothing at all, while another is served.
#include <gtest/gtest.h>
#include <orbweaver/object.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

#include "peer.h"
#include "platform/message_queue.h"
#include "platform/testing/waiting_thread.h"
#include "testing/giop_bytes.h"
#include "transport/mqueue/message_frames.h"
#include "well_behaved.h"

namespace faulttest {
namespace {

namespace platform = orbweaver::platform;
namespace mqueues = orbweaver::transport::mqueues;
using orbtest::Octets;
using platform::Deadline;
using platform::Fd;
using platform::MessageQueue;

constexpr std::array<std::uint32_t, 3> kWelcome{0x514d574f, 2, 0};    // magic, version, errno: docs/formats/mqueue.md
constexpr std::size_t kMessageBytes = 2048;

Octets message_of(const Octets& frame, std::uint32_t kind = mqueues::kFrame) {
  Octets message(mqueues::kHeaderBytes + frame.size());
  const mqueues::MessageHeader header{kind, 0};
  std::memcpy(message.data(), &header, sizeof header);
  std::copy(frame.begin(), frame.end(), message.begin() + mqueues::kHeaderBytes);
  return message;
}

/// One raw end of a connection: a queue each way, and the socket that tells of the other's end.
struct RawEnd {
  Fd socket, out, in;

  int send(const Octets& message, Deadline deadline = Deadline::in_ns(0)) const {
    return platform::send_message(out, message, deadline).error;
  }
  Octets receive(Deadline deadline = Deadline::in_ms(120'000)) const {
    Octets room(kMessageBytes);
    const auto got = platform::receive_message(in, room, deadline);
    room.resize(got.error == 0 ? got.bytes : 0);
    return room;
  }
  bool is_closed(int within_ms = 0) const { return platform::poll(socket, platform::kReadable, Deadline::in_ms(within_ms)) != 0; }
};

RawEnd raw_client(const std::string& rendezvous) {
  RawEnd end;
  end.socket = std::move(platform::connect_to(platform::unix_address("@mqueue/" + rendezvous), Deadline::in_ms(120'000)).fd);
  platform::poll(end.socket, platform::kReadable, Deadline::in_ms(120'000));
  std::array<std::uint32_t, 3> welcome{};
  std::array<Fd, 2> queues;
  platform::recv_fds(end.socket, {reinterpret_cast<std::uint8_t*>(welcome.data()), sizeof welcome}, queues, platform::Block::no);
  if (welcome != kWelcome) throw std::runtime_error("not welcome");
  end.out = std::move(queues[0]);
  end.in = std::move(queues[1]);
  return end;
}

/// What a server hands to a client, right unless it is changed.
struct Goods {
  std::array<std::uint32_t, 3> welcome = kWelcome;
  std::size_t welcome_bytes = sizeof kWelcome;
  MessageQueue to_server = platform::make_message_queue({10, kMessageBytes});
  MessageQueue to_client = platform::make_message_queue({10, kMessageBytes});
  std::vector<int> fds{to_server.writer.get(), to_client.reader.get()};

  RawEnd hand_over(Fd socket) {
    platform::send_fds(socket, {reinterpret_cast<const std::uint8_t*>(welcome.data()), welcome_bytes}, fds, platform::Block::no);
    return {std::move(socket), std::move(to_client.writer), std::move(to_server.reader)};
  }
};

struct HostileQueue : ::testing::Test {
  void SetUp() override {
    if (!std::ifstream("/proc/sys/fs/mqueue/msg_max")) GTEST_SKIP() << "this machine has no POSIX message queues";
    server.emplace(Options{"-ORBListen", "mqueue", "-ORBLog", "off"});
    server->root->activate_object(servant);
    reference = server->orb->object_to_string(server->root->servant_to_reference(servant));
    there = orbtest::where(reference);
    client.emplace(Options{"-ORBTransportPreference", "mqueue", "-ORBLog", "off", "-ORBCallTimeout", "120000"});
    other.emplace(reference_to_target(*client, reference));
  }

  LedgerPage ledger;
  const CORBA::object_reference<TargetServant> servant = CORBA::make_reference<TargetServant>(*ledger);
  std::string reference;
  orbtest::Where there;
  std::optional<Broker> server, client;
  std::optional<WellBehaved> other;
};

TEST_F(HostileQueue, AClientThatFlipsEveryWordOfAMessageHarmsOnlyItself) {
  const Octets plain = orbtest::request(1, there.key, "twice").ulong(4).bytes();
  Octets two = plain;
  two.resize(mqueues::round_up_8(two.size()));
  two.insert(two.end(), plain.begin(), plain.end());
  const std::vector<Octets> messages = {
      message_of(plain), message_of(two, mqueues::kFrames), message_of(plain, mqueues::kLast),
      message_of(orbtest::request(1, there.key, "echo").octets(Octets(300, 1)).bytes())};
  for (const Octets& message : messages) {
    for (std::size_t at = 0; at < std::min<std::size_t>(message.size(), 120); at += 4) {
      for (const std::uint32_t by : kFlips) {
        const RawEnd raw = raw_client(there.mqueue);
        Octets flipped = message;
        flip(flipped, at, by);
        raw.send(flipped);
        for (int i = 0; i < 5 && !raw.is_closed(); ++i) std::this_thread::yield();
      }
      ASSERT_TRUE(other->goes_on()) << "byte " << at;
    }
  }
  const RawEnd raw = raw_client(there.mqueue);
  raw.send(messages[1]);
  EXPECT_FALSE(raw.receive().empty()) << "unflipped they are good: the first";
  EXPECT_FALSE(raw.receive().empty()) << "and the second of one message";
}

TEST_F(HostileQueue, MessagesOfEveryWrongLengthEndTheirConnection) {
  const Octets good = message_of(orbtest::request(1, there.key, "twice").ulong(4).bytes());
  for (std::size_t bytes = 0; bytes <= good.size() + 1; ++bytes) {
    if (bytes == good.size()) continue;
    const RawEnd raw = raw_client(there.mqueue);
    Octets wrong = good;
    wrong.resize(bytes);
    ASSERT_EQ(raw.send(wrong), 0);
    EXPECT_TRUE(raw.is_closed(120'000)) << bytes << " bytes";
  }
  EXPECT_TRUE(other->goes_on());
}

TEST_F(HostileQueue, AClientThatReadsNoRepliesHoldsNobodyElse) {
  const Octets call = message_of(orbtest::request(1, there.key, "twice").ulong(4).bytes());
  std::vector<RawEnd> silent;
  for (int i = 0; i < 3; ++i) {
    silent.push_back(raw_client(there.mqueue));
    // Until both queues are full: the server waits for room, and reads no more.
    for (int n = 0; n < 200; ++n) silent.back().send(call, Deadline::in_ms(n < 25 ? 20 : 0));
  }
  EXPECT_TRUE(other->goes_on());
  silent.erase(silent.begin());  // gone in the middle of it
  EXPECT_TRUE(other->goes_on());
  other.reset();
  server->destroy();  // wakes the threads that wait for room
  EXPECT_TRUE(silent.front().is_closed(120'000));
}

TEST_F(HostileQueue, AClientCannotTakeAwayWhatWakesTheServer) {
  const RawEnd raw = raw_client(there.mqueue);
  Octets room(kMessageBytes);
  EXPECT_EQ(platform::receive_message(raw.out, room, Deadline::in_ns(0)).error, EBADF) << "it can only write there";
  other.reset();
  server->destroy();
  EXPECT_TRUE(raw.is_closed(120'000));
}

/// The other way round: a false server, and the same ORB calls a good one beside it.
struct HostileQueueServer : HostileQueue {
  void SetUp() override {
    HostileQueue::SetUp();
    if (IsSkipped()) return;
    const std::string name = "orbweaver-test-hostile-" + std::to_string(getpid());
    listener = std::move(platform::listen_on(platform::unix_address("@mqueue/" + name), 8).fd);
    ASSERT_TRUE(listener);
    false_reference = orbtest::reference_to(1, {1, 2, 3}, name, "mqueue");
    caller.emplace(Options{"-ORBTransportPreference", "mqueue", "-ORBLog", "off"});
  }

  /// Calls while `serve(socket)` is the server. True: it got the right result; false: an exception.
  template <class Serve>
  bool call(Serve&& serve) {
    // Where the server goes before the request has left, the ORB tries another connection: nobody has that.
    std::atomic<bool> over{false};
    std::thread serving([&] {
      serve(std::move(platform::accept_from(listener, Deadline::in_ms(120'000)).fd));
      while (!over) platform::accept_from(listener, Deadline::in_ms(5));
    });
    bool good = false;
    try {
      // A connection for each: the first one stays good.
      const auto own = orbweaver::with_private_connection(caller->orb->string_to_object(false_reference));
      good = TargetRef::adopt(Faults::Target::_make(own->_reference()))->twice(4) == 8;
    } catch (const CORBA::SystemException&) {
    }
    over = true;
    serving.join();
    return good;
  }

  const Octets answer = message_of(orbtest::reply(1).align(8).ulong(8).bytes());
  Fd listener;
  std::string false_reference;
  std::optional<Broker> caller;
};

TEST_F(HostileQueueServer, WhatIsNoWelcomeIsRefused) {
  const auto answered = [&](Goods& goods, Fd socket) {
    const RawEnd raw = goods.hand_over(std::move(socket));
    raw.receive(Deadline::in_ms(20));  // a call, if the client believes it
    raw.send(answer);
    raw.is_closed(60);
  };
  EXPECT_TRUE(call([&](Fd socket) {
    Goods goods;
    answered(goods, std::move(socket));
  })) << "the false server can be a true one";
  const auto refused = [&](auto&& change) {
    return !call([&](Fd socket) {
      Goods goods;
      change(goods);
      answered(goods, std::move(socket));
    });
  };
  for (std::size_t word = 0; word < kWelcome.size(); ++word) {
    for (const std::uint32_t by : kFlips) EXPECT_TRUE(refused([&](Goods& goods) { goods.welcome[word] ^= by; })) << word;
  }
  const auto pair = platform::make_socket_pair();
  const MessageQueue tiny = platform::make_message_queue({4, 256});
  for (std::size_t bytes : {1u, 4u, 8u, 11u}) EXPECT_TRUE(refused([&](Goods& goods) { goods.welcome_bytes = bytes; }));
  EXPECT_TRUE(refused([&](Goods& goods) { goods.fds.clear(); }));
  EXPECT_TRUE(refused([&](Goods& goods) { goods.fds.resize(1); }));
  EXPECT_TRUE(refused([&](Goods& goods) { goods.fds.push_back(goods.fds[0]); }));
  EXPECT_TRUE(refused([&](Goods& goods) { goods.fds = {pair.here.get(), pair.there.get()}; }));
  EXPECT_TRUE(refused([&](Goods& goods) { goods.fds[1] = pair.here.get(); }));
  EXPECT_TRUE(refused([&](Goods& goods) { goods.fds = {tiny.writer.get(), tiny.reader.get()}; }));
  EXPECT_TRUE(refused([&](Goods& goods) { std::swap(goods.fds[0], goods.fds[1]); })) << "which wait, and which do not";
  EXPECT_TRUE(other->goes_on());
}

TEST_F(HostileQueueServer, EveryFlippedWordOfAReplyHarmsOnlyThatCall) {
  int results = 0;
  for (std::size_t at = 0; at < answer.size(); at += 4) {
    for (const std::uint32_t by : kFlips) {
      results += call([&](Fd socket) {
        const RawEnd raw = Goods().hand_over(std::move(socket));
        raw.receive();
        Octets flipped = answer;
        flip(flipped, at, by);
        raw.send(flipped);
        raw.is_closed(20);
      });
    }
    ASSERT_TRUE(other->goes_on()) << at;
  }
  EXPECT_LT(results, 6) << "a flipped message was taken for a right one";  // only padding may be anything
}

TEST_F(HostileQueueServer, MessagesOfEveryWrongLengthEndTheCall) {
  for (std::size_t bytes = 0; bytes < answer.size(); ++bytes) {
    EXPECT_FALSE(call([&](Fd socket) {
      const RawEnd raw = Goods().hand_over(std::move(socket));
      raw.receive();
      raw.send(Octets(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(bytes)));
      EXPECT_TRUE(raw.is_closed(120'000)) << bytes << " bytes, and the client stays";
    }));
  }
  EXPECT_TRUE(other->goes_on());
}

TEST_F(HostileQueueServer, ThatVanishesIsNoticedAtOnce) {
  const pid_t caller_thread = orbweaver::platform::testing::this_thread_id();
  // Before the call arrives, and while it waits for its answer, with a message for it still in the queue or none.
  EXPECT_FALSE(call([&](Fd socket) { Goods().hand_over(std::move(socket)); }));
  EXPECT_FALSE(call([&](Fd socket) { Goods().hand_over(std::move(socket)).receive(); }));
  EXPECT_TRUE(call([&](Fd socket) {
    const RawEnd raw = Goods().hand_over(std::move(socket));
    raw.receive();
    raw.send(answer);
  }));
  EXPECT_FALSE(call([&](Fd socket) {
    RawEnd raw = Goods().hand_over(std::move(socket));
    raw.receive();
    raw.out.reset();  // the queues alone say nothing
    raw.in.reset();
    orbweaver::platform::testing::until_it_waits(caller_thread);  // for its answer
  }));
  EXPECT_TRUE(other->goes_on());
}

TEST_F(HostileQueueServer, ThatNeverReadsIsGivenUpAtTheDeadline) {
  caller.emplace(Options{"-ORBTransportPreference", "mqueue", "-ORBLog", "off", "-ORBCallTimeout", "50"});
  EXPECT_FALSE(call([&](Fd socket) {
    const RawEnd raw = Goods().hand_over(std::move(socket));
    raw.is_closed(120'000);
  }));
  // One-way calls fill its queue; the one without room says so, in time.
  std::thread serving([&] {
    const RawEnd raw = Goods().hand_over(std::move(platform::accept_from(listener, Deadline::in_ms(120'000)).fd));
    raw.is_closed(120'000);
  });
  const auto own = orbweaver::with_private_connection(caller->orb->string_to_object(false_reference));
  const TargetRef target = TargetRef::adopt(Faults::Target::_make(own->_reference()));
  const auto fill = [&] {
    for (int i = 0; i < 100; ++i) target->note(i);
  };
  EXPECT_THROW(fill(), CORBA::TIMEOUT);
  EXPECT_TRUE(other->goes_on());
  caller.reset();
  serving.join();
}

}  // namespace
}  // namespace faulttest
