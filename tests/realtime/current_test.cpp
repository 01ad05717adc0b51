// RTCORBA::Current and priority mappings.
#include "platform/testing/forked_process.h"
#include "platform/testing/real_time.h"
#include "realtime/minor_codes.h"
#include "realtime/testing/real_time_orb.h"
#include "realtime/testing/ten_priorities.h"

namespace orbtest {
namespace {

namespace minor = orbweaver::realtime::minor;
using ::testing::HasSubstr;

struct RtCurrent : ::testing::Test {
  ~RtCurrent() override { orbweaver::set_priority_mapping(nullptr); }
  RealTimeOrb orb{Options{"-ORBListen", "inproc"}};
};

TEST_F(RtCurrent, IsTheSameForEachResolution) {
  EXPECT_EQ(orb.orb->resolve_initial_references("RTCurrent"), ObjectRef(orb.current));
  EXPECT_THAT(orb.orb->list_initial_services(), ::testing::IsSupersetOf({"RTORB", "RTCurrent"}));
}

TEST_F(RtCurrent, HasNoPriorityBeforeOneIsSet) {
  at_priority(orb, kNone, [&] {
    EXPECT_NE(raised_by<CORBA::INITIALIZE>([&] { orb.current->the_priority(); }, minor::kNoThreadPriority),
              "nothing was raised");
    EXPECT_EQ(priority_of(orb.current), kNone);
  });
}

TEST_F(RtCurrent, KeepsThePriorityOfEachThread) {
  at_priority(orb, 100, [&] {
    EXPECT_EQ(orb.current->the_priority(), 100);
    at_priority(orb, RTCORBA::maxPriority, [&] {
      EXPECT_EQ(orb.current->the_priority(), RTCORBA::maxPriority);
      orb.current->the_priority(RTCORBA::minPriority);
      EXPECT_EQ(orb.current->the_priority(), RTCORBA::minPriority);
    });
    EXPECT_EQ(orb.current->the_priority(), 100);
    RealTimeOrb other(Options{"-ORBListen", "inproc"});
    EXPECT_EQ(other.current->the_priority(), 100) << "of another ORB of the process";
  });
}

TEST_F(RtCurrent, RejectsANegativePriority) {
  at_priority(orb, 5, [&] {
    EXPECT_THAT(raised_by<CORBA::BAD_PARAM>([&] { orb.current->the_priority(-1); }, minor::kBadPriority),
                HasSubstr("-1"));
    EXPECT_EQ(orb.current->the_priority(), 5);
  });
}

TEST_F(RtCurrent, RejectsAPriorityThatTheMappingDoesNotHave) {
  orbweaver::set_priority_mapping(std::make_shared<TenPriorities>());
  at_priority(orb, 9, [&] {
    EXPECT_THAT(raised_by<CORBA::DATA_CONVERSION>([&] { orb.current->the_priority(10); }, minor::kNotMapped),
                HasSubstr("10"));
    EXPECT_EQ(orb.current->the_priority(), 9);
  });
}

TEST_F(RtCurrent, SetsTheNativePriorityWherePermitted) {
  if (!orbweaver::platform::testing::may_set_real_time_priority())
    GTEST_SKIP() << "this process may not use SCHED_FIFO";
  orbweaver::set_priority_mapping(std::make_shared<TenPriorities>());
  at_priority(orb, kNone, [&] {
    EXPECT_EQ(native().first, SCHED_OTHER);
    orb.current->the_priority(4);
    EXPECT_EQ(native(), std::pair(SCHED_FIFO, 5));
    orb.current->the_priority(0);
    EXPECT_EQ(native(), std::pair(SCHED_FIFO, 1));
  });
}

TEST_F(RtCurrent, DoesNotPassTheNativePriorityToNewThreads) {
  if (!orbweaver::platform::testing::may_set_real_time_priority())
    GTEST_SKIP() << "this process may not use SCHED_FIFO";
  at_priority(orb, 20'000, [&] {
    ASSERT_EQ(native().first, SCHED_FIFO);
    std::thread([&] {
      EXPECT_EQ(native(), std::pair(SCHED_OTHER, 0));
      EXPECT_EQ(priority_of(orb.current), kNone);
      orb.current->the_priority(20'000);
      EXPECT_EQ(native().first, SCHED_FIFO);
    }).join();
    // Of the ORB: it accepts connections and serves them.
    RealTimeOrb started(Options{"-ORBListen", "tcp:127.0.0.1:0"});
    RealTimeOrb raised(Options{"-ORBListen", "tcp:127.0.0.1:0", "-ORBThreadPriority", "fifo:7"});
    RealTimeOrb client(Options{"-ORBListen", "inproc", "-ORBTransportPreference", "tcp"});
    const auto executed = [&](RealTimeOrb& server) {
      const auto servant = CORBA::make_reference<PriorityServant>(server.current);
      std::pair<int, int> of_servant;
      servant->within = [&] { of_servant = native(); };
      EXPECT_EQ(client.unchecked(server.activate(server.root, servant))->twice(1), 2);
      return of_servant;
    };
    EXPECT_EQ(executed(started), std::pair(SCHED_OTHER, 0));
    EXPECT_EQ(executed(raised), std::pair(SCHED_FIFO, 7));
  });
}

TEST_F(RtCurrent, KeepsThePriorityWithoutThePermission) {
  if (orbweaver::platform::testing::may_set_real_time_priority())
    GTEST_SKIP() << "this process may use SCHED_FIFO";
  at_priority(orb, 20'000, [&] {
    EXPECT_EQ(orb.current->the_priority(), 20'000);
    EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
  });
}

TEST(RtCurrentOfAProcess, KeepsThePriorityIfTheKernelRefusesIt) {
  orbweaver::platform::testing::ForkedProcess process([] {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_RTPRIO, &none);
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
      orbweaver::platform::testing::ForkedProcess::fail();
    orbweaver::set_priority_mapping(std::make_shared<TenPriorities>());
    RealTimeOrb orb(Options{"-ORBListen", "inproc"});
    for (const Priority priority : {Priority{9}, Priority{4}}) {
      orb.current->the_priority(priority);
      if (orb.current->the_priority() != priority || sched_getscheduler(0) != SCHED_OTHER)
        orbweaver::platform::testing::ForkedProcess::fail();
    }
  });
  EXPECT_TRUE(process.reap());
}

TEST(PriorityMapping, IsLinearOntoThePrioritiesOfTheProcessByDefault) {
  const auto mapping = orbweaver::priority_mapping();
  RTCORBA::NativePriority low = 0, high = 0, native = 0;
  ASSERT_TRUE(mapping->to_native(RTCORBA::minPriority, low));
  ASSERT_TRUE(mapping->to_native(RTCORBA::maxPriority, high));
  EXPECT_FALSE(mapping->to_native(-1, native));
  if (!orbweaver::platform::testing::may_set_real_time_priority()) {
    EXPECT_EQ(low, RTCORBA::minPriority);
    EXPECT_EQ(high, RTCORBA::maxPriority);
    return;
  }
  EXPECT_EQ(low, 1);
  EXPECT_LE(high, 99);
  Priority priority = 0;
  for (RTCORBA::NativePriority each = low; each <= high; ++each) {
    ASSERT_TRUE(mapping->to_CORBA(each, priority));
    ASSERT_TRUE(mapping->to_native(priority, native));
    EXPECT_EQ(native, each);
    if (priority == 0) continue;
    ASSERT_TRUE(mapping->to_native(static_cast<Priority>(priority - 1), native));
    EXPECT_EQ(native, each - 1) << "the least priority of each native one";
  }
  EXPECT_FALSE(mapping->to_CORBA(static_cast<RTCORBA::NativePriority>(high + 1), priority));
  EXPECT_FALSE(mapping->to_CORBA(0, priority));
}

}  // namespace
}  // namespace orbtest
