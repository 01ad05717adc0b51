// Objects of a client are called over the connection that the client has opened (CORBA 3.3 part 2, 9.8).
#include <gmock/gmock.h>

#include "giop/ior.h"
#include "node.h"
#include "orb/minor_codes.h"

namespace bidirtest {
namespace {

using orbtest::raised_by;
using ::testing::HasSubstr;
namespace giop = orbweaver::giop;
namespace minor = orbweaver::minor;
using orbweaver::Reference;

class Callbacks : public ::testing::Test {
 protected:
  void TearDown() override {
    client.end();
    server.end();
  }
  NodeOrb server{accepting(), BiDirPolicy::NORMAL};
  NodeOrb client{listening_nowhere(), BiDirPolicy::BOTH};
  NodeRef to_server = client.offering(server.stringified());
};

TEST_F(Callbacks, ReachAClientThatListensNowhere) {
  to_server->attach(client.reference());
  EXPECT_EQ(to_server->twice_there(21), 42);
  EXPECT_EQ(server.node->twice_there(4), 8) << "outside of an upcall";
}

TEST_F(Callbacks, ReachAReferenceInAnAny) {
  CORBA::Any any;
  any <<= client.reference();
  to_server->attach_any(any);
  EXPECT_EQ(server.node->twice_there(4), 8);
}

TEST_F(Callbacks, MayCallTheServerAgain) {
  EXPECT_EQ(to_server->descend(client.reference(), 1), 1);
  EXPECT_EQ(to_server->descend(client.reference(), 2), 2);
  EXPECT_EQ(to_server->descend(client.reference(), 15), 15);
}

TEST_F(Callbacks, KeepTheOrderOfOneWayCalls) {
  to_server->attach(client.reference());
  BidirTest::Numbers sent;
  for (std::int32_t n = 0; n < 1000; ++n) {
    server.node->note_there(n);
    sent.push_back(n);
  }
  EXPECT_EQ(server.node->twice_there(1), 2);
  EXPECT_EQ(client.node->notes(), sent);
}

TEST(UnixCallbacks, ReachAClientThatListensNowhere) {
  NodeOrb server(accepting("received", {"-ORBListen", "unix", "-ORBTransportPreference", "unix,tcp"}),
                 BiDirPolicy::NORMAL);
  NodeOrb client(listening_nowhere({"-ORBTransportPreference", "unix"}), BiDirPolicy::BOTH);
  client.offering(server.stringified())->attach(client.reference());
  EXPECT_EQ(server.node->twice_there(4), 8);
}

// A server could call the objects of POAs that do not permit it: it can guess their keys, or know them.
TEST_F(Callbacks, RaiseNoPermissionForAnObjectOfAnotherPoa) {
  const auto hidden = CORBA::make_reference<Node>();
  const PoaRef poa = orbtest::make_poa(client.broker.root, "hidden");
  poa->activate_object(hidden);
  to_server->attach(client.reference());
  ASSERT_EQ(server.node->twice_there(1), 2);
  giop::Ior ior = server.node->attached()->_reference()->ior();
  auto profile = giop::decode_iiop_profile(ior.profiles.at(0).data);
  ASSERT_TRUE(profile);
  profile->object_key =
      orbtest::where(client.broker.orb->object_to_string(poa->servant_to_reference(hidden))).key;
  ior.profiles.at(0).data = giop::encode_iiop_profile(*profile);
  const Reference& handed_over = *server.node->attached()->_reference();
  auto* const forged = new orbweaver::Reference(
      handed_over.shared_core(), ior, Reference::ConnectionSharing::shared, {}, handed_over.offering_peer());
  const NodeRef to_hidden = NodeRef::adopt(BidirTest::Node::_make(forged));
  forged->_remove_ref();
  EXPECT_THAT(raised_by<CORBA::NO_PERMISSION>([&] { to_hidden->twice(1); }, minor::kNotBidirectional),
              HasSubstr("BidirectionalPolicy"));
  EXPECT_EQ(server.node->twice_there(1), 2) << "the connection is still usable";
}

}  // namespace
}  // namespace bidirtest
