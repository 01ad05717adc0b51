// Behaviour that is the same in every thread mode: order, nested calls, back-pressure and shutdown.
#include <gmock/gmock.h>

#include <optional>

#include "orb/minor_codes.h"
#include "orb/options.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"
#include "testing/consecutive.h"
#include "testing/giop_builder.h"
#include "testing/test_orb.h"
#include "testing/thread_mode.h"
#include "transport/transport.h"

namespace orbtest {
namespace {

using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// A server in the thread mode `threads`. In the mode `single`, a thread of this object is in ORB::run.
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
  TestOrb* operator->() { return &*broker; }
  std::optional<TestOrb> broker;

 private:
  std::thread running_;
};

class AllThreadModes : public ::testing::TestWithParam<ThreadMode> {
 protected:
  Options over_this_transport() const { return {"-ORBTransportPreference", GetParam().transport}; }
  Server server{GetParam().threads};
};

class OrderedThreadModes : public AllThreadModes {};

TEST_P(OrderedThreadModes, KeepsTheOrderOfEachConnection) {
  constexpr int kClients = 6;
  constexpr std::int32_t kNotes = 400;
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    const auto servant = CORBA::make_reference<Servant>();
    clients.emplace_back([this, c, reference = server->serve(servant)] {
      TestOrb client(over_this_transport());
      const CallsRef calls = client.at(reference);
      for (std::int32_t i = 0; i < kNotes; ++i) {
        calls->note(i);
        if (i % (7 + c) == 0) {
          ASSERT_EQ(calls->notes().size(), static_cast<std::size_t>(i) + 1)
              << "a two-way call overtook a one-way call";
        }
      }
      EXPECT_EQ(calls->notes(), consecutive(0, kNotes - 1));
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST_P(AllThreadModes, TransfersMessagesOfAllSizes) {
  const auto servant = CORBA::make_reference<Servant>();
  TestOrb client(over_this_transport());
  const CallsRef calls = client.at(server->serve(servant));
  for (const std::size_t bytes : {0u, 1u, 5'000u, 40'000u, 300'000u, 3'000'000u}) {
    const OrbTest::Octets sent(bytes, static_cast<std::uint8_t>(bytes));
    ASSERT_TRUE(calls->echo(sent) == sent) << bytes;
  }
}

TEST_P(AllThreadModes, ServesACallbackWhileTheCallerWaits) {
  // Both ORBs are in this mode: the caller serves callbacks while it waits for its reply.
  const auto servant = CORBA::make_reference<Servant>(), watcher = CORBA::make_reference<Servant>();
  const std::string reference = server->serve(servant);
  Options options = over_this_transport();
  options.insert(options.end(), {"-ORBThreads", GetParam().threads, "-ORBCallTimeout", "120000"});
  TestOrb client(options);
  const CallsRef calls = client.at(reference), here = client.at(client.serve(watcher));
  for (std::int32_t i = 0; i < 50; ++i) ASSERT_EQ(calls->ask(here, i), 2 * i);
}

TEST_P(AllThreadModes, CompletesMoreNestedCallsThanThreads) {
  // Each upcall waits in the server for another servant of the same server.
  const auto servant = CORBA::make_reference<Servant>(), other = CORBA::make_reference<Servant>();
  const std::string reference = server->serve(servant), other_reference = server->serve(other);
  TestOrb far(Options{"-ORBThreads", "connection"});
  // A servant of another ORB, which the server calls over a transport.
  const auto far_servant = CORBA::make_reference<Servant>();
  const std::string far_reference = far.serve(far_servant);
  std::vector<std::thread> clients;
  for (int c = 0; c < 5; ++c) {
    clients.emplace_back([&] {
      Options options = over_this_transport();
      options.insert(options.end(), {"-ORBCallTimeout", "120000"});
      TestOrb client(options);
      const CallsRef calls = client.at(reference), other_calls = client.at(other_reference),
                     far_calls = client.at(far_reference);
      for (std::int32_t i = 0; i < 20; ++i) {
        ASSERT_EQ(calls->ask(far_calls, i), 2 * i);
        ASSERT_EQ(calls->ask(other_calls, i), 2 * i);
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

/// Sends more requests than all buffers hold, over shm or TCP, and reads no reply until `enough` is set. Sets
/// `blocked` when no further request can be sent.
void send_without_reading(const std::string& reference, const std::string& transport,
                          std::atomic<bool>& blocked, const std::atomic<bool>& enough) {
  const Where address_of_server = where(reference);
  orbweaver::transport::ChannelOptions options;
  options.frame_length = &orbweaver::giop::frame_length;
  const std::string address =
      transport == "shm" ? address_of_server.shm : "127.0.0.1:" + std::to_string(address_of_server.port);
  auto channel = orbweaver::orb::find_transport(transport)->connect(address, options,
                                                                    orbweaver::Deadline::in_ms(120'000));
  ASSERT_TRUE(channel);
  for (const std::size_t bytes : {1'000u, 20'000u, 300'000u}) {
    const Octets question = request(1, address_of_server.key, "echo").octets(Octets(bytes, 1)).bytes();
    for (int i = 0; i < 60'000'000 / static_cast<int>(bytes) && !enough; ++i) {
      auto buffer = (*channel)->claim(question.size(), orbweaver::Deadline::in_ms(20));
      if (!buffer) break;
      std::memcpy(buffer->data(), question.data(), question.size());
      if (!(*channel)->commit(question.size(), orbweaver::Deadline::in_ms(20))) break;
    }
  }
  blocked = true;
  enough.wait(false);
}

TEST_P(AllThreadModes, ServesOthersWhileAClientReadsNoReply) {
  if (GetParam().transport != "tcp" && GetParam().transport != "shm")
    GTEST_SKIP() << "the other transports block in the same way as one of these";
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server->serve(servant);
  TestOrb client(over_this_transport());
  const CallsRef calls = client.at(reference);
  std::atomic<bool> blocked{false}, enough{false};
  std::thread unresponsive([&] {
    send_without_reading(reference, GetParam().transport, blocked, enough);
    blocked = true;
  });
  for (std::int32_t i = 0, after = 0; after < 100; ++i) {
    after = blocked ? after + 1 : 0;
    EXPECT_EQ(calls->twice(i), 2 * i);
  }
  enough = true;
  enough.notify_one();
  unresponsive.join();
  EXPECT_EQ(calls->twice(4), 8);
}

TEST_P(AllThreadModes, ServesOthersWhileAPoaManagerHoldsRequests) {
  const PoaRef held = server->root->create_POA("held", nullptr, {});
  const auto waiting = CORBA::make_reference<Servant>(), active = CORBA::make_reference<Servant>();
  held->activate_object(waiting);
  const std::string reference = server->reference(held, waiting);
  std::vector<std::thread> blocked;
  std::atomic<int> answered{0};
  for (int i = 0; i < 4; ++i) {
    blocked.emplace_back([&] {
      TestOrb client(over_this_transport());
      const CallsRef calls = client.unchecked(reference);
      calls->note(1);
      EXPECT_EQ(calls->twice(21), 42);
      ++answered;
    });
  }
  TestOrb client(over_this_transport());
  const CallsRef calls = client.at(server->serve(active));
  for (std::int32_t i = 0; i < 50; ++i) ASSERT_EQ(calls->twice(i), 2 * i);
  EXPECT_EQ(answered, 0);
  held->the_POAManager()->activate();
  for (std::thread& thread : blocked) thread.join();
  // With unordered:N, a one-way call may be performed after the call that follows it.
  EXPECT_TRUE(orbweaver::platform::testing::becomes_true([&] { return waiting->notes().size() == 4; }));
}

TEST_P(AllThreadModes, ClosesHeldAndIdleConnectionsOnShutdown) {
  const PoaRef held = server->root->create_POA("held", nullptr, {});
  const auto waiting = CORBA::make_reference<Servant>(), idle = CORBA::make_reference<Servant>();
  held->activate_object(waiting);
  const std::string reference = server->reference(held, waiting);
  TestOrb client(over_this_transport());
  EXPECT_EQ(client.at(server->serve(idle))->twice(1), 2);
  orbweaver::platform::testing::WaitingThread blocked([&] {
    TestOrb other(over_this_transport());
    EXPECT_THROW(other.unchecked(reference)->twice(1), CORBA::SystemException);
  });
  EXPECT_TRUE(blocked.waits());
  server->orb->shutdown(true);
  blocked.join();
}

constexpr auto kStreamTransports = {"inproc", "shm", "unix", "mqueue", "tcp"};
INSTANTIATE_TEST_SUITE_P(Modes, AllThreadModes,
                         ::testing::ValuesIn(thread_modes(
                             {"connection", "pool:1", "pool:3", "unordered:3", "single"}, kStreamTransports)),
                         thread_mode_name);
INSTANTIATE_TEST_SUITE_P(Modes, OrderedThreadModes,
                         ::testing::ValuesIn(thread_modes({"connection", "pool:1", "pool:3", "single"},
                                                          kStreamTransports)),
                         thread_mode_name);

struct Datagrams : ::testing::TestWithParam<std::string> {};

TEST_P(Datagrams, AreServedInEveryThreadMode) {
  Server server(GetParam());
  const auto servant = CORBA::make_reference<Servant>();
  TestOrb client({"-ORBTransportPreference", "udp"});
  const CallsRef calls = client.at(server->serve(servant));
  for (std::int32_t i = 0; i < 200; ++i) ASSERT_EQ(calls->twice(i), 2 * i);
  ASSERT_EQ(calls->echo(OrbTest::Octets(50'000, 1)).size(), 50'000u);
}

INSTANTIATE_TEST_SUITE_P(Modes, Datagrams, ::testing::Values("connection", "pool:2", "unordered:2", "single"),
                         [](const auto& mode) { return mode.param.substr(0, mode.param.find(':')); });

}  // namespace
}  // namespace orbtest
