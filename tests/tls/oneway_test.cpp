// One-way calls over TLS: when they return, by their SyncScope, and their order.
#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/statistics.h>

#include <optional>

#include "platform/testing/waiting_thread.h"
#include "testing/consecutive.h"
#include "testing/recorder.h"
#include "tls_calls.h"

namespace orbtest {
namespace {

using orbweaver::platform::testing::WaitingThread;
using ::testing::ElementsAre;
using RecorderRef = IDL::traits<OrderTest::Recorder>::ref_type;

class TlsOneWay : public TlsCalls {
 protected:
  ~TlsOneWay() override {
    servant->gate.open();
    poa_->the_POAManager()->activate();
  }
  ObjectRef with(const ObjectRef& object, Messaging::SyncScope scope) {
    CORBA::Any value;
    value <<= scope;
    return object->_set_policy_overrides(
        {calling_.orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, value)},
        CORBA::SetOverrideType::ADD_OVERRIDE);
  }
  CallsRef calls(Messaging::SyncScope scope) {
    return IDL::traits<OrbTest::Calls>::narrow(with(calling_.at(serving_.reference(poa_, servant)), scope));
  }
  RecorderRef recorder_with(Messaging::SyncScope scope) {
    const ObjectRef object =
        calling_.orb->string_to_object(serving_.orb->object_to_string(poa_->servant_to_reference(recorder)));
    return IDL::traits<OrderTest::Recorder>::narrow(with(object, scope));
  }
  void block_the_server() { poa_->the_POAManager()->hold_requests(false); }
  void unblock_the_server() { poa_->the_POAManager()->activate(); }
  static std::uint64_t waiting() {
    const auto now = orbweaver::oneway_queue_statistics();
    return now.queued - now.sent - now.lost - now.discarded;
  }

  const ServantRef servant = CORBA::make_reference<Servant>();
  const CORBA::object_reference<Recorder> recorder = CORBA::make_reference<Recorder>();

 private:
  TestOrb serving_{server("tls")};
  const PoaRef poa_ = [this] {
    const PoaRef poa = make_poa(serving_.root, "oneway");
    poa->activate_object(servant);
    poa->activate_object(recorder);
    return poa;
  }();
  TestOrb calling_{client() + Options{"-ORBTransportPreference", "tls", "-ORBCallTimeout", "120000"}};
};

TEST_F(TlsOneWay, IsQueuedWithSyncNoneAndSentBeforeALaterTwoWayCall) {
  const RecorderRef none = recorder_with(Messaging::SYNC_NONE);
  block_the_server();
  std::int32_t next = 0;
  for (; waiting() < 40 && next < 100'000; ++next)  // more than the buffers of a socket
    none->record(next, OrderTest::Octets(next % 2 == 0 ? 100'000 : 1'000));
  EXPECT_GE(waiting(), 40u);
  std::int32_t count = 0;
  WaitingThread two_way([&] { count = none->record_and_count(next); });
  EXPECT_TRUE(two_way.waits());
  unblock_the_server();
  two_way.join();
  EXPECT_EQ(count, next + 1) << "the two-way call overtook a queued call";
  EXPECT_EQ(recorder->numbers(), consecutive(0, count - 1));
}

TEST_F(TlsOneWay, ReturnsWithServerBeforeTheUpcallAndWithTargetAfterIt) {
  const CallsRef validated = calls(Messaging::SYNC_WITH_SERVER),
                 executed = calls(Messaging::SYNC_WITH_TARGET);
  validated->note_at_gate(1);
  EXPECT_TRUE(servant->gate.reached_by(1));
  EXPECT_THAT(servant->notes(), ElementsAre());
  servant->gate.open(1);
  WaitingThread call([&] { executed->note_at_gate(2); });
  EXPECT_TRUE(servant->gate.reached_by(1));
  EXPECT_TRUE(call.waits()) << "for the servant";
  servant->gate.open();
  call.join();
  EXPECT_THAT(servant->notes(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace orbtest
