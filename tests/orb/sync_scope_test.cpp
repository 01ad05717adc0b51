// When a one-way call returns, by its SyncScope. In each test a stage of the server does not proceed, and
// shows whether the caller waits for it: the queue of the transport, the POA manager, or the servant.
#include <gmock/gmock.h>

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <optional>

#include "platform/testing/waiting_thread.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::platform::testing::WaitingThread;
using ::testing::ElementsAre;

/// The parameter is a transport, or "collocated": client and servant in one ORB.
class SyncScope : public ::testing::TestWithParam<std::string> {
 protected:
  SyncScope() {
    if (!collocated()) client_.emplace(options("-ORBTransportPreference"));
    poa_->activate_object(servant);
    plain_ = client().unchecked(server_.reference(poa_, servant));
    static_cast<void>(plain_->twice(1));  // connects
  }
  ~SyncScope() override {
    servant->gate.open();
    poa_->the_POAManager()->activate();
  }

  static bool collocated() { return GetParam() == "collocated"; }
  static std::string transport() { return collocated() ? "inproc" : GetParam(); }
  static Options options(const char* uses_transport) {
    return {uses_transport, transport(), "-ORBTune", "ring-bytes=65536", "-ORBCallTimeout", "120000"};
  }
  TestOrb& client() { return client_ ? *client_ : server_; }
  CallsRef with(Messaging::SyncScope scope) {
    CORBA::Any value;
    value <<= scope;
    return IDL::traits<OrbTest::Calls>::narrow(
        plain_->_set_policy_overrides({client().orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, value)},
                                      CORBA::SetOverrideType::ADD_OVERRIDE));
  }
  /// The server does not look for the servant of a request.
  void block_the_server() { poa_->the_POAManager()->hold_requests(false); }
  void unblock_the_server() { poa_->the_POAManager()->activate(); }
  void expect_notes(const OrbTest::Numbers& numbers) {
    EXPECT_TRUE(becomes_true([&] { return servant->notes().size() >= numbers.size(); }));
    EXPECT_EQ(servant->notes(), numbers);
  }

  const ServantRef servant = CORBA::make_reference<Servant>();

 private:
  TestOrb server_{options("-ORBListen")};
  const PoaRef poa_ = make_poa(server_.root, "notes");
  std::optional<TestOrb> client_;
  CallsRef plain_;
};

TEST_P(SyncScope, NoneReturnsAlthoughTheQueueOfTheTransportIsFull) {
  const CallsRef sent = with(Messaging::SYNC_WITH_TRANSPORT), none = with(Messaging::SYNC_NONE);
  block_the_server();
  WaitingThread filling([&] {
    for (std::int32_t i = 0; i < 100'000; ++i) sent->note(i);
  });
  EXPECT_TRUE(filling.waits());
  none->note(-1);  // the test ends only if this returns
  EXPECT_TRUE(filling.waits());
  unblock_the_server();
  filling.join();
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() >= 100'000u; }));
}

TEST_P(SyncScope, WithTransportReturnsBeforeTheServerHasValidatedTheRequest) {
  const CallsRef none = with(Messaging::SYNC_NONE), sent = with(Messaging::SYNC_WITH_TRANSPORT);
  block_the_server();
  none->note(1);
  sent->note(2);
  EXPECT_THAT(servant->notes(), ElementsAre());
  unblock_the_server();
  expect_notes({1, 2});
}

TEST_P(SyncScope, WithServerReturnsWhenTheServerHasFoundTheServant) {
  const CallsRef validated = with(Messaging::SYNC_WITH_SERVER);
  block_the_server();
  WaitingThread calling([&] { validated->note_at_gate(1); });
  EXPECT_TRUE(calling.waits()) << "for the server";
  unblock_the_server();
  calling.join();  // returns, although the servant does not
  EXPECT_TRUE(servant->gate.reached_by(1));
  EXPECT_THAT(servant->notes(), ElementsAre());
  servant->gate.open();
  expect_notes({1});
}

TEST_P(SyncScope, WithTargetReturnsWhenTheServantHasReturned) {
  const CallsRef executed = with(Messaging::SYNC_WITH_TARGET);
  WaitingThread calling([&] { executed->note_at_gate(1); });
  EXPECT_TRUE(servant->gate.reached_by(1));
  EXPECT_TRUE(calling.waits()) << "for the servant";
  servant->gate.open();
  calling.join();
  EXPECT_THAT(servant->notes(), ElementsAre(1));
}

INSTANTIATE_TEST_SUITE_P(Transports, SyncScope,
                         ::testing::Values("collocated", "inproc", "shm", "unix", "mqueue", "tcp"),
                         [](const auto& transport) { return transport.param; });

}  // namespace
}  // namespace orbtest
