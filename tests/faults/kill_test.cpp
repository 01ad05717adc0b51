// Either end killed at every step of a call: exceptions and resources of the other end.
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

#include "detection_times.h"
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

/// The number of sleeps so far of each thread of this process, except the calling one.
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

  /// Makes the calls of the script until the server dies. Expects COMM_FAILURE or TRANSIENT with a completion
  /// status that agrees with the call log. Detection times count from the kill, or from the beginning of the
  /// call if that was later. Returns the number of calls that succeeded.
  int calls_until_death(Faults::Target& target) {
    const std::uint32_t before = call_log->begun;
    std::uint32_t issued = 0;
    script(target, [&](const auto& call) {
      const std::int64_t start_ns = now_ns();
      const auto check = [&](const CORBA::SystemException& e) {
        detection_times.add(now_ns() - std::max<std::int64_t>(start_ns, call_log->killed_ns));
        // Earlier one-way calls may be served late. No call is served twice or without having been made.
        const std::uint32_t served = call_log->begun - before;
        EXPECT_LE(served, e.completed() == CompletionStatus::COMPLETED_NO ? issued : issued + 1) << e.what();
        EXPECT_NE(e.completed(), CompletionStatus::COMPLETED_YES) << e.what();
        return false;
      };
      try {
        call();
        ++issued;
        EXPECT_LE(call_log->begun - before, issued);
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
    if (detection_times.summary() != "of 0")
      std::cout << transport_name << ": death detected after " << detection_times.summary() << std::endl;
  }

  const std::string transport_name = GetParam();
  CallLogPage call_log;
  DetectionTimes detection_times;
};

TEST_P(Killed, ReportsAServerKilledAtAnyOperation) {
  TestOrb client(options_for(transport_name));
  const auto run_once = [&](long die_at) {
    call_log->killed_ns = 0;
    PeerUnderTest server("serve", call_log.path(), options_for(transport_name), die_at);
    const int calls = calls_until_death(*reference_to_target(client, server.line()));
    const bool survived = calls == kCalls && server.is_alive();
    server.kill();
    server.end();
    return survived;
  };
  run_once(20);  // creates what exists once per process
  run_once(60);
  const ResourceSnapshot before = ResourceSnapshot::now();
  const std::size_t heap_before = heap_bytes(), mapped_before = mapped_shared_bytes();
  long points = 1;
  while (!run_once(points) && !HasFailure()) ++points;
  run_once(30);  // the end of the last server is detected when the client connects to the next one
  EXPECT_GE(points, 40) << "the script has more steps than that";
  RecordProperty("points", std::to_string(points));
  EXPECT_TRUE(before.are_restored()) << before.difference();
  EXPECT_TRUE(shared_mappings_restored(mapped_before));
  EXPECT_TRUE(heap_restored(heap_before));
  EXPECT_TRUE(becomes_true([] { return blocks::pool_used() == 0; }));
}

TEST_P(Killed, ReportsAServerKilledAtAnyTime) {
  std::mt19937 random(1848);
  TestOrb client(options_for(transport_name));
  const auto run_once = [&] {
    call_log->killed_ns = 0;
    PeerUnderTest server("serve", call_log.path(), options_for(transport_name));
    const TargetRef object = reference_to_target(client, server.line());
    object->twice(0);
    std::thread killer([&, after_us = random() % 1500] {
      std::this_thread::sleep_for(std::chrono::microseconds(after_us));
      call_log->killed_ns = now_ns();
      server.kill();
    });
    while (calls_until_death(*object) == kCalls && !HasFailure()) {
    }
    killer.join();
    server.end();
  };
  (void)orbweaver::loan<double>(1);  // creates the pool of this process
  run_once();
  const ResourceSnapshot before = ResourceSnapshot::now();
  const std::size_t heap_before = heap_bytes();
  for (int i = 0; i < 40 && !HasFailure(); ++i) run_once();
  EXPECT_TRUE(before.are_restored()) << before.difference();
  EXPECT_TRUE(heap_restored(heap_before));
  EXPECT_TRUE(becomes_true([] { return blocks::pool_used() == 0; }));
}

/// The death of the server wakes the client, which does not poll.
TEST_P(Killed, WakesACallerOnlyByTheServersDeath) {
  for (const char* wait : {"block", "adaptive"}) {
    TestOrb client(options_for(transport_name, {"-ORBWait", wait}));
    call_log->killed_ns = 0;
    PeerUnderTest server("serve", call_log.path(), options_for(transport_name));
    const TargetRef object = reference_to_target(client, server.line());
    object->twice(0);
    std::uint64_t most_sleeps = 0;
    std::thread killer([&, caller = gettid()] {
      orbweaver::platform::testing::wait_until_thread_waits(caller);  // for its reply
      const auto before = sleeps_of_threads();
      std::this_thread::sleep_for(std::chrono::milliseconds(400));  // a time in which no thread may wake up
      const auto after = sleeps_of_threads();
      for (const auto& [thread, sleeps] : before) {
        if (const auto now = after.find(thread); now != after.end())
          most_sleeps = std::max(most_sleeps, now->second - sleeps);
      }
      call_log->killed_ns = now_ns();
      server.kill();
    });
    EXPECT_THROW(object->stay(), CORBA::COMM_FAILURE);
    detection_times.add(now_ns() - call_log->killed_ns);
    killer.join();
    EXPECT_LE(most_sleeps, 8u) << wait << ": sleeps of a thread in 400 ms";
    server.end();
  }
}

/// Over UDP no connection is closed: the system reports the closed port after the next datagram or keep-alive
/// question.
TEST(KilledUdpServer, IsReportedToWaitingAndNewCalls) {
  std::mt19937 random(1897);
  CallLogPage call_log;
  DetectionTimes detection_times;
  TestOrb client(options_for("udp"));
  for (int i = 0; i < 30; ++i) {
    PeerUnderTest server("serve", call_log.path(), options_for("udp"));
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
    detection_times.add(now_ns() - killed_ns);
    server.end();
  }
  std::cout << "udp: death detected after " << detection_times.summary() << std::endl;
}

class KilledClient : public Killed {
 protected:
  KilledClient() { broker.root->activate_object(servant); }
  std::string reference() { return broker.orb->object_to_string(broker.root->servant_to_reference(servant)); }

  TestOrb broker{options_for(transport_name)};
  const CORBA::object_reference<TargetServant> servant = CORBA::make_reference<TargetServant>(*call_log);
};

TEST_P(KilledClient, LeavesNothingWhenKilledAtAnyOperation) {
  const std::string server_reference = reference();
  const ResourceSnapshot before = ResourceSnapshot::now();
  const std::size_t mapped_before = mapped_shared_bytes();
  std::size_t heap_before = 0;
  // True if the client has completed its script.
  const auto run_once = [&](long die_at) {
    PeerUnderTest client("call", server_reference, options_for(transport_name), die_at);
    const bool whole = client.end().clean();
    EXPECT_TRUE(becomes_true([&] { return call_log->begun == call_log->finished; }));
    return whole;
  };
  long points = 1;
  for (; !run_once(points) && !HasFailure(); ++points) {
    // A block lent by the killed client is valid as long as it is held, and ow-hangup watches its region.
    const auto connection_has_ended = [&] { return ResourceSnapshot::now().threads <= before.threads + 1; };
    EXPECT_TRUE(becomes_true(connection_has_ended)) << before.difference();
    const double sum = servant->sum_of_kept();
    EXPECT_TRUE(sum == 0 || sum == 2048) << sum;
    servant->drop_kept();
    const auto threads_have_ended = [&] { return ResourceSnapshot::now().threads <= before.threads; };
    EXPECT_TRUE(becomes_true(threads_have_ended)) << before.difference();
    if (points == 20) heap_before = heap_bytes();
  }
  EXPECT_GE(points, 40) << "the script has more steps than that";
  RecordProperty("points", std::to_string(points));
  EXPECT_TRUE(before.are_restored()) << before.difference();
  EXPECT_TRUE(shared_mappings_restored(mapped_before));
  EXPECT_TRUE(heap_restored(heap_before));
}

TEST_P(KilledClient, LeavesNothingWhenKilledAtAnyTime) {
  const std::string server_reference = reference();
  std::mt19937 random(1871);
  const ResourceSnapshot before = ResourceSnapshot::now();
  const std::size_t mapped_before = mapped_shared_bytes();
  for (int i = 0; i < 40 && !HasFailure(); ++i) {
    PeerUnderTest client("call-for-ever", server_reference, options_for(transport_name));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 1500));
    client.kill();
    client.end();
  }
  // A block lent by the last client is valid as long as it is held, and ow-hangup watches its region.
  EXPECT_TRUE(becomes_true([&] { return ResourceSnapshot::now().threads <= before.threads + 1; }))
      << before.difference();
  servant->drop_kept();
  EXPECT_TRUE(before.are_restored()) << before.difference();
  EXPECT_TRUE(shared_mappings_restored(mapped_before));
  PeerUnderTest last("call", server_reference, options_for(transport_name));
  EXPECT_TRUE(last.end().clean()) << "a new connection works";
}

/// The reply exceeds all buffers, so that the server is blocked in it when the client is killed.
TEST_P(KilledClient, LeavesNothingWhenKilledInALargeReply) {
  const std::string server_reference = reference();
  TestOrb client(options_for(transport_name));
  const TargetRef other = reference_to_target(client, server_reference);
  EXPECT_EQ(other->twice(1), 2);
  std::mt19937 random(1905);
  const auto run_once = [&](bool takes_some) {
    PeerUnderTest reader("take", server_reference, options_for(transport_name));
    ASSERT_TRUE(becomes_true([&] { return servant->gives(); }));
    reader.stop();
    servant->let_give();
    // Otherwise the next round could mistake this call for its own.
    ASSERT_TRUE(becomes_true([&] { return !servant->gives(); }));
    EXPECT_EQ(other->twice(2), 4);
    if (takes_some) {
      reader.go_on();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    }
    reader.kill();
    reader.end();
    EXPECT_EQ(other->twice(3), 6);
  };
  run_once(true);
  const ResourceSnapshot before = ResourceSnapshot::now();
  const std::size_t mapped_before = mapped_shared_bytes(), heap_before = heap_bytes();
  for (int i = 0; i < 12 && !HasFailure(); ++i) run_once(i % 2 != 0);
  EXPECT_TRUE(before.are_restored()) << before.difference();
  EXPECT_TRUE(shared_mappings_restored(mapped_before));
  EXPECT_TRUE(heap_restored(heap_before));
}

const auto kName = [](const auto& i) { return i.param; };
INSTANTIATE_TEST_SUITE_P(Transports, Killed, ::testing::ValuesIn(transports()), kName);
INSTANTIATE_TEST_SUITE_P(Transports, KilledClient, ::testing::ValuesIn(transports()), kName);

}  // namespace
}  // namespace faulttest
