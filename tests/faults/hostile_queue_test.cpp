// A message-queue peer sends malformed messages, or none at all, while another connection is served.
#include <gtest/gtest.h>
#include <orbweaver/object.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

#include "background_caller.h"
#include "peer.h"
#include "platform/message_queue.h"
#include "platform/testing/waiting_thread.h"
#include "testing/giop_builder.h"
#include "transport/mqueue/message_frames.h"

namespace faulttest {
namespace {

namespace platform = orbweaver::platform;
namespace mqueue = orbweaver::transport::mqueue;
using orbtest::Octets;
using platform::Deadline;
using platform::Fd;
using platform::MessageQueue;

constexpr std::array<std::uint32_t, 3> kWelcome{0x514d574f, 2,
                                                0};  // magic, version, errno: docs/formats/mqueue.md
constexpr std::size_t kMessageBytes = 2048;

Octets message_of(const Octets& frame, std::uint32_t kind = mqueue::kFrame) {
  Octets message(mqueue::kHeaderBytes + frame.size());
  const mqueue::MessageHeader header{kind, 0};
  std::memcpy(message.data(), &header, sizeof header);
  std::copy(frame.begin(), frame.end(), message.begin() + mqueue::kHeaderBytes);
  return message;
}

/// A raw end of a connection: a queue in each direction, and the socket that reports the close of the other
/// end.
struct RawEnd {
  Fd socket, out, in;

  int send(const Octets& message, Deadline deadline = Deadline::in_ns(0)) const {
    return platform::send_message(out, message, deadline).error;
  }
  Octets receive(Deadline deadline = Deadline::in_ms(120'000)) const {
    Octets buffer(kMessageBytes);
    const auto got = platform::receive_message(in, buffer, deadline);
    buffer.resize(got.error == 0 ? got.bytes : 0);
    return buffer;
  }
  bool is_closed(int within_ms = 0) const {
    return platform::poll(socket, platform::kReadable, Deadline::in_ms(within_ms)) != 0;
  }
};

RawEnd raw_client(const std::string& rendezvous) {
  RawEnd end;
  end.socket = std::move(
      platform::connect_to(platform::unix_address("@mqueue/" + rendezvous), Deadline::in_ms(120'000)).fd);
  platform::poll(end.socket, platform::kReadable, Deadline::in_ms(120'000));
  std::array<std::uint32_t, 3> welcome{};
  std::array<Fd, 2> queues;
  platform::recv_fds(end.socket, {reinterpret_cast<std::uint8_t*>(welcome.data()), sizeof welcome}, queues,
                     platform::Blocking::no);
  if (welcome != kWelcome) throw std::runtime_error("unexpected welcome message");
  end.out = std::move(queues[0]);
  end.in = std::move(queues[1]);
  return end;
}

/// The handover of a server to a client, valid unless it is changed.
struct QueueHandover {
  std::array<std::uint32_t, 3> welcome = kWelcome;
  std::size_t welcome_bytes = sizeof kWelcome;
  MessageQueue to_server = platform::make_message_queue({10, kMessageBytes});
  MessageQueue to_client = platform::make_message_queue({10, kMessageBytes});
  std::vector<int> fds{to_server.writer.get(), to_client.reader.get()};

  RawEnd hand_over(Fd socket) {
    platform::send_fds(socket, {reinterpret_cast<const std::uint8_t*>(welcome.data()), welcome_bytes}, fds,
                       platform::Blocking::no);
    return {std::move(socket), std::move(to_client.writer), std::move(to_server.reader)};
  }
};

struct HostileQueue : ::testing::Test {
  void SetUp() override {
    if (!std::ifstream("/proc/sys/fs/mqueue/msg_max"))
      GTEST_SKIP() << "this machine has no POSIX message queues";
    server.emplace(Options{"-ORBListen", "mqueue", "-ORBLog", "off"});
    server->root->activate_object(servant);
    reference = server->orb->object_to_string(server->root->servant_to_reference(servant));
    there = orbtest::where(reference);
    client.emplace(
        Options{"-ORBTransportPreference", "mqueue", "-ORBLog", "off", "-ORBCallTimeout", "120000"});
    other.emplace(reference_to_target(*client, reference));
  }

  CallLogPage call_log;
  const CORBA::object_reference<TargetServant> servant = CORBA::make_reference<TargetServant>(*call_log);
  std::string reference;
  orbtest::Where there;
  std::optional<TestOrb> server, client;
  std::optional<BackgroundCaller> other;
};

TEST_F(HostileQueue, IsolatesAClientThatFlipsMessages) {
  const Octets plain = orbtest::request(1, there.key, "twice").ulong(4).bytes();
  Octets two = plain;
  two.resize(orbweaver::round_up(two.size(), 8));
  two.insert(two.end(), plain.begin(), plain.end());
  const std::vector<Octets> messages = {
      message_of(plain), message_of(two, mqueue::kFrames), message_of(plain, mqueue::kLast),
      message_of(orbtest::request(1, there.key, "echo").octets(Octets(300, 1)).bytes())};
  for (const Octets& message : messages) {
    for (std::size_t at = 0; at < std::min<std::size_t>(message.size(), 120); at += 4) {
      for (const std::uint32_t by : kBitMasks) {
        const RawEnd raw = raw_client(there.mqueue);
        Octets flipped = message;
        flip(flipped, at, by);
        raw.send(flipped);
        for (int i = 0; i < 5 && !raw.is_closed(); ++i) std::this_thread::yield();
      }
      ASSERT_TRUE(other->is_served_again()) << "byte " << at;
    }
  }
  const RawEnd raw = raw_client(there.mqueue);
  raw.send(messages[1]);
  EXPECT_FALSE(raw.receive().empty()) << "without flipped bits, the first request is answered";
  EXPECT_FALSE(raw.receive().empty()) << "and the second request of the message";
}

TEST_F(HostileQueue, DisconnectsOnWrongMessageLengths) {
  const Octets good = message_of(orbtest::request(1, there.key, "twice").ulong(4).bytes());
  for (std::size_t bytes = 0; bytes <= good.size() + 1; ++bytes) {
    if (bytes == good.size()) continue;
    const RawEnd raw = raw_client(there.mqueue);
    Octets wrong = good;
    wrong.resize(bytes);
    ASSERT_EQ(raw.send(wrong), 0);
    EXPECT_TRUE(raw.is_closed(120'000)) << bytes << " bytes";
  }
  EXPECT_TRUE(other->is_served_again());
}

TEST_F(HostileQueue, IsolatesAClientThatReadsNoReplies) {
  const Octets call = message_of(orbtest::request(1, there.key, "twice").ulong(4).bytes());
  std::vector<RawEnd> silent;
  for (int i = 0; i < 3; ++i) {
    silent.push_back(raw_client(there.mqueue));
    // Until both queues are full: the server waits for space, and reads no more.
    for (int n = 0; n < 200; ++n) silent.back().send(call, Deadline::in_ms(n < 25 ? 20 : 0));
  }
  EXPECT_TRUE(other->is_served_again());
  silent.erase(silent.begin());  // disconnects while the server waits for space
  EXPECT_TRUE(other->is_served_again());
  other.reset();
  server->destroy();  // wakes the threads that wait for space
  EXPECT_TRUE(silent.front().is_closed(120'000));
}

TEST_F(HostileQueue, PreventsClientsFromReadingWakeUps) {
  const RawEnd raw = raw_client(there.mqueue);
  Octets buffer(kMessageBytes);
  EXPECT_EQ(platform::receive_message(raw.out, buffer, Deadline::in_ns(0)).error, EBADF)
      << "the client's descriptor is write-only";
  other.reset();
  server->destroy();
  EXPECT_TRUE(raw.is_closed(120'000));
}

/// A hostile server, while the client ORB calls a well-behaved one.
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

  /// Makes a call to the hostile server, which runs `serve(socket)`. True: the correct result; false: an
  /// exception.
  template <class Serve>
  bool call(Serve&& serve) {
    // If the server disconnects before the request is sent, the ORB connects again: that connection is
    // closed.
    std::atomic<bool> over{false};
    std::thread serving([&] {
      serve(std::move(platform::accept_from(listener, Deadline::in_ms(120'000)).fd));
      while (!over) platform::accept_from(listener, Deadline::in_ms(5));
    });
    bool good = false;
    try {
      // A private connection for each call: a successful one remains usable.
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
  std::optional<TestOrb> caller;
};

TEST_F(HostileQueueServer, RejectsAnInvalidHandover) {
  const auto answered = [&](QueueHandover& handover, Fd socket) {
    const RawEnd raw = handover.hand_over(std::move(socket));
    raw.receive(Deadline::in_ms(20));  // a call, if the client accepts the handover
    raw.send(answer);
    raw.is_closed(60);
  };
  EXPECT_TRUE(call([&](Fd socket) {
    QueueHandover handover;
    answered(handover, std::move(socket));
  })) << "a valid handover is accepted";
  const auto is_rejected = [&](auto&& change) {
    return !call([&](Fd socket) {
      QueueHandover handover;
      change(handover);
      answered(handover, std::move(socket));
    });
  };
  for (std::size_t word = 0; word < kWelcome.size(); ++word) {
    for (const std::uint32_t by : kBitMasks)
      EXPECT_TRUE(is_rejected([&](QueueHandover& handover) { handover.welcome[word] ^= by; })) << word;
  }
  const auto pair = platform::make_socket_pair();
  const MessageQueue tiny = platform::make_message_queue({4, 256});
  for (std::size_t bytes : {1u, 4u, 8u, 11u})
    EXPECT_TRUE(is_rejected([&](QueueHandover& handover) { handover.welcome_bytes = bytes; }));
  EXPECT_TRUE(is_rejected([&](QueueHandover& handover) { handover.fds.clear(); }));
  EXPECT_TRUE(is_rejected([&](QueueHandover& handover) { handover.fds.resize(1); }));
  EXPECT_TRUE(is_rejected([&](QueueHandover& handover) { handover.fds.push_back(handover.fds[0]); }));
  EXPECT_TRUE(is_rejected([&](QueueHandover& handover) {
    handover.fds = {pair.first.get(), pair.second.get()};
  }));
  EXPECT_TRUE(is_rejected([&](QueueHandover& handover) { handover.fds[1] = pair.first.get(); }));
  EXPECT_TRUE(is_rejected([&](QueueHandover& handover) {
    handover.fds = {tiny.writer.get(), tiny.reader.get()};
  }));
  EXPECT_TRUE(is_rejected([&](QueueHandover& handover) { std::swap(handover.fds[0], handover.fds[1]); }))
      << "reader and writer exchanged";
  EXPECT_TRUE(other->is_served_again());
}

TEST_F(HostileQueueServer, IsolatesFlippedReplies) {
  int results = 0;
  for (std::size_t at = 0; at < answer.size(); at += 4) {
    for (const std::uint32_t by : kBitMasks) {
      results += call([&](Fd socket) {
        const RawEnd raw = QueueHandover().hand_over(std::move(socket));
        raw.receive();
        Octets flipped = answer;
        flip(flipped, at, by);
        raw.send(flipped);
        raw.is_closed(20);
      });
    }
    ASSERT_TRUE(other->is_served_again()) << at;
  }
  EXPECT_LT(results, 6) << "a message with flipped bits was accepted";  // only padding may have any value
}

TEST_F(HostileQueueServer, FailsCallsOnWrongMessageLengths) {
  for (std::size_t bytes = 0; bytes < answer.size(); ++bytes) {
    EXPECT_FALSE(call([&](Fd socket) {
      const RawEnd raw = QueueHandover().hand_over(std::move(socket));
      raw.receive();
      raw.send(Octets(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(bytes)));
      EXPECT_TRUE(raw.is_closed(120'000)) << bytes << " bytes, and the client stays connected";
    }));
  }
  EXPECT_TRUE(other->is_served_again());
}

TEST_F(HostileQueueServer, DetectsAVanishedServer) {
  const pid_t caller_thread = orbweaver::platform::testing::this_thread_id();
  // The server disconnects before the call arrives, while the client waits for its reply, with the reply in
  // the queue, and with its queues closed before its socket.
  EXPECT_FALSE(call([&](Fd socket) { QueueHandover().hand_over(std::move(socket)); }));
  EXPECT_FALSE(call([&](Fd socket) { QueueHandover().hand_over(std::move(socket)).receive(); }));
  EXPECT_TRUE(call([&](Fd socket) {
    const RawEnd raw = QueueHandover().hand_over(std::move(socket));
    raw.receive();
    raw.send(answer);
  }));
  EXPECT_FALSE(call([&](Fd socket) {
    RawEnd raw = QueueHandover().hand_over(std::move(socket));
    raw.receive();
    raw.out.reset();  // closed queues alone are not detected
    raw.in.reset();
    orbweaver::platform::testing::wait_until_thread_waits(caller_thread);  // for its reply
  }));
  EXPECT_TRUE(other->is_served_again());
}

TEST_F(HostileQueueServer, TimesOutOnAServerThatNeverReads) {
  caller.emplace(Options{"-ORBTransportPreference", "mqueue", "-ORBLog", "off", "-ORBCallTimeout", "50"});
  EXPECT_FALSE(call([&](Fd socket) {
    const RawEnd raw = QueueHandover().hand_over(std::move(socket));
    raw.is_closed(120'000);
  }));
  // One-way calls fill the queue; the first one without space raises TIMEOUT.
  std::thread serving([&] {
    const RawEnd raw =
        QueueHandover().hand_over(std::move(platform::accept_from(listener, Deadline::in_ms(120'000)).fd));
    raw.is_closed(120'000);
  });
  const auto own = orbweaver::with_private_connection(caller->orb->string_to_object(false_reference));
  const TargetRef target = TargetRef::adopt(Faults::Target::_make(own->_reference()));
  const auto fill = [&] {
    for (int i = 0; i < 100; ++i) target->note(i);
  };
  EXPECT_THROW(fill(), CORBA::TIMEOUT);
  EXPECT_TRUE(other->is_served_again());
  caller.reset();
  serving.join();
}

}  // namespace
}  // namespace faulttest
