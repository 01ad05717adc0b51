// Calls of this machine to another one, and of that one to this: `foreign_calls SERVER KIND TRANSPORTS
// EXPECTED`. SERVER: the program foreign-server of the other machine; KIND: what it is, "32-bit big-endian";
// TRANSPORTS: at which it listens besides TCP, and which this client prefers in this order, before TCP
// ("none": none); EXPECTED: the transport of all calls.
#include <gtest/gtest.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#include <orbweaver/value.h>

#include <memory>

#include "machine.h"
#include "server.h"

namespace foreign {
namespace {

std::string server_program, server_kind, transports, expected_transport;

class ForeignCalls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const bool more = transports != "none";
    std::vector<std::string> environment;
    if (more) environment.push_back("FOREIGN_TRANSPORTS=" + transports);
    server = std::make_unique<interop::Server>(server_program, environment);
    std::string listen = "tcp:127.0.0.1:0", preference = "tcp";
    if (more) listen += "," + transports, preference = transports + ",tcp";
    std::string words[] = {"foreign_calls", "-ORBListen", listen,         "-ORBTransportPreference",
                           preference,      "-ORBAllow",  "net:127.0.0.1"};
    std::vector<char*> arguments;
    for (std::string& each : words) arguments.push_back(each.data());
    int count = static_cast<int>(arguments.size());
    orb = CORBA::ORB_init(count, arguments.data());
    orbweaver::register_value_factory<Foreign::Node>();
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    there = IDL::traits<Foreign::Machine>::narrow(orb->string_to_object(server->ior()));
  }
  static void TearDownTestSuite() {
    there = nullptr;
    orb->destroy();
    orb = nullptr;
    server = nullptr;
  }

  static std::unique_ptr<interop::Server> server;
  static IDL::traits<CORBA::ORB>::ref_type orb;
  static MachineRef there;
};

std::unique_ptr<interop::Server> ForeignCalls::server;
IDL::traits<CORBA::ORB>::ref_type ForeignCalls::orb;
MachineRef ForeignCalls::there;

TEST_F(ForeignCalls, ReachTheOtherMachineOverTheExpectedTransport) {
  EXPECT_EQ(there->kind(), server_kind);
  EXPECT_EQ(there->transport(), expected_transport);
}

TEST_F(ForeignCalls, PassNumbersAtTheirLimits) { EXPECT_EQ(check_numbers(there), ""); }
TEST_F(ForeignCalls, PassUnionsAndNestedSequences) { EXPECT_EQ(check_constructed(there), ""); }
TEST_F(ForeignCalls, PassAnys) { EXPECT_EQ(check_anys(there), ""); }
TEST_F(ForeignCalls, PassValues) { EXPECT_EQ(check_values(there), ""); }
TEST_F(ForeignCalls, RaiseUserExceptions) { EXPECT_EQ(check_exceptions(there), ""); }
TEST_F(ForeignCalls, PassViews) { EXPECT_EQ(check_views(there), ""); }

TEST_F(ForeignCalls, KeepTheOrderOfOneWayCalls) {
  Foreign::Codes sent;
  for (std::uint64_t i = 0; i < 500; ++i) {
    sent.push_back(i << 32);
    there->note(sent.back());
  }
  EXPECT_EQ(there->notes(), sent);
}

TEST_F(ForeignCalls, AreMadeByTheOtherMachineToThisOne) {
  const auto here = CORBA::make_reference<Machine>();
  EXPECT_EQ(there->check(here->_this()), "");
}

}  // namespace
}  // namespace foreign

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 5) {
    std::fprintf(stderr, "foreign_calls SERVER KIND TRANSPORTS EXPECTED\n");
    return 2;
  }
  foreign::server_program = argv[1];
  foreign::server_kind = argv[2];
  foreign::transports = argv[3];
  foreign::expected_transport = argv[4];
  return RUN_ALL_TESTS();
}
