// A program with a loop of its own: one thread that polls one descriptor, serves, and calls.
#include <gmock/gmock.h>

#include <array>
#include <numeric>

#include "orb/minor_codes.h"
#include "platform/socket.h"
#include "testing/broker.h"

namespace orbtest {
namespace {

using orbweaver::Deadline;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;
namespace platform = orbweaver::platform;

const Options kSingle = {"-ORBThreads", "single", "-ORBListen", "inproc,shm,unix,mqueue,tcp", "-ORBCallTimeout", "120000"};

bool readable(int fd, Deadline deadline) {
  std::array<platform::PollItem, 1> item{{{fd, platform::kReadable}}};
  return platform::poll(item, deadline) > 0;
}

/// Polls and serves until it holds; false after a time that only a hang can take.
template <class Condition>
bool loop_until(Broker& broker, Condition&& condition) {
  const int fd = orbweaver::descriptor(broker.orb);
  const Deadline deadline = Deadline::in_ms(120'000);
  while (!condition()) {
    if (!readable(fd, Deadline::in_ms(20)) && deadline.passed()) return false;
    broker.orb->perform_work();
  }
  return true;
}

class Loop : public ::testing::TestWithParam<std::string> {
 protected:
  Broker server{kSingle};
  Options by_this_road() const { return {"-ORBTransportPreference", GetParam()}; }
};

TEST_P(Loop, ServesInTheThreadThatPolls) {
  std::thread::id served_in;
  const auto servant = CORBA::make_reference<Servant>();
  servant->deactivate = [&] { served_in = std::this_thread::get_id(); };
  const std::string reference = server.serve(servant);
  std::atomic<bool> done{false};
  std::thread calling([&] {
    Broker client(by_this_road());
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

TEST_P(Loop, TheDescriptorIsReadableWhileThereIsWorkAndNotOtherwise) {
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  const int fd = orbweaver::descriptor(server.orb);
  std::atomic<bool> connected{false}, may_call{false}, done{false};
  std::thread calling([&] {
    Broker client(by_this_road());
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

TEST_P(Loop, TwoLoopsCallEachOtherAndBack) {
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  std::atomic<bool> done{false};
  std::thread other([&] {
    Options options = kSingle;
    options.insert(options.end(), {"-ORBTransportPreference", GetParam()});
    Broker caller(options);
    const auto watcher = CORBA::make_reference<Servant>();
    const CallsRef here = caller.at(caller.serve(watcher)), calls = caller.at(reference);
    for (std::int32_t i = 0; i < 100; ++i) EXPECT_EQ(calls->ask(here, i), 2 * i);
    done = true;
  });
  EXPECT_TRUE(loop_until(server, [&] { return done.load(); }));
  other.join();
}

INSTANTIATE_TEST_SUITE_P(Roads, Loop, ::testing::Values("inproc", "shm", "unix", "mqueue", "tcp"),
                         [](const auto& road) { return road.param; });

TEST(OwnLoop, PerformWorkDoesNotWait) {
  Broker server(kSingle);
  server.serve(CORBA::make_reference<Servant>());
  for (int i = 0; i < 20; ++i) server.orb->perform_work();
  EXPECT_FALSE(server.orb->work_pending());
}

TEST(OwnLoop, OneWaysToAnOwnServantAreServedInOrderBeforeADirectCall) {
  Broker both(kSingle);
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef calls = both.at(both.serve(servant));
  // Several times what a ring holds: whoever waits for room serves.
  OrbTest::Numbers expected(100'000);
  std::iota(expected.begin(), expected.end(), 0);
  for (const std::int32_t i : expected) calls->note(i);
  EXPECT_EQ(calls->notes(), expected);
}

TEST(OwnLoop, AOneWayToAnOwnServantWaitsForTheLoop) {
  Broker both(kSingle);
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef calls = both.at(both.serve(servant));
  calls->note(1);
  EXPECT_THAT(servant->notes(), ::testing::IsEmpty());
  EXPECT_TRUE(loop_until(both, [&] { return !servant->notes().empty(); }));
}

TEST(OwnLoop, ADirectCallOfAHeldServantServesWhatLetsItPass) {
  Broker both(kSingle);
  const PoaRef held = both.root->create_POA("held", nullptr, {});
  const auto waiting = CORBA::make_reference<Servant>(), lever = CORBA::make_reference<Servant>();
  held->activate_object(waiting);
  lever->deactivate = [&] { held->the_POAManager()->activate(); };
  const std::string reference = both.serve(lever);
  std::thread pulling([&] {
    Broker client;
    client.at(reference)->deactivate_me();
  });
  EXPECT_EQ(both.unchecked(both.reference(held, waiting))->twice(21), 42);
  pulling.join();
}

TEST(OwnLoop, TheShutdownMakesTheDescriptorReadableAndFurtherWorkAnError) {
  Broker server(kSingle);
  const auto servant = CORBA::make_reference<Servant>();
  servant->shut_orb_down = [&](bool) { server.orb->shutdown(false); };
  const std::string reference = server.serve(servant);
  std::thread calling([&] {
    Broker client;
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

TEST(OwnLoop, AnOrbWithThreadsOfItsOwnHasNoWorkForOthers) {
  for (const char* threads : {"connection", "pool:2"}) {
    Broker server({"-ORBThreads", threads});
    server.serve(CORBA::make_reference<Servant>());
    server.orb->perform_work();
    EXPECT_FALSE(server.orb->work_pending());
    EXPECT_THAT(raised_by<CORBA::BAD_INV_ORDER>([&] { orbweaver::descriptor(server.orb); }, minor::kNotSingle),
                HasSubstr("-ORBThreads single"));
  }
}

TEST(OwnLoop, ServesOnlyInOneThreadAtATime) {
  Broker server(kSingle);
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
    Broker one, two;
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
