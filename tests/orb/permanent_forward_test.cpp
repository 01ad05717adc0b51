// Replies with LOCATION_FORWARD_PERM: the reference keeps the new address.
#include <gmock/gmock.h>

#include <atomic>
#include <cstring>

#include "giop/ior.h"
#include "orb/minor_codes.h"
#include "orb/reference/reference.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;

/// The request id of a message of this machine.
std::uint32_t id_of(const Octets& message) {
  std::uint32_t id = 0;
  std::memcpy(&id, message.data() + giop::kHeaderBytes, sizeof id);
  return id;
}

/// A server that forwards each request and LocateRequest to `to`.
struct PermanentForward : ::testing::Test {
  std::unique_ptr<TestOrb> server = std::make_unique<TestOrb>(Options{"-ORBListen", "tcp"});
  ServantRef servant = CORBA::make_reference<Servant>();
  std::string to = server->serve(servant);
  std::atomic<int> requests{0};
  std::uint32_t status = 4;
  RawServer old_place{[this](RawPeer& peer) {
    while (const auto request = peer.receives()) {
      ++requests;
      const bool is_locate = (*request)[7] == static_cast<std::uint8_t>(giop::MessageType::locate_request);
      Message answer(is_locate ? giop::MessageType::locate_reply : giop::MessageType::reply);
      answer.ulong(id_of(*request)).ulong(is_locate ? status - 1 : status);
      if (!is_locate) answer.ulong(0).align(8);
      const giop::Ior ior = *giop::parse_ior(to);
      answer.text(ior.type_id).ulong(static_cast<std::uint32_t>(ior.profiles.size()));
      for (const giop::TaggedData& profile : ior.profiles) answer.ulong(profile.tag).octets(profile.data);
      peer.sends(answer.bytes());
    }
  }};
  TestOrb client{{"-ORBListen", "inproc"}};  // destroyed before the old place, which reads its connections
  CallsRef calls = client.unchecked(old_place.reference());
};

TEST_F(PermanentForward, ReplacesTheReference) {
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_EQ(calls->twice(3), 6);
  EXPECT_EQ(requests, 1);
  EXPECT_EQ(client.orb->object_to_string(calls), to);
  // Other references to the old place are not changed, but copies have the new address.
  EXPECT_NE(old_place.reference(), to);
  EXPECT_EQ(
      client.orb->object_to_string(calls->_set_policy_overrides({}, CORBA::SetOverrideType::ADD_OVERRIDE)),
      to);
}

TEST_F(PermanentForward, IsNotUndoneWhenTheNewServerHasGone) {
  EXPECT_EQ(calls->twice(2), 4);
  server = nullptr;
  EXPECT_THROW(calls->twice(3), CORBA::TRANSIENT);
  EXPECT_EQ(requests, 1);
}

TEST_F(PermanentForward, IsNotUndoneWhenTheObjectHasGone) {
  EXPECT_EQ(calls->twice(2), 4);
  server->root->deactivate_object(server->root->servant_to_id(servant));
  EXPECT_THROW(calls->twice(3), CORBA::OBJECT_NOT_EXIST);
  EXPECT_EQ(requests, 1);
}

TEST_F(PermanentForward, IsFollowedByLocateRequests) {
  CORBA::PolicyList none;
  EXPECT_TRUE(calls->_validate_connection(none));
  EXPECT_EQ(client.orb->object_to_string(calls), to);
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_EQ(requests, 1);
}

TEST_F(PermanentForward, IsTheBasisOfTemporaryForwards) {
  const std::string final_place = to;
  RawServer second([&](RawPeer& peer) {
    while (const auto request = peer.receives()) {
      const giop::Ior ior = *giop::parse_ior(final_place);
      Message answer(giop::MessageType::reply);
      answer.ulong(id_of(*request)).ulong(3).ulong(0).align(8).text(ior.type_id);
      answer.ulong(static_cast<std::uint32_t>(ior.profiles.size()));
      for (const giop::TaggedData& profile : ior.profiles) answer.ulong(profile.tag).octets(profile.data);
      peer.sends(answer.bytes());
    }
  });
  to = second.reference();
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_EQ(client.orb->object_to_string(calls), second.reference());
  server = nullptr;  // the second server is asked again, the first one is not
  EXPECT_THROW(calls->twice(2), CORBA::TRANSIENT);
  EXPECT_EQ(requests, 1);
  client.destroy();
}

TEST_F(PermanentForward, OfAnArgumentFitsIntoTheRepeatedRequest) {
  // When the request is sent for the second time, its argument has another, larger IOR.
  EXPECT_EQ(client.orb->object_to_string(calls->same(calls)), old_place.reference());
  EXPECT_EQ(client.orb->object_to_string(calls), to);
}

TEST_F(PermanentForward, InALoopIsBounded) {
  to = old_place.reference();
  EXPECT_THROW(calls->twice(2), CORBA::TRANSIENT);
  for (int i = 0; i < 5; ++i) EXPECT_THROW(calls->twice(2), CORBA::TRANSIENT);
}

TEST_F(PermanentForward, DoesNotReplaceTheReferenceIfItIsTemporary) {
  status = 3;
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_EQ(client.orb->object_to_string(calls), old_place.reference());
}

}  // namespace
}  // namespace orbtest
