// Either end killed at every point of a call: what the other end is told, and what it is left with.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "delays.h"
#include "orb/minor_codes.h"
#include "peer.h"
#include "platform/testing/waiting_thread.h"
#include "transport/blocks/pool.h"

namespace faulttest {
namespace {

namespace blocks = orbweaver::transport::blocks;
namespace minor = orbweaver::minor;
using CORBA::CompletionStatus;
using orbweaver::now_ns;

/// How often each thread of this process but the calling one has gone to sleep so far.
std::map<std::string, std::uint64_t> sleeps_of_threads() {
  std::map<std::string, std::uint64_t> sleeps;
  const std::string self = std::to_string(gettid());
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string id = thread.path().filename();
    std::ifstream status(thread.path() / "status");
    for (std::string word; id != self && status >> word;) {
      if (word == "voluntary_ctxt_switches:") status >> sleeps[id];
    }
  }
  return sleeps;
}

class Killed : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int kCalls = 9;  // of the script

  /// What a caller is told by the death of its server: COMM_FAILURE or TRANSIENT, and with a completion status that the
  /// ledger bears out. When, counts from the kill, or from the call's beginning if that came later. Returns the number
  /// of calls that succeeded.
  int calls_until_death(Faults::Target& target) {
    const std::uint32_t before = ledger->begun;
    std::uint32_t issued = 0;
    script(target, [&](const auto& call) {
      const std::int64_t start_ns = now_ns();
      const auto check = [&](const CORBA::SystemException& e) {
        told.add(now_ns() - std::max<std::int64_t>(start_ns, ledger->killed_ns));
        // One-ways before it may be served late; nothing is served twice, and nothing of a call that was not begun.
        const std::uint32_t served = ledger->begun - before;
        EXPECT_LE(served, e.completed() == CompletionStatus::COMPLETED_NO ? issued : issued + 1) << e.what();
        EXPECT_NE(e.completed(), CompletionStatus::COMPLETED_YES) << e.what();
        return false;
      };
      try {
        call();
        ++issued;
        EXPECT_LE(ledger->begun - before, issued);
        return true;
      } catch (const CORBA::COMM_FAILURE& e) {
        EXPECT_EQ(e.minor(), minor::kPeerLost);
        EXPECT_EQ(e.completed(), CompletionStatus::COMPLETED_MAYBE) << e.what();
        return check(e);
      } catch (const CORBA::TRANSIENT& e) {
        EXPECT_EQ(e.completed(), CompletionStatus::COMPLETED_NO) << e.what();
        return check(e);
      } catch (const CORBA::Exception& e) {
        ADD_FAILURE() << "neither COMM_FAILURE nor TRANSIENT: " << e.what();
        return false;
      }
    });
    return static_cast<int>(issued);
  }

  ~Killed() override {
    if (told.summary() != "of 0") std::cout << road << ": told of a death after " << told.summary() << std::endl;
  }

  const std::string road = GetParam();
  LedgerPage ledger;
  Delays told;
};

TEST_P(Killed, AServerAtAnyOfItsStepsIsToldToItsCallerAndLeavesNothing) {
  Broker client(options_for(road));
  const auto one_life = [&](long die_at) {
    ledger->killed_ns = 0;
    Peer server("serve", ledger.path(), options_for(road), die_at);
    const int calls = calls_until_death(*reference_to_target(client, server.line()));
    const bool survived = calls == kCalls && server.is_alive();
    server.kill();
    server.end();
    return survived;
  };
  one_life(20);  // what is made once in a process is made
  one_life(60);
  const Belongings before = Belongings::now();
  const std::size_t heap_before = heap_bytes(), mapped_before = mapped_shared_bytes();
  long points = 1;
  while (!one_life(points) && !HasFailure()) ++points;
  one_life(30);  // the last one's end is noticed when the next server is connected to
  EXPECT_GE(points, 40) << "the script has more steps than that";
  RecordProperty("points", std::to_string(points));
  EXPECT_TRUE(before.are_again()) << before.and_now();
  EXPECT_LE(mapped_shared_bytes(), mapped_before);
  EXPECT_LE(heap_bytes(), heap_before + 64 * 1024);
  EXPECT_TRUE(becomes_true([] { return blocks::pool_used() == 0; }));
}

TEST_P(Killed, AServerAtAnyMomentIsToldToItsCallerAndLeavesNothing) {
  std::mt19937 random(1848);
  Broker client(options_for(road));
  const auto one_life = [&] {
    ledger->killed_ns = 0;
    Peer server("serve", ledger.path(), options_for(road));
    const TargetRef object = reference_to_target(client, server.line());
    object->twice(0);
    std::thread killer([&, after_us = random() % 1500] {
      std::this_thread::sleep_for(std::chrono::microseconds(after_us));
      ledger->killed_ns = now_ns();
      server.kill();
    });
    while (calls_until_death(*object) == kCalls && !HasFailure()) {
    }
    killer.join();
    server.end();
  };
  (void)orbweaver::loan<double>(1);  // the pool is made once in a process
  one_life();
  const Belongings before = Belongings::now();
  const std::size_t heap_before = heap_bytes();
  for (int i = 0; i < 40 && !HasFailure(); ++i) one_life();
  EXPECT_TRUE(before.are_again()) << before.and_now();
  EXPECT_LE(heap_bytes(), heap_before + 64 * 1024);
  EXPECT_TRUE(becomes_true([] { return blocks::pool_used() == 0; }));
}

/// No wait of the client ends by itself: it is the death that wakes it, at once, and no look from time to time.
TEST_P(Killed, AServerWakesWhoWaitsForItAndNothingElseDoes) {
  for (const char* wait : {"block", "adaptive"}) {
    Broker client(options_for(road, {"-ORBWait", wait}));
    ledger->killed_ns = 0;
    Peer server("serve", ledger.path(), options_for(road));
    const TargetRef object = reference_to_target(client, server.line());
    object->twice(0);
    std::uint64_t most_sleeps = 0;
    std::thread killer([&, caller = gettid()] {
      orbweaver::platform::testing::until_it_waits(caller);  // for its answer
      const auto before = sleeps_of_threads();
      std::this_thread::sleep_for(std::chrono::milliseconds(400));  // a span in which nothing may happen
      const auto after = sleeps_of_threads();
      for (const auto& [thread, sleeps] : before) {
        if (const auto now = after.find(thread); now != after.end()) most_sleeps = std::max(most_sleeps, now->second - sleeps);
      }
      ledger->killed_ns = now_ns();
      server.kill();
    });
    EXPECT_THROW(object->stay(), CORBA::COMM_FAILURE);
    told.add(now_ns() - ledger->killed_ns);
    killer.join();
    EXPECT_LE(most_sleeps, 8u) << wait << ": so often a thread went to sleep in 400 ms";
    server.end();
  }
}

/// Over UDP nothing hangs up: the system says that nobody is there, to the next datagram or the next question.
TEST(KilledServerOfDatagrams, IsToldToWhoWaitsAndToWhoCalls) {
  std::mt19937 random(1897);
  LedgerPage ledger;
  Delays told;
  Broker client(options_for("udp"));
  for (int i = 0; i < 30; ++i) {
    Peer server("serve", ledger.path(), options_for("udp"));
    const TargetRef object = reference_to_target(client, server.line());
    object->twice(0);
    std::int64_t killed_ns = 0;
    std::thread killer([&, after_us = random() % 1500] {
      std::this_thread::sleep_for(std::chrono::microseconds(after_us));
      killed_ns = now_ns();
      server.kill();
    });
    try {
      if (i % 2 == 0) object->stay();
      for (std::int32_t n = 0;; ++n) object->twice(n);
    } catch (const CORBA::COMM_FAILURE& e) {
      EXPECT_EQ(e.completed(), CompletionStatus::COMPLETED_MAYBE) << e.what();
    } catch (const CORBA::TRANSIENT& e) {
      EXPECT_EQ(e.completed(), CompletionStatus::COMPLETED_NO) << e.what();
    }
    killer.join();
    told.add(now_ns() - killed_ns);
    server.end();
  }
  std::cout << "udp: told of a death after " << told.summary() << std::endl;
}

class KilledClient : public Killed {
 protected:
  KilledClient() { broker.root->activate_object(servant); }
  std::string reference() { return broker.orb->object_to_string(broker.root->servant_to_reference(servant)); }

  Broker broker{options_for(road)};
  const CORBA::object_reference<TargetServant> servant = CORBA::make_reference<TargetServant>(*ledger);
};

TEST_P(KilledClient, AtAnyOfItsStepsLeavesNothing) {
  const std::string here = reference();
  const Belongings before = Belongings::now();
  const std::size_t mapped_before = mapped_shared_bytes();
  std::size_t heap_before = 0;
  // True if it came to the end of its script.
  const auto one_life = [&](long die_at) {
    Peer client("call", here, options_for(road), die_at);
    const bool whole = client.end().clean();
    EXPECT_TRUE(becomes_true([&] { return ledger->begun == ledger->finished; }));
    return whole;
  };
  long points = 1;
  for (; !one_life(points) && !HasFailure(); ++points) {
    // A block that the dead have lent is whole as long as it is held.
    const auto threads_are_again = [&] { return Belongings::now().threads <= before.threads; };
    EXPECT_TRUE(becomes_true(threads_are_again)) << before.and_now();
    const double sum = servant->sum_of_kept();
    EXPECT_TRUE(sum == 0 || sum == 2048) << sum;
    servant->drop_kept();
    if (points == 20) heap_before = heap_bytes();
  }
  EXPECT_GE(points, 40) << "the script has more steps than that";
  RecordProperty("points", std::to_string(points));
  EXPECT_TRUE(before.are_again()) << before.and_now();
  EXPECT_LE(mapped_shared_bytes(), mapped_before);
  EXPECT_LE(heap_bytes(), heap_before + 64 * 1024);
}

TEST_P(KilledClient, AtAnyMomentLeavesNothing) {
  const std::string here = reference();
  std::mt19937 random(1871);
  const Belongings before = Belongings::now();
  const std::size_t mapped_before = mapped_shared_bytes();
  for (int i = 0; i < 40 && !HasFailure(); ++i) {
    Peer client("call-for-ever", here, options_for(road));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 1500));
    client.kill();
    client.end();
  }
  EXPECT_TRUE(becomes_true([&] { return Belongings::now().threads <= before.threads; })) << before.and_now();
  servant->drop_kept();
  EXPECT_TRUE(before.are_again()) << before.and_now();
  EXPECT_LE(mapped_shared_bytes(), mapped_before);
  Peer last("call", here, options_for(road));
  EXPECT_TRUE(last.end().clean()) << "a new connection works";
}

/// More than all buffers between the two hold: its reply is stuck, and its server with it, when it dies.
TEST_P(KilledClient, InTheMiddleOfALargeReplyLeavesNothing) {
  const std::string here = reference();
  Broker client(options_for(road));
  const TargetRef other = reference_to_target(client, here);
  EXPECT_EQ(other->twice(1), 2);
  std::mt19937 random(1905);
  const auto one_life = [&](bool takes_some) {
    Peer taker("take", here, options_for(road));
    ASSERT_TRUE(becomes_true([&] { return servant->gives(); }));
    taker.stop();
    servant->let_give();
    // Else the next round could take this call for its own.
    ASSERT_TRUE(becomes_true([&] { return !servant->gives(); }));
    EXPECT_EQ(other->twice(2), 4);
    if (takes_some) {
      taker.go_on();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    }
    taker.kill();
    taker.end();
    EXPECT_EQ(other->twice(3), 6);
  };
  one_life(true);
  const Belongings before = Belongings::now();
  const std::size_t mapped_before = mapped_shared_bytes(), heap_before = heap_bytes();
  for (int i = 0; i < 12 && !HasFailure(); ++i) one_life(i % 2 != 0);
  EXPECT_TRUE(before.are_again()) << before.and_now();
  EXPECT_TRUE(becomes_true([&] { return mapped_shared_bytes() <= mapped_before; }));
  EXPECT_TRUE(becomes_true([&] { return heap_bytes() <= heap_before + 64 * 1024; })) << heap_before << ", now " << heap_bytes();
}

const auto kName = [](const auto& i) { return i.param; };
INSTANTIATE_TEST_SUITE_P(Roads, Killed, ::testing::ValuesIn(roads()), kName);
INSTANTIATE_TEST_SUITE_P(Roads, KilledClient, ::testing::ValuesIn(roads()), kName);

}  // namespace
}  // namespace faulttest
