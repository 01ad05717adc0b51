// Who serves makes no difference to what is served: order, nested calls, back-pressure, the end.
#include <gmock/gmock.h>

#include <numeric>
#include <optional>
#include <ostream>

#include "orb/minor_codes.h"
#include "orb/options.h"
#include "platform/testing/waiting_thread.h"
#include "testing/broker.h"
#include "testing/giop_bytes.h"
#include "transport/transport.h"

namespace orbtest {
namespace {

using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// A server whose requests are served as `threads` says; single: by a thread of this object, in ORB::run.
class Server {
 public:
  explicit Server(const std::string& threads, Options options = {}) {
    options.insert(options.end(), {"-ORBThreads", threads, "-ORBListen", "inproc,shm,unix,mqueue,tcp,udp"});
    broker.emplace(options);
    if (threads == "single") running_ = std::thread([orb = broker->orb] { orb->run(); });
  }
  ~Server() {
    if (running_.joinable()) broker->orb->shutdown(false);
    if (running_.joinable()) running_.join();
    broker.reset();
  }
  Broker* operator->() { return &*broker; }
  std::optional<Broker> broker;

 private:
  std::thread running_;
};

struct Mode {
  std::string threads, road;
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.threads << " over " << mode.road; }
std::string name_of(const ::testing::TestParamInfo<Mode>& info) {
  std::string name = info.param.threads + "_" + info.param.road;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

class EveryMode : public ::testing::TestWithParam<Mode> {
 protected:
  Options by_this_road() const { return {"-ORBTransportPreference", GetParam().road}; }
  Server server{GetParam().threads};
};

OrbTest::Numbers counted(std::int32_t n) {
  OrbTest::Numbers numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_P(EveryMode, KeepsTheOrderOfEachOfManyConnections) {
  constexpr int kClients = 6;
  constexpr std::int32_t kNotes = 400;
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    const auto servant = CORBA::make_reference<Servant>();
    clients.emplace_back([this, c, reference = server->serve(servant)] {
      Broker client(by_this_road());
      const CallsRef calls = client.at(reference);
      for (std::int32_t i = 0; i < kNotes; ++i) {
        calls->note(i);
        if (i % (7 + c) == 0) {
          ASSERT_EQ(calls->notes().size(), static_cast<std::size_t>(i) + 1) << "a two-way overtook";
        }
      }
      EXPECT_EQ(calls->notes(), counted(kNotes));
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST_P(EveryMode, MessagesOfEverySizePass) {
  const auto servant = CORBA::make_reference<Servant>();
  Broker client(by_this_road());
  const CallsRef calls = client.at(server->serve(servant));
  for (const std::size_t bytes : {0u, 1u, 5'000u, 40'000u, 300'000u, 3'000'000u}) {
    const OrbTest::Octets sent(bytes, static_cast<std::uint8_t>(bytes));
    ASSERT_TRUE(calls->echo(sent) == sent) << bytes;
  }
}

TEST_P(EveryMode, AServantCallsBackIntoTheProcessThatWaitsForIt) {
  // Both ends serve in this mode: the caller's own servants answer while it waits.
  const auto servant = CORBA::make_reference<Servant>(), watcher = CORBA::make_reference<Servant>();
  const std::string there = server->serve(servant);
  Options options = by_this_road();
  options.insert(options.end(), {"-ORBThreads", GetParam().threads, "-ORBCallTimeout", "120000"});
  Broker client(options);
  const CallsRef calls = client.at(there), here = client.at(client.serve(watcher));
  for (std::int32_t i = 0; i < 50; ++i) ASSERT_EQ(calls->ask(here, i), 2 * i);
}

TEST_P(EveryMode, MoreNestedCallsThanThreadsEnd) {
  // Each of them waits, in the server, for a servant of that very server.
  const auto servant = CORBA::make_reference<Servant>(), other = CORBA::make_reference<Servant>();
  const std::string there = server->serve(servant), asked = server->serve(other);
  Broker far(Options{"-ORBThreads", "connection"});
  // Goes out of the server and comes back by a road, not directly.
  const auto detour = CORBA::make_reference<Servant>();
  const std::string detoured = far.serve(detour);
  std::vector<std::thread> clients;
  for (int c = 0; c < 5; ++c) {
    clients.emplace_back([&] {
      Options options = by_this_road();
      options.insert(options.end(), {"-ORBCallTimeout", "120000"});
      Broker client(options);
      const CallsRef calls = client.at(there), back = client.at(asked), around = client.at(detoured);
      for (std::int32_t i = 0; i < 20; ++i) {
        ASSERT_EQ(calls->ask(around, i), 2 * i);
        ASSERT_EQ(calls->ask(back, i), 2 * i);
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

/// Asks for far more than any buffer holds and takes nothing of it, by shared memory or by TCP, until `enough`.
/// `blocked`: no more can be asked.
void ask_and_take_nothing(const std::string& reference, const std::string& road, std::atomic<bool>& blocked,
                          const std::atomic<bool>& enough) {
  const Where there = where(reference);
  orbweaver::transport::ChannelOptions options;
  options.frame_length = &orbweaver::giop::frame_length;
  const std::string address = road == "shm" ? there.shm : "127.0.0.1:" + std::to_string(there.port);
  auto channel = orbweaver::orb::find_transport(road)->connect(address, options, orbweaver::Deadline::in_ms(120'000));
  ASSERT_TRUE(channel);
  for (const std::size_t bytes : {1'000u, 20'000u, 300'000u}) {
    const Octets question = request(1, there.key, "echo").octets(Octets(bytes, 1)).bytes();
    for (int i = 0; i < 60'000'000 / static_cast<int>(bytes) && !enough; ++i) {
      auto room = (*channel)->claim(question.size(), orbweaver::Deadline::in_ms(20));
      if (!room) break;
      std::memcpy(room->data(), question.data(), question.size());
      if (!(*channel)->commit(question.size(), orbweaver::Deadline::in_ms(20))) break;
    }
  }
  blocked = true;
  enough.wait(false);
}

TEST_P(EveryMode, AClientThatTakesNoReplyHoldsUpNobodyElse) {
  if (GetParam().road != "tcp" && GetParam().road != "shm") GTEST_SKIP() << "the others wait in one of these ways";
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server->serve(servant);
  Broker client(by_this_road());
  const CallsRef calls = client.at(reference);
  std::atomic<bool> blocked{false}, enough{false};
  std::thread rude([&] {
    ask_and_take_nothing(reference, GetParam().road, blocked, enough);
    blocked = true;
  });
  for (std::int32_t i = 0, after = 0; after < 100; ++i) {
    after = blocked ? after + 1 : 0;
    EXPECT_EQ(calls->twice(i), 2 * i);
  }
  enough = true;
  enough.notify_one();
  rude.join();
  EXPECT_EQ(calls->twice(4), 8);
}

TEST_P(EveryMode, RequestsThatAreHeldLetOthersPass) {
  const PoaRef held = server->root->create_POA("held", nullptr, {});
  const auto waiting = CORBA::make_reference<Servant>(), lively = CORBA::make_reference<Servant>();
  held->activate_object(waiting);
  const std::string there = server->reference(held, waiting);
  std::vector<std::thread> blocked;
  std::atomic<int> answered{0};
  for (int i = 0; i < 4; ++i) {
    blocked.emplace_back([&] {
      Broker client(by_this_road());
      const CallsRef calls = client.unchecked(there);
      calls->note(1);
      EXPECT_EQ(calls->twice(21), 42);
      ++answered;
    });
  }
  Broker client(by_this_road());
  const CallsRef calls = client.at(server->serve(lively));
  for (std::int32_t i = 0; i < 50; ++i) ASSERT_EQ(calls->twice(i), 2 * i);
  EXPECT_EQ(answered, 0);
  held->the_POAManager()->activate();
  for (std::thread& each : blocked) each.join();
  EXPECT_EQ(waiting->notes().size(), 4u);
}

TEST_P(EveryMode, ShuttingDownEndsHeldAndIdleConnections) {
  const PoaRef held = server->root->create_POA("held", nullptr, {});
  const auto waiting = CORBA::make_reference<Servant>(), idle = CORBA::make_reference<Servant>();
  held->activate_object(waiting);
  const std::string there = server->reference(held, waiting);
  Broker client(by_this_road());
  EXPECT_EQ(client.at(server->serve(idle))->twice(1), 2);
  orbweaver::platform::testing::WaitingThread blocked([&] {
    Broker other(by_this_road());
    EXPECT_THROW(other.unchecked(there)->twice(1), CORBA::SystemException);
  });
  EXPECT_TRUE(blocked.waits());
  server->orb->shutdown(true);
  blocked.join();
}

std::vector<Mode> modes() {
  std::vector<Mode> all;
  for (const char* threads : {"connection", "pool:1", "pool:3", "single"}) {
    for (const char* road : {"inproc", "shm", "unix", "mqueue", "tcp"}) all.push_back({threads, road});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Modes, EveryMode, ::testing::ValuesIn(modes()), name_of);

struct Datagrams : ::testing::TestWithParam<std::string> {};

TEST_P(Datagrams, AreServedInEveryMode) {
  Server server(GetParam());
  const auto servant = CORBA::make_reference<Servant>();
  Broker client({"-ORBTransportPreference", "udp"});
  const CallsRef calls = client.at(server->serve(servant));
  for (std::int32_t i = 0; i < 200; ++i) ASSERT_EQ(calls->twice(i), 2 * i);
  ASSERT_EQ(calls->echo(OrbTest::Octets(50'000, 1)).size(), 50'000u);
}

INSTANTIATE_TEST_SUITE_P(Modes, Datagrams, ::testing::Values("connection", "pool:2", "single"), [](const auto& mode) {
  return mode.param.substr(0, mode.param.find(':'));
});

}  // namespace
}  // namespace orbtest
