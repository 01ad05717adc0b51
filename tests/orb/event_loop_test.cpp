// A program with its own event loop: one thread polls a descriptor, serves requests and makes calls.
#include <gmock/gmock.h>

#include <array>

#include "orb/minor_codes.h"
#include "platform/socket.h"
#include "testing/consecutive.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::Deadline;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;
namespace platform = orbweaver::platform;

const Options kSingle = {"-ORBThreads",     "single", "-ORBListen", "inproc,shm,unix,mqueue,tcp",
                         "-ORBCallTimeout", "120000"};

bool readable(int fd, Deadline deadline) {
  std::array<platform::PollItem, 1> item{{{fd, platform::kReadable}}};
  return platform::poll(item, deadline) > 0;
}

/// Polls and serves until `condition` holds. False after 120 s, which only a hang takes.
template <class Condition>
bool loop_until(TestOrb& broker, Condition&& condition) {
  const int fd = orbweaver::descriptor(broker.orb);
  const Deadline deadline = Deadline::in_ms(120'000);
  while (!condition()) {
    if (!readable(fd, Deadline::in_ms(20)) && deadline.passed()) return false;
    broker.orb->perform_work();
  }
  return true;
}

class EventLoop : public ::testing::TestWithParam<std::string> {
 protected:
  TestOrb server{kSingle};
  Options over_this_transport() const { return {"-ORBTransportPreference", GetParam()}; }
};

TEST_P(EventLoop, ServesInThePollingThread) {
  std::thread::id served_in;
  const auto servant = CORBA::make_reference<Servant>();
  servant->deactivate = [&] { served_in = std::this_thread::get_id(); };
  const std::string reference = server.serve(servant);
  std::atomic<bool> done{false};
  std::thread calling([&] {
    TestOrb client(over_this_transport());
    const CallsRef calls = client.at(reference);
    calls->deactivate_me();
    for (std::int32_t i = 0; i < 300; ++i) {
      calls->note(i);
      if (i % 10 == 0) {
        EXPECT_EQ(calls->twice(i), 2 * i);
      }
    }
    EXPECT_EQ(calls->notes().size(), 300u);
    done = true;
  });
  EXPECT_TRUE(loop_until(server, [&] { return done.load(); }));
  calling.join();
  EXPECT_EQ(served_in, std::this_thread::get_id());
}

TEST_P(EventLoop, HasAReadableDescriptorOnlyWhileWorkIsPending) {
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  const int fd = orbweaver::descriptor(server.orb);
  std::atomic<bool> connected{false}, may_call{false}, done{false};
  std::thread calling([&] {
    TestOrb client(over_this_transport());
    const CallsRef calls = client.at(reference);
    connected = true;
    may_call.wait(false);
    EXPECT_EQ(calls->twice(4), 8);
    done = true;
  });
  ASSERT_TRUE(loop_until(server, [&] { return connected.load(); }));
  while (server.orb->work_pending()) server.orb->perform_work();
  EXPECT_FALSE(readable(fd, Deadline::in_ms(5)));
  may_call = true;
  may_call.notify_one();
  EXPECT_TRUE(readable(fd, Deadline::in_ms(120'000)));
  EXPECT_TRUE(server.orb->work_pending());
  EXPECT_TRUE(loop_until(server, [&] { return done.load(); }));
  calling.join();
}

TEST_P(EventLoop, SupportsMutualCallbacks) {
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  std::atomic<bool> done{false};
  std::thread other([&] {
    Options options = kSingle;
    options.insert(options.end(), {"-ORBTransportPreference", GetParam()});
    TestOrb caller(options);
    const auto watcher = CORBA::make_reference<Servant>();
    const CallsRef here = caller.at(caller.serve(watcher)), calls = caller.at(reference);
    for (std::int32_t i = 0; i < 100; ++i) EXPECT_EQ(calls->ask(here, i), 2 * i);
    done = true;
  });
  EXPECT_TRUE(loop_until(server, [&] { return done.load(); }));
  other.join();
}

INSTANTIATE_TEST_SUITE_P(Transports, EventLoop, ::testing::Values("inproc", "shm", "unix", "mqueue", "tcp"),
                         [](const auto& transport) { return transport.param; });

TEST(SingleThreadedOrb, DoesNotBlockInPerformWork) {
  TestOrb server(kSingle);
  server.serve(CORBA::make_reference<Servant>());
  for (int i = 0; i < 20; ++i) server.orb->perform_work();
  EXPECT_FALSE(server.orb->work_pending());
}

TEST(SingleThreadedOrb, ServesQueuedOneWaysBeforeACollocatedCall) {
  TestOrb both(kSingle);
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef calls = both.at(both.serve(servant));
  // More than a ring holds: the calling thread serves requests while it waits for space.
  const OrbTest::Numbers expected = consecutive(0, 99'999);
  for (const std::int32_t i : expected) calls->note(i);
  EXPECT_EQ(calls->notes(), expected);
}

TEST(SingleThreadedOrb, ServesACollocatedOneWayOnlyInPerformWork) {
  TestOrb both(kSingle);
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef calls = both.at(both.serve(servant));
  calls->note(1);
  EXPECT_THAT(servant->notes(), ::testing::IsEmpty());
  EXPECT_TRUE(loop_until(both, [&] { return !servant->notes().empty(); }));
}

TEST(SingleThreadedOrb, ServesRequestsWhileACollocatedCallIsHeldByItsPoaManager) {
  TestOrb both(kSingle);
  const PoaRef held = both.root->create_POA("held", nullptr, {});
  const auto waiting = CORBA::make_reference<Servant>(), activator = CORBA::make_reference<Servant>();
  held->activate_object(waiting);
  activator->deactivate = [&] { held->the_POAManager()->activate(); };
  const std::string reference = both.serve(activator);
  std::thread activating([&] {
    TestOrb client;
    client.at(reference)->deactivate_me();
  });
  EXPECT_EQ(both.unchecked(both.reference(held, waiting))->twice(21), 42);
  activating.join();
}

TEST(SingleThreadedOrb, MakesTheDescriptorReadableOnShutdownAndRejectsFurtherWork) {
  TestOrb server(kSingle);
  const auto servant = CORBA::make_reference<Servant>();
  servant->shut_orb_down = [&](bool) { server.orb->shutdown(false); };
  const std::string reference = server.serve(servant);
  std::thread calling([&] {
    TestOrb client;
    client.at(reference)->shut_down(false);
  });
  const int fd = orbweaver::descriptor(server.orb);
  const auto work = [&] {
    while (readable(fd, Deadline::in_ms(120'000))) server.orb->perform_work();
  };
  EXPECT_THAT(raised_by<CORBA::BAD_INV_ORDER>(work, minor::kOrbShutDown), HasSubstr("has been shut down"));
  calling.join();
  EXPECT_THROW(server.orb->work_pending(), CORBA::BAD_INV_ORDER);
  EXPECT_THROW(orbweaver::descriptor(server.orb), CORBA::BAD_INV_ORDER);
}

TEST(SingleThreadedOrb, HasNoWorkPendingWhenTheOrbHasItsOwnThreads) {
  for (const char* threads : {"connection", "pool:2"}) {
    TestOrb server({"-ORBThreads", threads});
    server.serve(CORBA::make_reference<Servant>());
    server.orb->perform_work();
    EXPECT_FALSE(server.orb->work_pending());
    EXPECT_THAT(raised_by<CORBA::BAD_INV_ORDER>([&] { orbweaver::descriptor(server.orb); },
                                                minor::kNotSingleThreaded),
                HasSubstr("-ORBThreads single"));
  }
}

TEST(SingleThreadedOrb, ServesInOneThreadAtATime) {
  TestOrb server(kSingle);
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  std::atomic<bool> done{false};
  std::vector<std::thread> loops;
  for (int i = 0; i < 3; ++i) {
    loops.emplace_back([&] {
      while (!done) server.orb->perform_work();
    });
  }
  {
    TestOrb one, two;
    const CallsRef a = one.at(reference), b = two.at(reference);
    std::thread other([&] { b->slow(5, 0); });
    for (int i = 0; i < 5; ++i) a->slow(1, 0);
    other.join();
  }
  done = true;
  for (std::thread& loop : loops) loop.join();
  EXPECT_EQ(servant->most_at_once(), 1);
}

}  // namespace
}  // namespace orbtest
