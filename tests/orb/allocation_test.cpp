// The hot path of a call allocates nothing, at neither end: both are in this process, and every operator new counts.
#include <gtest/gtest.h>

#include <orbweaver/stub.h>
#include <orbweaver/typecode_members.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "testing/broker.h"

namespace {
std::atomic<std::size_t> total{0};  // a counter only
thread_local std::size_t largest = 0;  // block that this thread asked for
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  total.fetch_add(1, std::memory_order_relaxed);
  if (bytes > largest) largest = bytes;
  if (void* const block = std::malloc(bytes != 0 ? bytes : 1)) return block;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace orbtest {
namespace {

struct Allocations : ::testing::TestWithParam<std::string> {
  ServantRef servant = CORBA::make_reference<Servant>();
  Broker server, client{Options{"-ORBTransportPreference", GetParam()}};
  CallsRef calls = client.at(server.serve(servant));

  /// What `call` allocates, at both ends, once it has been made often. A buffer may grow a last time where the far end lags
  /// more than it ever did; what a call costs, it costs every time.
  template <class Call>
  std::size_t of(Call&& call) {
    std::size_t least = 1;
    for (int round = 0; round < 5 && least != 0; ++round) {
      const std::size_t before = total;
      for (int i = 0; i < 500; ++i) call();
      calls->twice(0);  // the one-ways among them are done
      least = total - before;
    }
    return least;
  }
};

TEST_P(Allocations, ATwoWayCallHasNone) {
  EXPECT_EQ(of([&] { EXPECT_EQ(calls->twice(2), 4); }), 0u);
}

TEST_P(Allocations, ATwoWayCallWithAViewHasNone) {
  const std::vector<double> samples(1024, 0.5);
  EXPECT_EQ(of([&] { EXPECT_EQ(calls->sum(samples), 512); }), 0u);
}

TEST_P(Allocations, AOneWayCallHasNone) {
  EXPECT_EQ(of([&] { calls->note_slowly(-1, 0); }), 0u);
}

INSTANTIATE_TEST_SUITE_P(Roads, Allocations, ::testing::Values("shm", "unix", "tcp", "inproc"), [](const auto& i) { return i.param; });

/// A large argument of structures: none that can be sent from where it lies.
struct SendersMemory : ::testing::TestWithParam<std::string> {};

TEST_P(SendersMemory, IsAFragmentsHoweverLargeTheMessageIs) {
  constexpr std::size_t kFragment = std::size_t{64} << 10;
  const std::string fragment = std::to_string(kFragment);
  const ServantRef servant = CORBA::make_reference<Servant>();
  Broker server{Options{"-ORBListen", GetParam()}};
  Broker client{Options{"-ORBTransportPreference", GetParam(), "-ORBMaxFragmentBytes", fragment}};
  const CallsRef calls = client.at(server.serve(servant));
  const OrbTest::Record record("a name of some length", 1, {{1, 2}, {3, 4}}, {5, 6, 7});
  static constexpr orbweaver::Operation kUnknown{"nobody_knows", 12, false, nullptr, 0};
  constexpr std::size_t kRecords = 100'000;
  const std::size_t bound = kRecords * orbweaver::cdr::bound_of(record);
  ASSERT_GE(bound, 100 * kFragment);
  calls->twice(1);
  largest = 0;
  EXPECT_THROW(orbweaver::twoway(
                   *calls, kUnknown, bound,
                   [&](orbweaver::cdr::Encoder& out) {
                     for (std::size_t i = 0; i < kRecords; ++i) orbweaver::cdr::encode(out, record);
                   },
                   [](orbweaver::cdr::Decoder&) {}),
               CORBA::BAD_OPERATION);
  EXPECT_LE(largest, 2 * kFragment);
}

INSTANTIATE_TEST_SUITE_P(Transports, SendersMemory, ::testing::Values("unix", "tcp", "mqueue"),
                         [](const auto& i) { return i.param; });

/// Each TypeCode that is looked at takes an allocation or more.
TEST(CreatedTypeCode, LooksOnceAtATypeThatManyMembersShare) {
  Broker broker;
  CORBA::ORB& orb = *broker.orb;
  constexpr int kMembers = 300;
  CORBA::StructMemberSeq various, same;
  for (int i = 0; i < kMembers; ++i) {
    const std::string name = "m" + std::to_string(i);
    various.push_back({name, orb.create_alias_tc("IDL:" + name + ":1.0", name, CORBA::_tc_long)});
  }
  const auto large = orb.create_struct_tc("IDL:Large:1.0", "Large", various);
  for (int i = 0; i < kMembers; ++i) {
    const std::string name = "s" + std::to_string(i);
    same.push_back({name, orb.create_alias_tc("IDL:" + name + ":1.0", name, large)});
  }
  const std::size_t before = total;
  const auto made = orb.create_struct_tc("IDL:Same:1.0", "Same", same);
  EXPECT_EQ(made->member_count(), static_cast<std::uint32_t>(kMembers));
  EXPECT_LE(total - before, 20u * kMembers);
}

}  // namespace
}  // namespace orbtest
