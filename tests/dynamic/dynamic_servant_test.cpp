// PortableServer::DynamicImplementation: stubs and dynamic calls of servants without a skeleton.
#include <gmock/gmock.h>
#include <orbweaver/context.h>
#include <orbweaver/dynamic_servant.h>
#include <orbweaver/typecode_members.h>

#include "bridge/bridge.h"
#include "testing/anys.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using CORBA::Any;
using CORBA::ARG_IN;
using CORBA::ARG_INOUT;
using CORBA::ARG_OUT;
using CORBA::ServerRequest;
using ServerRequestRef = IDL::traits<ServerRequest>::ref_type;
using ::testing::HasSubstr;

constexpr const char* kCalls = "IDL:OrbTest/Calls:1.0";

/// Signatures of operations of OrbTest::Calls.
const Signature* find_signature(const std::string& operation) {
  using namespace CORBA;
  static const std::map<std::string, Signature> all = {
      {"twice", {_tc_long, {{"n", ARG_IN, _tc_long}}}},
      {"_get_value", {_tc_long}},
      {"_set_value", {_tc_void, {{"value", ARG_IN, _tc_long}}}},
      {"greet", {_tc_string, {{"who", ARG_IN, _tc_string}}, {OrbTest::_tc_Refused}}},
      {"turn",
       {OrbTest::_tc_Record,
        {{"data", ARG_IN, OrbTest::_tc_Record},
         {"counter", ARG_INOUT, _tc_long},
         {"note", ARG_OUT, _tc_string}}}},
      {"sum", {_tc_double, {{"samples", ARG_IN, OrbTest::_tc_Doubles}}}},
      {"echo", {OrbTest::_tc_Octets, {{"data", ARG_IN, OrbTest::_tc_Octets}}}},
      {"same", {OrbTest::_tc_Watcher, {{"who", ARG_IN, OrbTest::_tc_Watcher}}}},
      {"raise_system", {_tc_void, {{"minor", ARG_IN, _tc_ulong}, {"text", ARG_IN, _tc_string}}}},
      {"raise_undeclared", {_tc_void}},
      {"note", {_tc_void, {{"n", ARG_IN, _tc_long}}, {}, true}},
  };
  const auto found = all.find(operation);
  return found == all.end() ? nullptr : &found->second;
}

/// A server, a bridge to it, and a client, each with an ORB of its own.
struct Bridges : testing::TestWithParam<const char*> {
  TestOrb server{{"-ORBListen", "inproc,shm"}};
  TestOrb between{{"-ORBListen", GetParam()}};
  TestOrb client{{"-ORBListen", "inproc"}};
  CORBA::servant_reference<Servant> servant = CORBA::make_reference<Servant>();
  CORBA::servant_reference<Bridge> bridge = CORBA::make_reference<Bridge>(
      between.orb->string_to_object(server.serve(servant)), kCalls, find_signature);
  std::string reference = between.orb->object_to_string(between.root->servant_to_reference(bridge));
  CallsRef calls = client.at(reference);
};

TEST_P(Bridges, ForwardArgumentsAndResults) {
  EXPECT_EQ(calls->twice(21), 42);
  calls->value(31);
  EXPECT_EQ(calls->value(), 31);
  EXPECT_EQ(servant->value(), 31);
  std::int32_t counter = 40;
  std::string note;
  const OrbTest::Record turned = calls->turn({"r", 7, {{1, 2}, {3, 4}}, {0.5, 1.5}}, counter, note);
  EXPECT_EQ(turned.path()[0].x(), 3);
  EXPECT_EQ(counter, 42);
  EXPECT_EQ(note, "r turned");
  const std::vector<double> samples(1000, 0.25);
  EXPECT_EQ(calls->sum(samples), 250);
  const OrbTest::Octets large(300'000, 0x5a);
  EXPECT_EQ(calls->echo(large), large);
  EXPECT_EQ(calls->same(calls)->twice(4), 8);
}

TEST_P(Bridges, ForwardExceptions) {
  try {
    calls->greet("");
    FAIL() << "nothing was raised";
  } catch (const OrbTest::Refused& e) {
    EXPECT_EQ(e.why(), "empty name");
    EXPECT_EQ(e.code(), 7);
  }
  EXPECT_THAT(raised_by<CORBA::BAD_PARAM>([&] { calls->raise_system(77, "why"); }, 77), HasSubstr("why"));
  EXPECT_THROW(calls->raise_undeclared(), CORBA::UNKNOWN);
  EXPECT_THROW(calls->process(), CORBA::BAD_OPERATION) << "no signature";
  EXPECT_EQ(calls->greet("you"), "Hello, you!");
}

TEST_P(Bridges, ForwardOneWayCalls) {
  calls->note(1);
  calls->note(2);
  EXPECT_TRUE(becomes_true([&] { return servant->notes() == OrbTest::Numbers{1, 2}; }));
}

TEST_P(Bridges, HaveTheInterfacesOfTheirTargets) {
  EXPECT_EQ(calls->_repository_id(), kCalls);
  EXPECT_TRUE(calls->_is_a("IDL:OrbTest/Watcher:1.0"));
  EXPECT_FALSE(calls->_is_a("IDL:OrbTest/Other:1.0"));
  EXPECT_FALSE(calls->_non_existent());
  const auto ask = orbweaver::create_request(calls, "_repository_id");
  ask->set_return_type(CORBA::_tc_string);
  ask->invoke();
  std::string id;
  EXPECT_TRUE(ask->return_value() >>= id);
  EXPECT_EQ(id, kCalls);
  EXPECT_EQ(calls->_get_component(), nullptr);
  EXPECT_THROW(calls->_get_interface(), CORBA::INTF_REPOS);
}

// A stub cannot call the servant as a function.
TEST_P(Bridges, AreCalledByStubsOfTheirOwnOrb) {
  const CallsRef own = between.at(reference);
  EXPECT_EQ(own->twice(4), 8);
  EXPECT_TRUE(own->_is_a("IDL:OrbTest/Watcher:1.0"));
  EXPECT_THROW(own->greet(""), OrbTest::Refused);
}

INSTANTIATE_TEST_SUITE_P(Transports, Bridges, testing::Values("inproc,shm", "inproc,tcp"),
                         [](const auto& each) {
                           return std::string(each.param).substr(std::string(each.param).find(',') + 1);
                         });

/// Executes requests by a function, and keeps the request.
class DynamicServant final : public PortableServer::DynamicImplementation {
 public:
  std::function<void(const ServerRequestRef&)> on_invoke;
  ServerRequestRef last;

  void invoke(const ServerRequestRef& request) override {
    last = request;
    on_invoke(request);
  }
  std::string _primary_interface(const PortableServer::ObjectId& oid, const PoaRef& poa) override {
    return "IDL:" + poa->the_name() + "/" + PortableServer::ObjectId_to_string(oid) + ":1.0";
  }
};

CORBA::object_reference<CORBA::NVList> parameters() { return CORBA::make_reference<CORBA::NVList>(); }

struct DynamicServants : testing::Test {
  TestOrb server{{"-ORBListen", "inproc,tcp"}};
  TestOrb client{{"-ORBListen", "inproc"}};
  CORBA::servant_reference<DynamicServant> servant = CORBA::make_reference<DynamicServant>();
  ObjectRef object =
      client.orb->string_to_object(server.orb->object_to_string(server.root->servant_to_reference(servant)));

  IDL::traits<CORBA::Request>::ref_type request() { return orbweaver::create_request(object, "work"); }
  /// The minor code of the exception that `call` raises within the servant's invoke; 0: none.
  template <class Exception>
  std::uint32_t minor_of(std::function<void()> call) {
    try {
      call();
    } catch (const Exception& e) {
      return e.minor();
    }
    return 0;
  }
};

TEST_F(DynamicServants, CallTheFunctionsOfARequestInOrder) {
  constexpr std::uint32_t kOmg = 0x4f4d0000;
  servant->on_invoke = [&](const ServerRequestRef& r) {
    EXPECT_EQ(r->operation(), "work");
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { r->ctx(); }), kOmg + 8);
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { r->set_result({}); }), kOmg + 9);
    EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { r->arguments(nullptr); }), 0x4f570040u);
    r->arguments(parameters());
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { r->arguments(parameters()); }), kOmg + 7);
    EXPECT_EQ(r->ctx(), nullptr);
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { r->ctx(); }), kOmg + 8);
    r->set_result(any_of(std::int32_t{3}));
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { r->set_result({}); }), kOmg + 9);
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { r->ctx(); }), kOmg + 8);
    EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { r->set_exception(any_of(1.5)); }), kOmg + 21);
  };
  const auto call = request();
  call->set_return_type(CORBA::_tc_long);
  call->invoke();
  std::int32_t three = 0;
  EXPECT_TRUE(call->return_value() >>= three);
  EXPECT_EQ(three, 3);
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { servant->last->set_result({}); }), 0x4f5700e6u);
  EXPECT_EQ(servant->last->operation(), "work");
}

TEST_F(DynamicServants, CallNothingButSetExceptionAfterIt) {
  servant->on_invoke = [&](const ServerRequestRef& r) {
    r->set_exception(any_of(OrbTest::Refused("first", 1)));
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { r->arguments(parameters()); }), 0x4f4d0007u);
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { r->set_result({}); }), 0x4f4d0009u);
    r->set_exception(any_of(OrbTest::Refused("second", 2)));
  };
  const auto call = request();
  call->exceptions()->add(OrbTest::_tc_Refused);
  try {
    call->invoke();
    FAIL() << "nothing was raised";
  } catch (const CORBA::UnknownUserException& e) {
    OrbTest::Refused refused;
    ASSERT_TRUE(e.exception() >>= refused);
    EXPECT_EQ(refused.why(), "second");
  }
}

TEST_F(DynamicServants, RaiseSystemExceptionsOfAnys) {
  const auto completion =
      server.orb->create_enum_tc("IDL:omg.org/CORBA/completion_status:1.0", "completion_status",
                                 {"COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"});
  const auto type = server.orb->create_exception_tc(
      "IDL:omg.org/CORBA/NO_PERMISSION:1.0", "NO_PERMISSION",
      {CORBA::StructMember("minor", CORBA::_tc_ulong), CORBA::StructMember("completed", completion)});
  servant->on_invoke = [&](const ServerRequestRef& r) {
    std::vector<std::uint8_t> bytes;
    orbweaver::cdr::Encoder out(bytes);
    out.put_string("IDL:omg.org/CORBA/NO_PERMISSION:1.0");
    out.put(std::uint32_t{17});
    out.put(std::uint32_t{0});
    out.finish();
    Any exception;
    orbweaver::any::Access::put(exception, *type, out, std::move(bytes));
    r->set_exception(exception);
  };
  try {
    request()->invoke();
    FAIL() << "nothing was raised";
  } catch (const CORBA::NO_PERMISSION& e) {
    EXPECT_EQ(e.minor(), 17u);
    EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_YES);
  }
}

TEST_F(DynamicServants, RaiseWhatInvokeThrows) {
  servant->on_invoke = [](const ServerRequestRef&) { throw CORBA::NO_RESOURCES(5); };
  EXPECT_THROW(request()->invoke(), CORBA::NO_RESOURCES);
  servant->on_invoke = [](const ServerRequestRef&) { throw OrbTest::Refused("not declared", 1); };
  EXPECT_THROW(request()->invoke(), CORBA::UNKNOWN);
  servant->on_invoke = [](const ServerRequestRef&) { throw std::runtime_error("error"); };
  EXPECT_THROW(request()->invoke(), CORBA::UNKNOWN);
}

TEST_F(DynamicServants, ReplyWithErrorsOfTheServant) {
  servant->on_invoke = [](const ServerRequestRef&) {};
  raised_by<CORBA::BAD_INV_ORDER>([&] { request()->invoke(); }, 0x4f5700e7);
  EXPECT_THAT(raised_by<CORBA::BAD_INV_ORDER>([&] { request()->invoke(); }, 0x4f5700e7), HasSubstr("work"));
  servant->on_invoke = [](const ServerRequestRef& r) {
    const auto list = parameters();
    list->add_item("out", ARG_OUT)->type(CORBA::_tc_long);
    r->arguments(list);
  };
  EXPECT_THAT(raised_by<CORBA::BAD_TYPECODE>([&] { request()->invoke(); }, 0x4f5700e0), HasSubstr("'out'"));
  servant->on_invoke = [](const ServerRequestRef& r) {
    const auto list = parameters();
    list->add_item("in", ARG_IN);
    r->arguments(list);
  };
  EXPECT_THAT(raised_by<CORBA::BAD_TYPECODE>([&] { request()->invoke(); }, 0x4f5700e0), HasSubstr("'in'"));
}

TEST_F(DynamicServants, RejectRequestsWithOtherArguments) {
  servant->on_invoke = [](const ServerRequestRef& r) {
    const auto list = parameters();
    list->add_item("text", ARG_IN)->type(CORBA::_tc_string);
    r->arguments(list);
    ADD_FAILURE() << "the arguments were decoded";
  };
  EXPECT_THROW(request()->invoke(), CORBA::MARSHAL) << "without arguments";
  const auto call = request();
  call->add_in_arg() <<= std::int32_t{1 << 30};
  EXPECT_THROW(call->invoke(), CORBA::MARSHAL) << "a length beyond the message";
}

TEST_F(DynamicServants, ReceiveContexts) {
  CORBA::Context::Values found;
  servant->on_invoke = [&](const ServerRequestRef& r) {
    const auto list = parameters();
    list->add_item("n", ARG_IN)->type(CORBA::_tc_octet);
    r->arguments(list);
    const auto context = r->ctx();
    ASSERT_NE(context, nullptr);
    found = context->get_values("", 0, "*");
  };
  const auto context = CORBA::make_reference<CORBA::Context>();
  context->set_values({{"user", "ada"}, {"sys.host", "radio"}, {"other", "x"}});
  const auto call = request();
  call->add_in_arg() <<= std::uint8_t{1};
  call->contexts()->add("user");
  call->contexts()->add("sys.*");
  call->ctx(context);
  call->invoke();
  EXPECT_EQ(found, (CORBA::Context::Values{{"user", "ada"}, {"sys.host", "radio"}}));
}

TEST_F(DynamicServants, ServeObjectsOfSeveralInterfacesAsDefaultServants) {
  const PoaRef poa = make_poa(
      server.root, "Many",
      {server.root->create_request_processing_policy(
           PortableServer::RequestProcessingPolicyValue::USE_DEFAULT_SERVANT),
       server.root->create_servant_retention_policy(PortableServer::ServantRetentionPolicyValue::NON_RETAIN),
       server.root->create_id_uniqueness_policy(PortableServer::IdUniquenessPolicyValue::MULTIPLE_ID),
       server.root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  poa->set_servant(servant);
  servant->on_invoke = [&](const ServerRequestRef& r) {
    r->arguments(parameters());
    r->set_result(any_of(servant->_this()->_repository_id()));
  };
  for (const char* name : {"First", "Second"}) {
    const std::string id = "IDL:Many/" + std::string(name) + ":1.0";
    const ObjectRef own = poa->create_reference_with_id(PortableServer::string_to_ObjectId(name), "");
    const ObjectRef made = client.orb->string_to_object(server.orb->object_to_string(own));
    EXPECT_TRUE(made->_is_a(id));
    EXPECT_TRUE(own->_is_a(id)) << "within the process";
    EXPECT_TRUE(made->_is_a("IDL:omg.org/CORBA/Object:1.0"));
    EXPECT_FALSE(made->_is_a("IDL:Many/Third:1.0"));
    const auto call = orbweaver::create_request(made, "which");
    call->set_return_type(CORBA::_tc_string);
    call->invoke();
    std::string found;
    EXPECT_TRUE(call->return_value() >>= found);
    EXPECT_EQ(found, id) << "the reference that _this returns";
  }
}

TEST_F(DynamicServants, HaveReferencesOfTheirPrimaryInterface) {
  const auto id = server.root->servant_to_id(servant);
  const std::string expected = "IDL:RootPOA/" + PortableServer::ObjectId_to_string(id) + ":1.0";
  EXPECT_EQ(server.root->id_to_reference(id)->_repository_id(), expected);
  EXPECT_EQ(object->_repository_id(), expected);
}

}  // namespace
}  // namespace orbtest
