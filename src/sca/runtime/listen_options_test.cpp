#include "sca/runtime/listen_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include "CFS.h"
#include "giop/ior.h"
#include "platform/testing/reserved_port.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// An object of an ORB with these endpoints.
class Server {
 public:
  explicit Server(std::string endpoints) {
    std::string program = "test", option = "-ORBListen";
    char* argv[] = {program.data(), option.data(), endpoints.data(), nullptr};
    int argc = 3;
    orb_ = CORBA::ORB_init(argc, argv);
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    ior_ = orb_->object_to_string(poa->create_reference("IDL:omg.org/CosNaming/NamingContext:1.0"));
  }
  ~Server() { orb_->destroy(); }
  const std::string& ior() const { return ior_; }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::string ior_;
};

TEST(ListenOptions, AddTcpIfTheNamingContextIsReachableByIt) {
  const Server server("inproc,shm,unix,tcp:127.0.0.1:0");
  EXPECT_THAT(listen_options({"NAME_BINDING", "gain", "NAMING_CONTEXT_IOR", server.ior()}),
              ElementsAre("-ORBListen", "inproc,shm,unix,tcp:127.0.0.1:0"));
}

TEST(ListenOptions, AddTcpIfTheComponentRegistryIsReachableByIt) {
  const Server server("inproc,shm,unix,tcp:127.0.0.1:0");
  EXPECT_THAT(listen_options({"COMPONENT_IDENTIFIER", "gain", "COMPONENT_REGISTRY_IOR", server.ior()}),
              ElementsAre("-ORBListen", "inproc,shm,unix,tcp:127.0.0.1:0"));
}

TEST(ListenOptions, ConnectToNoNamingContextOnThisMachine) {
  std::string ended;
  {
    const Server server("inproc,shm,unix,tcp:127.0.0.1:0");
    ended = server.ior();
  }
  EXPECT_THAT(listen_options({"NAMING_CONTEXT_IOR", ended}),
              ElementsAre("-ORBListen", "inproc,shm,unix,tcp:127.0.0.1:0"));
}

TEST(ListenOptions, AddTheAddressAtWhichTheNamingContextListens) {
  const Server server("inproc,shm,unix,tcp:127.0.0.1:0");
  auto ior = giop::parse_ior(server.ior());
  ASSERT_TRUE(ior);
  for (giop::TaggedData& tagged : ior->profiles) {
    if (tagged.tag != giop::profile_tag::kIiop) continue;
    auto profile = giop::decode_iiop_profile(tagged.data);
    ASSERT_TRUE(profile);
    profile->host.clear();  // all loopback addresses: ::1, where nothing listens, is the first
    tagged.data = giop::encode_iiop_profile(*profile);
  }
  EXPECT_THAT(listen_options({"NAMING_CONTEXT_IOR", giop::stringify(*ior)}),
              ElementsAre("-ORBListen", "inproc,shm,unix,tcp:127.0.0.1:0"));
}

TEST(ListenOptions, AreEmptyForANamingContextOfLocalTransports) {
  const Server server("inproc,shm,unix");
  EXPECT_THAT(listen_options({"NAMING_CONTEXT_IOR", server.ior()}), IsEmpty());
}

TEST(ListenOptions, LeaveTheEndpointsOfTheCommandLine) {
  const Server server("tcp:127.0.0.1:0");
  EXPECT_THAT(listen_options({"-ORBListen", "shm", "NAMING_CONTEXT_IOR", server.ior()}), IsEmpty());
}

TEST(ListenOptions, AreEmptyIfNothingListensThere) {
  std::string ended;
  {
    const Server server("tcp:127.0.0.1:0");
    ended = server.ior();
  }
  EXPECT_THAT(listen_options({"NAMING_CONTEXT_IOR", ended}), IsEmpty());
  const std::string port = platform::testing::reserve_port();
  EXPECT_THAT(listen_options({"NAMING_CONTEXT_IOR", "corbaloc::127.0.0.1:" + port + "/NameService"}),
              IsEmpty());
  EXPECT_THAT(listen_options({"NAMING_CONTEXT_IOR", "IOR:00"}), IsEmpty());
  EXPECT_THAT(listen_options({"NAMING_CONTEXT_IOR"}), IsEmpty());
  EXPECT_THAT(listen_options({}), IsEmpty());
}

}  // namespace
}  // namespace orbweaver::sca
