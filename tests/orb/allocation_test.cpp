// Heap allocations on the hot path of a call: none, in client and server. Both run in this process, and every
// operator new is counted.
#include <gtest/gtest.h>

#include <orbweaver/detail/stub.h>
#include <orbweaver/typecode_members.h>

#include "testing/allocation_count.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

struct Allocations : ::testing::TestWithParam<std::string> {
  ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server, client{Options{"-ORBTransportPreference", GetParam()}};
  CallsRef calls = client.at(server.serve(servant));

  /// Allocations in client and server during 500 calls: the minimum of up to five rounds. A buffer may still
  /// grow in one round; an allocation made by every call appears in all of them.
  template <class Call>
  std::size_t of(Call&& call) {
    std::size_t minimum = 1;
    for (int round = 0; round < 5 && minimum != 0; ++round) {
      const std::size_t before = allocations();
      for (int i = 0; i < 500; ++i) call();
      calls->twice(0);  // returns after the one-way calls among them
      minimum = allocations() - before;
    }
    return minimum;
  }
};

TEST_P(Allocations, AreZeroInATwoWayCall) {
  EXPECT_EQ(of([&] { EXPECT_EQ(calls->twice(2), 4); }), 0u);
}

TEST_P(Allocations, AreZeroInATwoWayCallWithAView) {
  const std::vector<double> samples(1024, 0.5);
  EXPECT_EQ(of([&] { EXPECT_EQ(calls->sum(samples), 512); }), 0u);
}

TEST_P(Allocations, AreZeroInAOneWayCall) {
  EXPECT_EQ(of([&] { calls->note_slowly(-1, 0); }), 0u);
}

TEST_P(Allocations, AreZeroInACallOfADefaultServant) {
  using namespace PortableServer;
  const PoaRef poa = make_poa(
      server.root, "a name of more than 15 characters",
      {server.root->create_request_processing_policy(RequestProcessingPolicyValue::USE_DEFAULT_SERVANT),
       server.root->create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
       server.root->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID),
       server.root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)});
  poa->set_servant(servant);
  calls = client.at(server.orb->object_to_string(
      poa->create_reference_with_id(string_to_ObjectId("one of many"), "IDL:OrbTest/Calls:1.0")));
  EXPECT_EQ(of([&] { EXPECT_EQ(calls->twice(2), 4); }), 0u);
}

INSTANTIATE_TEST_SUITE_P(Transports, Allocations, ::testing::Values("shm", "unix", "tcp", "inproc"),
                         [](const auto& i) { return i.param; });

/// Memory of the sender for a large sequence of structs, which cannot be sent out of line.
struct SenderMemory : ::testing::TestWithParam<std::string> {};

TEST_P(SenderMemory, IsBoundedByOneFragment) {
  constexpr std::size_t kFragment = std::size_t{64} << 10;
  const std::string fragment = std::to_string(kFragment);
  const ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server{Options{"-ORBListen", GetParam()}};
  TestOrb client{Options{"-ORBTransportPreference", GetParam(), "-ORBTune", "fragment-bytes=" + fragment}};
  const CallsRef calls = client.at(server.serve(servant));
  const OrbTest::Record record("a name of some length", 1, {{1, 2}, {3, 4}}, {5, 6, 7});
  static constexpr orbweaver::Operation kUnknown{"no_operation", 12, false, nullptr, 0};
  constexpr std::size_t kRecords = 100'000;
  const std::size_t bound = kRecords * orbweaver::cdr::bound_of(record);
  ASSERT_GE(bound, 100 * kFragment);
  calls->twice(1);
  reset_largest_allocation();
  EXPECT_THROW(orbweaver::twoway(
                   *calls, kUnknown, bound,
                   [&](orbweaver::cdr::Encoder& out) {
                     for (std::size_t i = 0; i < kRecords; ++i) orbweaver::cdr::encode(out, record);
                   },
                   [](orbweaver::cdr::Decoder&) {}),
               CORBA::BAD_OPERATION);
  EXPECT_LE(largest_allocation(), 2 * kFragment);
}

INSTANTIATE_TEST_SUITE_P(Transports, SenderMemory, ::testing::Values("unix", "tcp", "mqueue"),
                         [](const auto& i) { return i.param; });

/// Each visit of a TypeCode takes at least one allocation, so that allocations count the visits.
TEST(CreatedTypeCode, VisitsASharedMemberTypeOnce) {
  TestOrb broker;
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
  const std::size_t before = allocations();
  const auto created = orb.create_struct_tc("IDL:Same:1.0", "Same", same);
  EXPECT_EQ(created->member_count(), static_cast<std::uint32_t>(kMembers));
  EXPECT_LE(allocations() - before, 20u * kMembers);
}

}  // namespace
}  // namespace orbtest
