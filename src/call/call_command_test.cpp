// `orbweaver call` of operations with a context clause. Further calls: tests/call.
#include <gmock/gmock.h>
#include <orbweaver/dynamic_servant.h>
#include <orbweaver/orb.h>

#include <fstream>

#include "base/temporary_folder.h"
#include "call/call_command.h"

namespace orbweaver::call {
namespace {

using testing::HasSubstr;

/// Returns the properties of each request as text.
class Servant final : public PortableServer::DynamicImplementation {
  void invoke(const IDL::traits<CORBA::ServerRequest>::ref_type& request) override {
    request->arguments(CORBA::make_reference<CORBA::NVList>());
    std::string text;
    if (const auto context = request->ctx(); context != nullptr) {
      CORBA::Context::Values found;
      context->_find("*", false, found);
      for (const auto& [name, value] : found) text += name + "=" + value + ";";
    }
    CORBA::Any result;
    result <<= text;
    request->set_result(result);
  }
  std::string _primary_interface(const PortableServer::ObjectId&,
                                 const IDL::traits<PortableServer::POA>::ref_type&) override {
    return "IDL:T/Login:1.0";
  }
};

struct CallWithContext : testing::Test {
  CallWithContext() {
    int argc = 3;
    char words[3][20] = {"test", "-ORBListen", "inproc,tcp"};
    char* argv[] = {words[0], words[1], words[2], nullptr};
    orb = CORBA::ORB_init(argc, argv, "server of the test");
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    const auto servant = CORBA::make_reference<Servant>();
    options.target.reference = orb->object_to_string(poa->servant_to_reference(servant));
    options.idl.files = {(folder.path() / "who.idl").string()};
    std::ofstream(options.idl.files[0])
        << "module T { interface Login { string who() context (\"user\", \"sys.*\"); string plain(); }; };";
    options.operation = "who";
  }
  ~CallWithContext() override { orb->destroy(); }

  TemporaryFolder folder{"orbweaver-call-test"};
  IDL::traits<CORBA::ORB>::ref_type orb;
  CallOptions options;
};

TEST_F(CallWithContext, SendsThePropertiesOfTheClause) {
  options.context = {"user=ada", "sys.host=a=b", "other=x"};
  const CommandOutput output = call_operation(options);
  EXPECT_EQ(output.error, "");
  EXPECT_EQ(output.text, "\"sys.host=a=b;user=ada;\"\n");
}

TEST_F(CallWithContext, SendsAnEmptyContextWithoutProperties) {
  EXPECT_EQ(call_operation(options).text, "\"\"\n");
  options.operation = "plain";
  EXPECT_EQ(call_operation(options).text, "\"\"\n");
}

TEST_F(CallWithContext, RejectsOtherWords) {
  options.context = {"user"};
  EXPECT_THAT(call_operation(options).error, HasSubstr("NAME=VALUE"));
  options.context = {"1=x"};
  EXPECT_THAT(call_operation(options).error, HasSubstr("--context: "));
  options.context = {"user=x"};
  options.operation = "plain";
  EXPECT_THAT(call_operation(options).error, HasSubstr("plain has no context clause"));
  EXPECT_EQ(call_operation(options).status, 2);
}

TEST_F(CallWithContext, ListsTheClause) {
  EXPECT_THAT(list_operations(options).text, HasSubstr("string who() context (\"user\", \"sys.*\")"));
}

}  // namespace
}  // namespace orbweaver::call
