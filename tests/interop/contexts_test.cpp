// Service contexts to and from omniORB, whose interceptors are those of interop-omniorb-contexts.
#include <gmock/gmock.h>

#include <orbweaver/interceptors.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include "orbweaver_workshop.h"
#include "server.h"

namespace interop {
namespace {

namespace pi = PortableInterceptor;
constexpr IOP::ServiceId kFirst = 0x4f570010, kSecond = 0x4f570011;
using Octets = std::vector<std::uint8_t>;

class ClientInterceptor final : public virtual pi::ClientRequestInterceptor {
 public:
  Octets sent, received;
  std::string name() override { return "client"; }
  void destroy() override {}
  void send_request(InfoRef ri) override {
    ri->add_request_service_context(IOP::ServiceContext(kFirst, sent), false);
  }
  void send_poll(InfoRef) override {}
  void receive_reply(InfoRef ri) override {
    received = ri->get_reply_service_context(kSecond).context_data();
  }
  void receive_exception(InfoRef) override {}
  void receive_other(InfoRef) override {}
};

class ServerInterceptor final : public virtual pi::ServerRequestInterceptor {
 public:
  Octets sent, received;
  std::string name() override { return "server"; }
  void destroy() override {}
  void receive_request_service_contexts(InfoRef ri) override {
    received = ri->get_request_service_context(kFirst).context_data();
  }
  void receive_request(InfoRef) override {}
  void send_reply(InfoRef ri) override {
    ri->add_reply_service_context(IOP::ServiceContext(kSecond, sent), false);
  }
  void send_exception(InfoRef) override {}
  void send_other(InfoRef) override {}
};

const auto client = CORBA::make_reference<ClientInterceptor>();
const auto server = CORBA::make_reference<ServerInterceptor>();

class Initializer final : public virtual pi::ORBInitializer {
 public:
  void pre_init(InfoRef info) override {
    info->add_client_request_interceptor(client);
    info->add_server_request_interceptor(server);
  }
  void post_init(InfoRef) override {}
};

TEST(OmniOrbContexts, ArriveInBothDirections) {
  pi::register_orb_initializer(CORBA::make_reference<Initializer>());
  Server peer(sibling_program("interop-omniorb-contexts"));
  int count = 3;
  std::string program = "contexts", option = "-ORBListen", value = "tcp:127.0.0.1:0";
  char* arguments[] = {program.data(), option.data(), value.data(), nullptr};
  const auto orb = CORBA::ORB_init(count, arguments);
  const auto workshop = IDL::traits<Interop::Workshop>::narrow(orb->string_to_object(peer.ior()));

  client->sent = {1, 2, 3, 4, 5};
  EXPECT_EQ(workshop->name(), "peer");
  EXPECT_EQ(client->received, (Octets{5, 4, 3, 2, 1}));
  client->sent = {};
  EXPECT_EQ(workshop->echo_doubles({0.5}), (Interop::Doubles{0.5}));  // results that are aligned to 8
  EXPECT_EQ(client->received, Octets{});

  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<OrbweaverWorkshop>("ours");
  const auto ours = servant->_this();
  server->sent = {7, 8};
  EXPECT_EQ(workshop->name_of(ours), "ours");
  EXPECT_EQ(server->received, Octets{9});
  EXPECT_EQ(workshop->name_of(ours), "ours");
  EXPECT_EQ(server->received, (Octets{7, 8}));
  orb->destroy();
}

}  // namespace
}  // namespace interop
