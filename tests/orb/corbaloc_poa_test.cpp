// The CorbalocPOA: objects whose keys the program chooses.
#include <gmock/gmock.h>

#include "giop/locate.h"
#include "orb/minor_codes.h"
#include "testing/giop_builder.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::giop::MessageType;
using PortableServer::ObjectId;
using PortableServer::string_to_ObjectId;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

PoaRef corbaloc_poa(TestOrb& orb) {
  return IDL::traits<PortableServer::POA>::narrow(orb.orb->resolve_initial_references("CorbalocPOA"));
}

/// A servant with the key "Radio/left channel" in a server that listens on TCP.
struct CorbalocPoa : ::testing::Test {
  CorbalocPoa() { poa->activate_object_with_id(id, servant); }

  std::string url(const std::string& version, const std::string& key = "Radio/left%20channel") {
    return "corbaloc:iiop:" + version + "@127.0.0.1:" + std::to_string(there().port) + "/" + key;
  }
  Where there() { return where(server.orb->object_to_string(poa->create_reference_with_id(id, ""))); }

  TestOrb server{Options{"-ORBListen", "inproc,tcp"}}, client;
  PoaRef poa = corbaloc_poa(server);
  const ObjectId id = string_to_ObjectId("Radio/left channel");
  ServantRef servant = CORBA::make_reference<Servant>();
};

TEST_F(CorbalocPoa, ServesACorbalocInEachVersionOfGiop) {
  for (const char* version : {"1.0", "1.1", "1.2"})
    EXPECT_EQ(client.at(url(version))->twice(4), 8) << version;
}

TEST_F(CorbalocPoa, LocatesAnObjectInEachVersionOfGiop) {
  const Octets other(5, 'x');
  for (const std::uint8_t version : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    for (const Octets& key : {Octets(id.begin(), id.end()), other}) {
      Message locate(MessageType::locate_request, Order::little, version);
      locate.ulong(7);
      if (version == 2) locate.ushort(0).ushort(0);
      RawPeer raw = RawPeer::to(there().port);
      raw.sends(locate.octets(key).bytes());
      const auto answer = raw.receives();
      ASSERT_TRUE(answer && answer->size() >= 20) << int{version};
      const std::size_t low = orbweaver::giop::kThisMachineIsLittleEndian ? 16 : 19;
      EXPECT_EQ((*answer)[low], key == other ? 0 : 1) << "not UNKNOWN_OBJECT or OBJECT_HERE";
    }
  }
}

TEST_F(CorbalocPoa, WritesTheIdAsTheKeyOfReferences) {
  const auto reference = poa->id_to_reference(id);
  EXPECT_EQ(there().key, Octets(id.begin(), id.end()));
  EXPECT_EQ(poa->reference_to_id(reference), id);
  EXPECT_EQ(client.at(server.orb->object_to_string(reference))->twice(2), 4);
}

TEST_F(CorbalocPoa, RejectsOtherKeys) {
  for (const char* key : {"Radio", "Radio/left%20channe", "Radio/left%20channel%00", "%4f%57%01"})
    EXPECT_THROW(client.unchecked(url("1.2", key))->twice(1), CORBA::OBJECT_NOT_EXIST) << key;
  poa->deactivate_object(id);
  EXPECT_THROW(client.unchecked(url("1.2"))->twice(1), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(CorbalocPoa, RejectsIdsThatCouldBeKeysOfOtherAdapters) {
  for (const ObjectId& bad : {ObjectId(), ObjectId{'O', 'W', 1}, ObjectId{'O', 'W', 31, 'x'}}) {
    EXPECT_THAT(
        raised_by<CORBA::BAD_PARAM>(
            [&] { poa->activate_object_with_id(bad, CORBA::make_reference<Servant>()); }, minor::kOmg + 14),
        HasSubstr("object key"));
  }
  const ObjectId owl = string_to_ObjectId("OWL");
  poa->activate_object_with_id(owl, CORBA::make_reference<Servant>());
  EXPECT_EQ(client.at(url("1.2", "OWL"))->twice(1), 2);
}

TEST_F(CorbalocPoa, ReportsAReferenceOfAnotherAdapter) {
  EXPECT_THROW(poa->reference_to_id(server.root->servant_to_reference(CORBA::make_reference<Servant>())),
               PortableServer::POA::WrongAdapter);
}

TEST(CorbalocPoaOfAProgram, IsAnOrdinaryPoa) {
  TestOrb server;
  const PoaRef own = make_persistent_poa(server.root, "CorbalocPOA");
  const auto servant = CORBA::make_reference<Servant>();
  own->activate_object_with_id({'k'}, servant);
  EXPECT_NE(where(server.reference(own, servant)).key, Octets{'k'});
  EXPECT_THROW(corbaloc_poa(server), PortableServer::POA::AdapterAlreadyExists);
}

}  // namespace
}  // namespace orbtest
