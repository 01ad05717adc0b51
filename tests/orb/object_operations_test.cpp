// Operations of CORBA::Object: over each transport, collocated, and as GIOP requests of other ORBs.
#include <gmock/gmock.h>

#include "orb/minor_codes.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace minor = orbweaver::minor;
using ::testing::HasSubstr;

struct ObjectOperations : ::testing::TestWithParam<std::string> {
  ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server, other{Options{"-ORBTransportPreference", GetParam()}};
  std::string text = server.serve(servant);
  TestOrb& client = GetParam() == "inproc" ? server : other;  // collocated
  CallsRef object = client.at(text);
};

TEST_P(ObjectOperations, ReturnNilForGetComponent) { EXPECT_EQ(object->_get_component(), nullptr); }

TEST_P(ObjectOperations, RaiseIntfReposForGetInterface) {
  EXPECT_THAT(raised_by<CORBA::INTF_REPOS>([&] { object->_get_interface(); }, minor::kNoRepository),
              HasSubstr("no interface repository"));
}

TEST_P(ObjectOperations, ValidateTheConnectionOfAnActiveObject) {
  CORBA::PolicyList inconsistent{nullptr};
  EXPECT_TRUE(object->_validate_connection(inconsistent));
  EXPECT_TRUE(inconsistent.empty());
}

TEST_P(ObjectOperations, RaiseObjectNotExistForADeactivatedObject) {
  // A copy of the reference: server.root is reset at the end of the test, in another thread.
  servant->deactivate = [&, root = server.root] { root->deactivate_object(root->servant_to_id(servant)); };
  object->deactivate_me();
  CORBA::PolicyList inconsistent;
  EXPECT_THROW(object->_validate_connection(inconsistent), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(object->_get_component(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(object->_get_interface(), CORBA::OBJECT_NOT_EXIST);
}

INSTANTIATE_TEST_SUITE_P(Transports, ObjectOperations, ::testing::Values("inproc", "shm", "unix", "tcp"),
                         [](const auto& i) { return i.param; });

TEST(ObjectOperations, RaiseNoImplementForALocalObject) {
  TestOrb broker;
  const ObjectRef local = broker.root;
  CORBA::PolicyList inconsistent;
  EXPECT_EQ(local->_get_component(), nullptr);
  EXPECT_THROW(local->_get_interface(), CORBA::NO_IMPLEMENT);
  EXPECT_THROW(local->_validate_connection(inconsistent), CORBA::NO_IMPLEMENT);
}

TEST(ObjectOperations, RaiseTransientWithoutAServer) {
  TestOrb client;
  CORBA::PolicyList inconsistent;
  const CallsRef object =
      client.unchecked(reference_to(static_cast<std::uint16_t>(std::stoi(free_port())), {1}));
  EXPECT_THROW(object->_validate_connection(inconsistent), CORBA::TRANSIENT);
}

/// Other ORBs use the operation names of the standard.
TEST(ObjectOperations, AreServedUnderTheirGiopNames) {
  TestOrb server;
  const Where at = where(server.serve(CORBA::make_reference<Servant>()));
  RawPeer peer = RawPeer::to(at.port);
  std::uint32_t id = 0;
  const auto results_of = [&](Message&& message) {
    peer.sends(message.bytes());
    const auto answer = peer.receives();
    const auto status = answer ? Octets(answer->begin() + 16, answer->begin() + 20) : Octets();
    if (status != Octets(4)) return Octets{'?'};
    return Octets(answer->begin() + 24, answer->end());
  };
  const Octets yes{1}, no{0};
  Octets nil_reference(12);
  nil_reference[orbweaver::giop::kThisMachineIsLittleEndian ? 0 : 3] = 1;  // an empty string
  EXPECT_EQ(results_of(request(++id, at.key, "_component")), nil_reference);
  EXPECT_EQ(results_of(request(++id, at.key, "_get_component")), nil_reference)
      << "the name that JacORB uses";
  EXPECT_EQ(results_of(request(++id, at.key, "_non_existent")), no);
  EXPECT_EQ(results_of(request(++id, at.key, "_not_existent")), no);
  EXPECT_EQ(results_of(std::move(request(++id, at.key, "_is_a").align(8).text("IDL:OrbTest/Watcher:1.0"))),
            yes);
  EXPECT_EQ(
      results_of(std::move(request(++id, at.key, "_is_a").align(8).text("IDL:omg.org/CORBA/Object:1.0"))),
      yes);
  EXPECT_EQ(results_of(std::move(request(++id, at.key, "_is_a").align(8).text("IDL:OrbTest/Other:1.0"))), no);
  const Octets repository_id = results_of(request(++id, at.key, "_repository_id"));
  EXPECT_THAT(std::string(repository_id.begin(), repository_id.end()), HasSubstr("IDL:OrbTest/Calls:1.0"));
  EXPECT_EQ(results_of(request(++id, at.key, "_interface")), Octets{'?'});
}

}  // namespace
}  // namespace orbtest
