// A peer that is stopped (SIGSTOP) for longer than the timeout of a call, and continued later.
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
  const std::string transport_name = GetParam();
  CallLogPage call_log;
  PeerUnderTest server{"serve", call_log.path(), options_for(transport_name)};
  TestOrb client{options_for(transport_name)};
  const TargetRef target = reference_to_target(client, server.line());
  const TargetRef hasty = orbtest::limited<Faults::Target>(client, target, 200);

  /// Makes a call that must raise TIMEOUT. Returns its completion status.
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
    ADD_FAILURE() << "a reply from a stopped process";
    return CompletionStatus::COMPLETED_YES;
  }
  /// Waits until the continued server answers calls again. Late replies are dropped.
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

TEST_P(Stopped, TimesOutAndRecoversWhenTheServerContinues) {
  EXPECT_EQ(target->twice(1), 2);
  for (int round = 0; round < 3; ++round) {
    server.stop();
    const std::uint32_t before = call_log->begun;
    EXPECT_EQ(times_out([&] { hasty->twice(2); }), CompletionStatus::COMPLETED_MAYBE);
    EXPECT_EQ(times_out([&] { hasty->twice(3); }), CompletionStatus::COMPLETED_MAYBE);
    EXPECT_EQ(call_log->begun, before);
    server.go_on();
    ASSERT_TRUE(answers());
    EXPECT_GE(call_log->begun, before + 3) << "what was sent is served";
  }
}

TEST_P(Stopped, LimitsOneWaysToTheirDeadline) {
  if (transport_name == "udp") GTEST_SKIP() << "no sender waits for space";
  EXPECT_EQ(target->twice(1), 2);
  server.stop();
  const Faults::Octets some(1000);
  const std::uint32_t before = call_log->begun;
  std::uint32_t sent = 0;
  // Calls are sent until the buffers are full; then a call times out.
  const CompletionStatus completed = times_out([&] {
    for (;; ++sent) hasty->put(some);
  });
  EXPECT_NE(completed, CompletionStatus::COMPLETED_YES);
  EXPECT_GT(sent, 5u);
  server.go_on();
  ASSERT_TRUE(answers());
  const std::uint32_t served = call_log->begun - before;
  if (completed == CompletionStatus::COMPLETED_NO) {
    EXPECT_GE(served, sent + 1);
  }
}

TEST_P(Stopped, DoesNotBlockOtherClients) {
  TestOrb broker(options_for(transport_name));
  const auto servant = CORBA::make_reference<TargetServant>(*call_log);
  broker.root->activate_object(servant);
  const std::string reference = broker.orb->object_to_string(broker.root->servant_to_reference(servant));
  PeerUnderTest other("call-for-ever", reference, options_for(transport_name));
  const TargetRef mine = reference_to_target(client, reference);
  for (int round = 0; round < 10; ++round) {
    other.stop();
    for (int n = 0; n < 20; ++n) ASSERT_EQ(mine->twice(n), 2 * n);
    const std::uint32_t before = call_log->begun;
    other.go_on();
    EXPECT_TRUE(becomes_true([&] { return call_log->begun > before + 1; })) << "the other client continues";
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, Stopped, ::testing::ValuesIn(transports_with_udp()),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace faulttest
