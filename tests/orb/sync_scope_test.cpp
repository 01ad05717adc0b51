// When a one-way call returns, by its SyncScope. In each test a stage of the server does not proceed, and
// shows whether the caller waits for it: the queue of the transport, the POA manager, or the servant.
#include <gmock/gmock.h>

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <algorithm>
#include <optional>

#include "orderS.h"
#include "platform/testing/waiting_thread.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::platform::testing::WaitingThread;
using ::testing::ElementsAre;

/// An object without the operations of Calls.
class OtherServant final : public virtual CORBA::servant_traits<OrderTest::Recorder>::base_type {
 public:
  void record(std::int32_t, const OrderTest::Octets&) override {}
  std::int32_t record_and_count(std::int32_t n) override { return n; }
};

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
  CallsRef with(Messaging::SyncScope scope) { return with(scope, plain_); }
  CallsRef with(Messaging::SyncScope scope, const CallsRef& calls) {
    CORBA::Any value;
    value <<= scope;
    const ObjectRef scoped =
        calls->_set_policy_overrides({client().orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, value)},
                                     CORBA::SetOverrideType::ADD_OVERRIDE);
    return CallsRef::adopt(OrbTest::Calls::_make(scoped->_reference()));
  }
  /// An object that has no operation `note`.
  CallsRef other_object() {
    const auto other = CORBA::make_reference<OtherServant>();
    poa_->activate_object(other);
    return client().unchecked(server_.orb->object_to_string(poa_->servant_to_reference(other)));
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
  if (GetParam() == "udp") GTEST_SKIP() << "datagrams never wait for the receiver";
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
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() > 100'000u; }));
  const OrbTest::Numbers notes = servant->notes();
  EXPECT_EQ(notes.size(), 100'001u);
  EXPECT_EQ(std::count(notes.begin(), notes.end(), -1), 1) << "it is queued in the ORB, not dropped";
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

TEST_P(SyncScope, WithServerReturnsBeforeEachOfSeveralUpcalls) {
  const CallsRef validated = with(Messaging::SYNC_WITH_SERVER);
  OrbTest::Numbers notes;
  for (std::int32_t i = 1; i <= 4; ++i) {
    validated->note_at_gate(i);
    EXPECT_TRUE(servant->gate.reached_by(1));
    EXPECT_EQ(servant->notes(), notes);
    notes.push_back(i);
    servant->gate.open(i);
    expect_notes(notes);
  }
}

TEST_P(SyncScope, WithServerReturnsBeforeTheUpcallOfAServerThatBatchesReplies) {
  TestOrb batching({"-ORBListen", transport(), "-ORBTune", "batch-delay-us=20000000"});
  const ServantRef gated = CORBA::make_reference<Servant>();
  const struct OpenAtEnd {
    Servant& servant;
    ~OpenAtEnd() { servant.gate.open(); }
  } open_at_end{*gated};
  const CallsRef validated = with(Messaging::SYNC_WITH_SERVER, client().unchecked(batching.serve(gated)));
  for (std::int32_t i = 1; i <= 2; ++i) {
    validated->note_at_gate(i);  // returns, although the servant does not
    EXPECT_TRUE(gated->gate.reached_by(1));
    EXPECT_EQ(gated->notes().size() + 1, static_cast<std::size_t>(i));
    gated->gate.open(i);
    EXPECT_TRUE(becomes_true([&] { return gated->notes().size() == static_cast<std::size_t>(i); }));
  }
}

TEST_P(SyncScope, WithServerAndWithTargetRaiseWhenTheOperationIsUnknown) {
  const CallsRef other = other_object();
  constexpr std::uint32_t kNoSuchOperation = 0x4f57005a;
  for (int i = 0; i < 3; ++i) {  // later requests have the header of the first
    for (const auto scope : {Messaging::SYNC_WITH_SERVER, Messaging::SYNC_WITH_TARGET}) {
      EXPECT_THAT(raised_by<CORBA::BAD_OPERATION>([&] { with(scope, other)->note(1); }, kNoSuchOperation),
                  ::testing::HasSubstr("has no operation 'note'"));
    }
    with(Messaging::SYNC_NONE, other)->note(1);  // raises nothing
    with(Messaging::SYNC_WITH_TRANSPORT, other)->note(1);
  }
  with(Messaging::SYNC_WITH_SERVER)->note(1);
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
                         ::testing::Values("collocated", "inproc", "shm", "unix", "mqueue", "tcp", "udp"),
                         [](const auto& transport) { return transport.param; });

/// Requests of another ORB: GIOP 1.2 with any response flags.
struct ResponseFlags : ::testing::Test {
  ~ResponseFlags() override { servant->gate.open(); }
  void send(std::uint32_t id, std::uint8_t flags, const char* operation = "note_at_gate") {
    raw.sends(request(id, there.key, operation, Order::little, flags).ulong(id).bytes());
  }
  struct ReplyHead {
    std::uint32_t id, status;
    bool operator==(const ReplyHead&) const = default;
  };
  ReplyHead reply() {
    const auto message = raw.receives();
    ReplyHead head{};
    if (!message || message->size() < 20) return head;
    std::memcpy(&head, message->data() + 12, sizeof head);
    return head;
  }

  const ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server{{"-ORBListen", "tcp"}};
  const Where there = where(server.serve(servant));
  RawPeer raw = RawPeer::to(there.port);
};

TEST_F(ResponseFlags, RequestNoReply) {
  servant->gate.open();
  send(1, 0);
  send(2, 3);
  EXPECT_EQ(reply(), (ReplyHead{2, 0}));
  EXPECT_THAT(servant->notes(), ElementsAre(1, 2));
}

TEST_F(ResponseFlags, RequestAReplyBeforeTheUpcall) {
  send(1, 1);
  EXPECT_EQ(reply(), (ReplyHead{1, 0}));
  EXPECT_TRUE(servant->gate.reached_by(1));
  EXPECT_THAT(servant->notes(), ElementsAre());
  servant->gate.open();
  constexpr std::uint32_t kSystemException = 2;
  send(2, 1, "no_such_operation");
  EXPECT_EQ(reply(), (ReplyHead{2, kSystemException}));
  send(3, 0, "no_such_operation");
  send(4, 1, "_non_existent");
  EXPECT_EQ(reply(), (ReplyHead{4, 0}));
  EXPECT_THAT(servant->notes(), ElementsAre(1));
}

TEST_F(ResponseFlags, RequestAReplyAfterTheUpcall) {
  send(1, 3);
  EXPECT_TRUE(servant->gate.reached_by(1));
  servant->gate.open();
  EXPECT_EQ(reply(), (ReplyHead{1, 0}));
  EXPECT_THAT(servant->notes(), ElementsAre(1));
}

}  // namespace
}  // namespace orbtest
