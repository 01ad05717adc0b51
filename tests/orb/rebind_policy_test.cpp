// RebindPolicy: forwards and lost connections of references, threads and the ORB.
#include <gtest/gtest.h>

#include <orbweaver/any.h>
#include <orbweaver/forward_request.h>
#include <orbweaver/messaging.h>
#include <orbweaver/poa_policies.h>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>

#include "orb/minor_codes.h"
#include "orderS.h"
#include "testing/giop_builder.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::minor::kForwardNotFollowed;
using orbweaver::minor::kNotReconnected;

ObjectRef with_mode(TestOrb& broker, const ObjectRef& object, Messaging::RebindMode mode) {
  CORBA::Any value;
  value <<= mode;
  return object->_set_policy_overrides({broker.orb->create_policy(Messaging::REBIND_POLICY_TYPE, value)},
                                       CORBA::SetOverrideType::ADD_OVERRIDE);
}

/// The minor code of the REBIND that the call raises; -1: another result.
std::int64_t rebind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const CORBA::REBIND& e) {
    EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    return e.minor();
  }
  return -1;
}

void rebind(const ObjectRef& object) {
  CORBA::PolicyList inconsistent;
  EXPECT_TRUE(object->_validate_connection(inconsistent));
}

/// A server at a fixed address, which can be started again.
struct RebindPolicy : ::testing::TestWithParam<const char*> {
  RebindPolicy() { start(); }
  ~RebindPolicy() override {
    server = nullptr;
    std::filesystem::remove(path);
  }
  void start() {
    server = std::make_unique<TestOrb>(Options{"-ORBListen", listens()});
    const PoaRef poa = make_persistent_poa(server->root, "kept");
    servant = CORBA::make_reference<Servant>();
    poa->activate_object_with_id(PortableServer::string_to_ObjectId("calls"), servant);
    reference = server->reference(poa, servant);
  }
  void restart() {
    server = nullptr;
    start();
  }
  CallsRef calls_with(Messaging::RebindMode mode) {
    const ObjectRef object = with_mode(client, client.orb->string_to_object(reference), mode);
    return CallsRef::adopt(OrbTest::Calls::_make(object->_reference()));
  }
  static std::int64_t rebind_of_call(const CallsRef& calls) {
    return rebind_of([&] { calls->twice(1); });
  }
  std::string listens() const {
    return GetParam() == std::string("tcp") ? "tcp:127.0.0.1:" + port : "unix:" + path.string();
  }

  const std::string port = free_port();
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("rebind-" + std::to_string(::getpid()) + "-" + port);
  std::unique_ptr<TestOrb> server;
  ServantRef servant;
  std::string reference;
  TestOrb client{{"-ORBTransportPreference", GetParam()}};
};

TEST_P(RebindPolicy, ConnectsAgainUnlessItIsNoReconnect) {
  const CallsRef any = client.unchecked(reference);
  const CallsRef transparent = calls_with(Messaging::TRANSPARENT);
  const CallsRef no_rebind = calls_with(Messaging::NO_REBIND);
  const CallsRef no_reconnect = calls_with(Messaging::NO_RECONNECT);
  for (const CallsRef& calls : {any, transparent, no_rebind, no_reconnect}) EXPECT_EQ(calls->twice(2), 4);
  restart();
  for (const CallsRef& calls : {any, transparent, no_rebind}) EXPECT_EQ(calls->twice(3), 6);
  EXPECT_EQ(rebind_of_call(no_reconnect), kNotReconnected);
  EXPECT_EQ(rebind_of_call(no_reconnect), kNotReconnected) << "until the program connects";
  EXPECT_THROW(no_reconnect->note(1), CORBA::REBIND);
  rebind(no_reconnect);
  EXPECT_EQ(no_reconnect->twice(4), 8);
  EXPECT_TRUE(servant->notes().empty());
}

TEST_P(RebindPolicy, OpensTheFirstConnection) {
  const CallsRef calls = calls_with(Messaging::NO_RECONNECT);
  EXPECT_EQ(calls->twice(2), 4);
}

TEST_P(RebindPolicy, OfTheThreadAndTheOrb) {
  const CallsRef calls = client.unchecked(reference);
  CORBA::Any value;
  value <<= Messaging::NO_RECONNECT;
  const auto policy = client.orb->create_policy(Messaging::REBIND_POLICY_TYPE, value);
  for (const char* level : {"PolicyCurrent", "ORBPolicyManager"}) {
    EXPECT_EQ(calls->twice(2), 4) << level;
    const auto manager =
        IDL::traits<CORBA::PolicyManager>::narrow(client.orb->resolve_initial_references(level));
    manager->set_policy_overrides({policy}, CORBA::SetOverrideType::SET_OVERRIDE);
    EXPECT_EQ(calls->twice(2), 4) << level;
    restart();
    EXPECT_EQ(rebind_of_call(calls), kNotReconnected) << level;
    manager->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
  }
  EXPECT_EQ(calls->twice(2), 4);
}

INSTANTIATE_TEST_SUITE_P(Transports, RebindPolicy, ::testing::Values("tcp", "unix"),
                         [](const auto& transport) { return std::string(transport.param); });

/// Counts its requests, and forwards them if it has somewhere to.
class Recorder final : public virtual CORBA::servant_traits<OrderTest::Recorder>::base_type {
 public:
  std::int32_t record_and_count(std::int32_t) override {
    ++requests;
    if (target) throw PortableServer::ForwardRequest(target);
    return 7;
  }
  void record(std::int32_t, const OrderTest::Octets&) override {}

  ObjectRef target;
  std::atomic<int> requests{0};
};

struct RebindPolicyOfForwards : ::testing::TestWithParam<Messaging::RebindMode> {
  using RecorderRef = IDL::traits<OrderTest::Recorder>::ref_type;
  RebindPolicyOfForwards() {
    old_place->target = server.root->servant_to_reference(new_place);
    const auto reference = server.orb->object_to_string(server.root->servant_to_reference(old_place));
    const auto object = with_mode(client, client.orb->string_to_object(reference), GetParam());
    calls = RecorderRef::adopt(OrderTest::Recorder::_make(object->_reference()));
  }
  std::int64_t rebind_of_call() {
    return rebind_of([&] { calls->record_and_count(1); });
  }
  TestOrb server, client;
  const CORBA::object_reference<Recorder> old_place = CORBA::make_reference<Recorder>();
  const CORBA::object_reference<Recorder> new_place = CORBA::make_reference<Recorder>();
  RecorderRef calls;
};

TEST_P(RebindPolicyOfForwards, DecidesWhetherACallFollowsOne) {
  if (GetParam() != Messaging::TRANSPARENT) {
    EXPECT_EQ(rebind_of_call(), kForwardNotFollowed);
    EXPECT_EQ(rebind_of_call(), kForwardNotFollowed) << "until the program permits it";
    EXPECT_EQ(old_place->requests, 2);
    EXPECT_EQ(new_place->requests, 0);
    rebind(calls);
  }
  const int before = old_place->requests;
  EXPECT_EQ(calls->record_and_count(1), 7);
  EXPECT_EQ(calls->record_and_count(1), 7);
  EXPECT_EQ(old_place->requests - before, GetParam() == Messaging::TRANSPARENT ? 1 : 0);
}

TEST_P(RebindPolicyOfForwards, DecidesWhetherACallReturnsFromOne) {
  if (GetParam() != Messaging::TRANSPARENT) {
    EXPECT_EQ(rebind_of_call(), kForwardNotFollowed);
    rebind(calls);
  }
  EXPECT_EQ(calls->record_and_count(1), 7);
  const int before = old_place->requests;
  server.root->deactivate_object(server.root->servant_to_id(new_place));
  EXPECT_THROW(calls->record_and_count(1), CORBA::OBJECT_NOT_EXIST);
  EXPECT_EQ(old_place->requests - before, GetParam() == Messaging::TRANSPARENT ? 1 : 0);
}

TEST(RebindPolicyOfClosedConnections, PreventsTheRepetitionOfACall) {
  std::atomic<int> requests{0};
  RawServer server([&](RawPeer& peer) {
    if (!peer.receives()) return;
    ++requests;
    peer.sends(Message(orbweaver::giop::MessageType::close_connection).bytes());  // not executed
  });
  TestOrb client;
  const auto object = client.orb->string_to_object(server.reference());
  const auto call = [&](Messaging::RebindMode mode) {
    const auto with = with_mode(client, object, mode);
    return rebind_of([&] {
      try {
        CallsRef::adopt(OrbTest::Calls::_make(with->_reference()))->twice(1);
      } catch (const CORBA::TRANSIENT&) {  // the server closes each connection
      }
    });
  };
  EXPECT_EQ(call(Messaging::NO_RECONNECT), kNotReconnected);
  EXPECT_EQ(requests, 1);
  EXPECT_EQ(call(Messaging::NO_REBIND), -1);
  EXPECT_GT(requests, 2);
  client.destroy();
}

std::string name_of(const ::testing::TestParamInfo<Messaging::RebindMode>& mode) {
  constexpr const char* kNames[] = {"TRANSPARENT", "NO_REBIND", "NO_RECONNECT"};
  return kNames[mode.param];
}
INSTANTIATE_TEST_SUITE_P(Modes, RebindPolicyOfForwards,
                         ::testing::Values(Messaging::TRANSPARENT, Messaging::NO_REBIND,
                                           Messaging::NO_RECONNECT),
                         name_of);

}  // namespace
}  // namespace orbtest
