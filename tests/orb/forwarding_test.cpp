// Servants that forward requests: PortableServer::ForwardRequest.
#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <optional>

#include "base/log.h"
#include "giop/reply.h"
#include "orb/minor_codes.h"
#include "orderS.h"
#include "testing/giop_builder.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace minor = orbweaver::minor;
using ::testing::HasSubstr;
using RecorderRef = IDL::traits<OrderTest::Recorder>::ref_type;

/// Counts the requests that reach it, and forwards them while it has somewhere to.
class Mover final : public virtual CORBA::servant_traits<OrderTest::Recorder>::base_type {
 public:
  explicit Mover(std::int32_t answer) : answer_(answer) {}
  std::int32_t record_and_count(std::int32_t) override {
    forward();
    return answer_;
  }
  void record(std::int32_t, const OrderTest::Octets&) override { forward(); }

  /// From the next request on; nothing: no longer.
  void forward_to(std::optional<ObjectRef> target) {
    const std::lock_guard lock(mutex_);
    target_ = std::move(target);
  }
  std::atomic<int> requests{0};

 private:
  void forward() {
    ++requests;
    const std::lock_guard lock(mutex_);
    if (target_) throw PortableServer::ForwardRequest(*target_);
  }
  std::mutex mutex_;
  std::optional<ObjectRef> target_;
  const std::int32_t answer_;
};
using MoverRef = CORBA::object_reference<Mover>;

ObjectRef object_of(TestOrb& broker, const MoverRef& servant) {
  return broker.root->servant_to_reference(servant);
}
/// The object of another ORB, for a client or a servant of this one.
ObjectRef seen_by(TestOrb& user, TestOrb& server, const MoverRef& servant) {
  return user.orb->string_to_object(server.orb->object_to_string(object_of(server, servant)));
}
RecorderRef recorder(const ObjectRef& object) {
  return RecorderRef::adopt(OrderTest::Recorder::_make(object->_reference()));
}

using Way = std::tuple<std::string, std::string>;  // transport, -ORBThreads

struct Forwarding : ::testing::TestWithParam<Way> {
  Options listening() const {
    return {"-ORBListen",
            std::get<0>(GetParam()),
            "-ORBThreads",
            std::get<1>(GetParam()),
            "-ORBTransportPreference",
            std::get<0>(GetParam())};
  }
  std::unique_ptr<TestOrb> first = std::make_unique<TestOrb>(listening());
  std::unique_ptr<TestOrb> second = std::make_unique<TestOrb>(listening());
  TestOrb client{{"-ORBTransportPreference", std::get<0>(GetParam()), "-ORBCallTimeout", "120000"}};
  MoverRef old_place = CORBA::make_reference<Mover>(1), new_place = CORBA::make_reference<Mover>(2);
  RecorderRef object;

  void SetUp() override {
    object = recorder(seen_by(client, *first, old_place));
    old_place->forward_to(seen_by(*first, *second, new_place));
  }
};

TEST_P(Forwarding, LeadsTheClientToTheNewPlaceOnce) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(object->record_and_count(i), 2);
  EXPECT_EQ(old_place->requests, 1);
  EXPECT_EQ(new_place->requests, 3);
}

TEST_P(Forwarding, ReturnsToTheOldPlaceWhenTheObjectHasGoneFromTheNewOne) {
  EXPECT_EQ(object->record_and_count(1), 2);
  second->root->deactivate_object(second->root->servant_to_id(new_place));
  old_place->forward_to({});
  EXPECT_EQ(object->record_and_count(2), 1);
  EXPECT_EQ(object->record_and_count(3), 1);
  EXPECT_EQ(old_place->requests, 3);
}

TEST_P(Forwarding, ReturnsToTheOldPlaceWhenTheServerOfTheNewOneHasGone) {
  EXPECT_EQ(object->record_and_count(1), 2);
  second = nullptr;
  old_place->forward_to({});
  EXPECT_EQ(object->record_and_count(2), 1);
}

TEST_P(Forwarding, RaisesObjectNotExistIfTheOldPlaceStillForwardsToAnObjectThatHasGone) {
  EXPECT_EQ(object->record_and_count(1), 2);
  second->root->deactivate_object(second->root->servant_to_id(new_place));
  EXPECT_THROW(object->record_and_count(2), CORBA::OBJECT_NOT_EXIST);
  EXPECT_EQ(old_place->requests, 2) << "asked once more";
}

INSTANTIATE_TEST_SUITE_P(Remote, Forwarding,
                         ::testing::Combine(::testing::Values("inproc", "shm", "unix", "mqueue", "tcp",
                                                              "udp"),
                                            ::testing::Values("connection", "pool:2", "unordered:2")),
                         [](const auto& way) {
                           std::string name = std::get<0>(way.param) + "_" + std::get<1>(way.param);
                           return name.substr(0, name.find(':'));
                         });

/// Objects of one server.
struct ForwardingChain : ::testing::Test {
  TestOrb server{{"-ORBListen", "inproc,tcp"}}, client;
  MoverRef a = CORBA::make_reference<Mover>(1), b = CORBA::make_reference<Mover>(2),
           c = CORBA::make_reference<Mover>(3);

  void forward(const MoverRef& from, const MoverRef& to) { from->forward_to(object_of(server, to)); }
};

TEST_F(ForwardingChain, IsFollowedToItsEnd) {
  forward(a, b);
  forward(b, c);
  const RecorderRef object = recorder(seen_by(client, server, a));
  EXPECT_EQ(object->record_and_count(1), 3);
  EXPECT_EQ(object->record_and_count(2), 3);
  EXPECT_EQ(a->requests + b->requests, 2);
}

TEST_F(ForwardingChain, EndsInTransientIfItIsALoop) {
  forward(a, b);
  forward(b, a);
  for (const ObjectRef& object : {seen_by(client, server, a), object_of(server, a)}) {
    EXPECT_THAT(
        raised_by<CORBA::TRANSIENT>([&] { recorder(object)->record_and_count(1); }, minor::kTooManyForwards),
        HasSubstr("too many forwards"));
    EXPECT_LE(a->requests.exchange(0) + b->requests.exchange(0), 12);
  }
}

TEST_F(ForwardingChain, EndsInInvObjrefAtNilAndAtALocalObject) {
  for (const ObjectRef& nowhere : {ObjectRef(), ObjectRef(server.root)}) {
    a->forward_to(nowhere);
    for (const ObjectRef& object : {seen_by(client, server, a), object_of(server, a)}) {
      EXPECT_THAT(raised_by<CORBA::INV_OBJREF>([&] { recorder(object)->record_and_count(1); },
                                               minor::kUnusableReference),
                  HasSubstr(nowhere ? "record_and_count was forwarded to a local object"
                                    : "record_and_count was forwarded to nil"));
    }
  }
}

/// Collocated calls call the servant of the new object, too, without a message.
TEST_F(ForwardingChain, IsFollowedByCollocatedCalls) {
  forward(a, b);
  forward(b, c);
  const RecorderRef object = recorder(object_of(server, a));
  EXPECT_EQ(object->record_and_count(1), 3);
  EXPECT_EQ(object->record_and_count(2), 3);
  EXPECT_EQ(a->requests + b->requests, 2);
  EXPECT_EQ(c->requests, 2);
  EXPECT_FALSE(object->_non_existent());
}

TEST_F(ForwardingChain, IsLeftByCollocatedCallsWhenTheObjectAtItsEndHasGone) {
  forward(a, b);
  const RecorderRef object = recorder(object_of(server, a));
  EXPECT_EQ(object->record_and_count(1), 2);
  server.root->deactivate_object(server.root->servant_to_id(b));
  EXPECT_THROW(object->record_and_count(2), CORBA::OBJECT_NOT_EXIST);
  a->forward_to({});
  EXPECT_EQ(object->record_and_count(3), 1);
}

TEST_F(ForwardingChain, LeadsCollocatedCallsToAnotherServerAndBack) {
  TestOrb other{{"-ORBListen", "tcp"}};
  const MoverRef away = CORBA::make_reference<Mover>(4);
  a->forward_to(seen_by(server, other, away));
  const RecorderRef object = recorder(object_of(server, a));
  EXPECT_EQ(object->record_and_count(1), 4);
  EXPECT_EQ(object->record_and_count(2), 4);
  EXPECT_EQ(a->requests, 1);
  other.destroy();
  a->forward_to({});
  EXPECT_EQ(object->record_and_count(3), 1);
}

TEST(ForwardedOneWay, IsLoggedAndLost) {
  orbweaver::log::reset_limits();
  ::testing::internal::CaptureStderr();
  TestOrb server{{"-ORBLog", "warn"}}, client{{"-ORBTransportPreference", "unix"}};
  const MoverRef from = CORBA::make_reference<Mover>(1), to = CORBA::make_reference<Mover>(2);
  from->forward_to(object_of(server, to));
  const RecorderRef object = recorder(seen_by(client, server, from));
  object->record(1, {});
  EXPECT_EQ(object->record_and_count(1), 2);  // over the same connection, after it
  EXPECT_EQ(to->requests, 1);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("one-way record is lost: the servant"));
}

TEST(ForwardedRequest, IsAnsweredWithTheReferenceOfTheNewObject) {
  TestOrb server{{"-ORBListen", "tcp"}};
  const MoverRef from = CORBA::make_reference<Mover>(1), to = CORBA::make_reference<Mover>(2);
  from->forward_to(object_of(server, to));
  const Where address = where(server.orb->object_to_string(object_of(server, from)));
  RawPeer peer = RawPeer::to(address.port);
  peer.sends(request(7, address.key, "record_and_count").align(8).ulong(1).bytes());
  const std::optional<Octets> answer = peer.receives();
  ASSERT_TRUE(answer);
  const auto header = orbweaver::giop::parse_header(*answer);
  orbweaver::cdr::Decoder in = orbweaver::giop::open_body(*answer, *header);
  orbweaver::giop::ReplyHeader reply;
  ASSERT_TRUE(orbweaver::giop::decode_reply(in, header->version, reply));
  EXPECT_EQ(reply.request_id, 7u);
  EXPECT_EQ(reply.status, orbweaver::giop::ReplyStatus::location_forward);
  orbweaver::giop::Ior ior;
  ASSERT_TRUE(orbweaver::giop::decode(in, ior));
  EXPECT_EQ(ior.type_id, "IDL:OrderTest/Recorder:1.0");
}

}  // namespace
}  // namespace orbtest
