// A peer that is stopped (SIGSTOP) for longer than a call may take, and goes on later.
#include <gtest/gtest.h>

#include "orb/minor_codes.h"
#include "peer.h"
#include "testing/time_limit.h"

namespace faulttest {
namespace {

namespace minor = orbweaver::minor;
using CORBA::CompletionStatus;

class Stopped : public ::testing::TestWithParam<std::string> {
 protected:
  const std::string road = GetParam();
  LedgerPage ledger;
  Peer server{"serve", ledger.path(), options_for(road)};
  Broker client{options_for(road)};
  const TargetRef target = reference_to_target(client, server.line());
  const TargetRef hasty = orbtest::limited<Faults::Target>(client, target, 200);

  /// A call that ends with TIMEOUT. Its completion status.
  template <class Call>
  CompletionStatus times_out(Call&& call) {
    try {
      call();
    } catch (const CORBA::TIMEOUT& e) {
      EXPECT_EQ(e.minor(), minor::kCallTimeout);
      return e.completed();
    } catch (const CORBA::Exception& e) {
      ADD_FAILURE() << e.what();
      return CompletionStatus::COMPLETED_YES;
    }
    ADD_FAILURE() << "answered by a process that is stopped";
    return CompletionStatus::COMPLETED_YES;
  }
  /// Once the server has gone on: late replies are dropped, and calls are answered again.
  bool answers() {
    return becomes_true([&] {
      try {
        return target->twice(21) == 42;
      } catch (const CORBA::TIMEOUT&) {
        return false;
      }
    });
  }
};

TEST_P(Stopped, AServerIsATimeoutAndAnswersWhenItGoesOn) {
  EXPECT_EQ(target->twice(1), 2);
  for (int round = 0; round < 3; ++round) {
    server.stop();
    const std::uint32_t before = ledger->begun;
    EXPECT_EQ(times_out([&] { hasty->twice(2); }), CompletionStatus::COMPLETED_MAYBE);
    EXPECT_EQ(times_out([&] { hasty->twice(3); }), CompletionStatus::COMPLETED_MAYBE);
    EXPECT_EQ(ledger->begun, before);
    server.go_on();
    ASSERT_TRUE(answers());
    EXPECT_GE(ledger->begun, before + 3) << "what was sent is served";
  }
}

TEST_P(Stopped, AServerHoldsOneWaysUpNoLongerThanTheirDeadline) {
  if (road == "udp") GTEST_SKIP() << "no sender waits for room";
  EXPECT_EQ(target->twice(1), 2);
  server.stop();
  const Faults::Octets some(1000);
  const std::uint32_t before = ledger->begun;
  std::uint32_t sent = 0;
  // What fits goes out; then there is no room, and nothing of the next has left.
  const CompletionStatus completed = times_out([&] {
    for (;; ++sent) hasty->put(some);
  });
  EXPECT_NE(completed, CompletionStatus::COMPLETED_YES);
  EXPECT_GT(sent, 5u);
  server.go_on();
  ASSERT_TRUE(answers());
  const std::uint32_t served = ledger->begun - before;
  if (completed == CompletionStatus::COMPLETED_NO) {
    EXPECT_GE(served, sent + 1);
  }
}

TEST_P(Stopped, AClientHoldsUpNobodyElse) {
  Broker broker(options_for(road));
  const auto servant = CORBA::make_reference<TargetServant>(*ledger);
  broker.root->activate_object(servant);
  const std::string here = broker.orb->object_to_string(broker.root->servant_to_reference(servant));
  Peer other("call-for-ever", here, options_for(road));
  const TargetRef mine = reference_to_target(client, here);
  for (int round = 0; round < 10; ++round) {
    other.stop();
    for (int n = 0; n < 20; ++n) ASSERT_EQ(mine->twice(n), 2 * n);
    const std::uint32_t before = ledger->begun;
    other.go_on();
    EXPECT_TRUE(becomes_true([&] { return ledger->begun > before + 1; })) << "it goes on where it was";
  }
}

INSTANTIATE_TEST_SUITE_P(Roads, Stopped, ::testing::ValuesIn(roads_with_datagrams()), [](const auto& i) { return i.param; });

}  // namespace
}  // namespace faulttest
