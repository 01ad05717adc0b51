// CORBA::Request and its lists: calls of the test servant without its stub.
#include <gmock/gmock.h>
#include <orbweaver/dynamic.h>
#include <orbweaver/messaging.h>
#include <orbweaver/policy.h>

#include "anysC.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using CORBA::Any;
using CORBA::Request;
using RequestRef = IDL::traits<Request>::ref_type;

template <class T>
T extracted(const Any& any) {
  T value{};
  EXPECT_TRUE(any >>= value) << any;
  return value;
}

template <class Call>
std::uint32_t minor_of_bad_inv_order(Call&& call) {
  try {
    call();
  } catch (const CORBA::BAD_INV_ORDER& e) {
    return e.minor() - 0x4f4d0000;
  }
  return 0;
}

/// A server and a client, each with an ORB of its own.
struct DynamicCalls : testing::TestWithParam<const char*> {
  TestOrb server{{"-ORBListen", GetParam()}};
  TestOrb client{{"-ORBListen", "inproc"}};
  CORBA::servant_reference<Servant> servant = CORBA::make_reference<Servant>();
  ObjectRef object = client.orb->string_to_object(server.serve(servant));

  RequestRef request(const std::string& operation) { return orbweaver::create_request(object, operation); }
  RequestRef request_of_greet(const std::string& who) {
    RequestRef made = request("greet");
    made->add_in_arg("who") <<= who;
    made->set_return_type(CORBA::_tc_string);
    made->exceptions()->add(OrbTest::_tc_Refused);
    return made;
  }
};

TEST_P(DynamicCalls, ReturnsTheResult) {
  const RequestRef call = request_of_greet("world");
  call->invoke();
  EXPECT_EQ(extracted<std::string>(call->return_value()), "Hello, world!");
  EXPECT_EQ(call->operation(), "greet");
  EXPECT_TRUE(call->target()->_is_equivalent(object));
}

TEST_P(DynamicCalls, PassesArgumentsInEachDirection) {
  OrbTest::Record data("r", 7, {{1, 2}, {3, 4}}, {0.5, 1.5});
  const RequestRef call = request("turn");
  call->add_in_arg("data") <<= data;
  call->add_inout_arg("counter") <<= std::int32_t{40};
  call->add_out_arg("note", CORBA::_tc_string);
  call->set_return_type(OrbTest::_tc_Record);
  call->invoke();
  EXPECT_EQ(extracted<OrbTest::Record>(call->return_value()).path()[0].x(), 3);
  EXPECT_EQ(extracted<std::int32_t>(call->arguments()->item(1)->value()), 42);
  EXPECT_EQ(extracted<std::string>(call->arguments()->item(2)->value()), "r turned");
}

TEST_P(DynamicCalls, PassesLargeArguments) {
  const OrbTest::Octets data(300'000, 0x5a);
  const RequestRef call = request("echo");
  call->add_in_arg() <<= data;
  call->set_return_type(OrbTest::_tc_Octets);
  call->invoke();
  EXPECT_EQ(extracted<OrbTest::Octets>(call->return_value()), data);
}

TEST_P(DynamicCalls, PassesReferences) {
  const RequestRef call = request("same");
  call->add_in_arg("who") <<= object;
  call->set_return_type(OrbTest::_tc_Watcher);
  call->invoke();
  const auto same = extracted<IDL::traits<OrbTest::Watcher>::ref_type>(call->return_value());
  EXPECT_EQ(same->twice(4), 8);
}

TEST_P(DynamicCalls, ReadsAndSetsAttributes) {
  const RequestRef set = request("_set_value");
  set->add_in_arg() <<= std::int32_t{31};
  set->invoke();
  const RequestRef get = request("_get_value");
  get->add_out_arg();  // an argument without a type, which is removed again
  get->arguments()->remove(0);
  get->set_return_type(CORBA::_tc_long);
  get->invoke();
  EXPECT_EQ(extracted<std::int32_t>(get->return_value()), 31);
}

TEST_P(DynamicCalls, RaisesDeclaredExceptionsWithTheirMembers) {
  const RequestRef call = request_of_greet("");
  call->return_value() <<= std::string("unchanged");
  try {
    call->invoke();
    FAIL() << "nothing was raised";
  } catch (const CORBA::UnknownUserException& e) {
    OrbTest::Refused refused;
    ASSERT_TRUE(e.exception() >>= refused);
    EXPECT_EQ(refused.why(), "empty name");
    EXPECT_EQ(refused.code(), 7);
    EXPECT_STREQ(e.what(), "CORBA::UnknownUserException (IDL:OrbTest/Refused:1.0)");
  }
  EXPECT_EQ(extracted<std::string>(call->return_value()), "unchanged");
}

TEST_P(DynamicCalls, RaisesUnknownForOtherExceptions) {
  const RequestRef call = request("greet");
  call->add_in_arg() <<= std::string();
  call->set_return_type(CORBA::_tc_string);
  EXPECT_THAT(raised_by<CORBA::UNKNOWN>([&] { call->invoke(); }, 0x4f4d0001),
              testing::HasSubstr("IDL:OrbTest/Refused:1.0"));
}

TEST_P(DynamicCalls, RaisesSystemExceptions) {
  const RequestRef call = request("raise_system");
  call->add_in_arg() <<= std::uint32_t{77};
  call->add_in_arg() <<= std::string("why");
  EXPECT_EQ(raised_by<CORBA::BAD_PARAM>([&] { call->invoke(); }, 77), "why");
  const RequestRef other = request("no_such_operation");
  EXPECT_THROW(other->invoke(), CORBA::BAD_OPERATION);
}

// Different operations are called by requests that follow each other at one address: none may be taken for
// another one.
TEST_P(DynamicCalls, CallsItsOwnOperationWheneverItIsMade) {
  for (std::int32_t i = 0; i < 40; ++i) {
    const RequestRef twice = request("twice");
    twice->add_in_arg() <<= i;
    twice->set_return_type(CORBA::_tc_long);
    twice->invoke();
    EXPECT_EQ(extracted<std::int32_t>(twice->return_value()), 2 * i);
    const RequestRef slow = request("slow");
    slow->add_in_arg() <<= std::int32_t{0};
    slow->add_in_arg() <<= i;
    slow->set_return_type(CORBA::_tc_long);
    slow->invoke();
    EXPECT_EQ(extracted<std::int32_t>(slow->return_value()), i);
  }
}

TEST_P(DynamicCalls, SendsOneWayCalls) {
  const RequestRef call = request("note");
  call->add_in_arg() <<= std::int32_t{5};
  call->send_oneway();
  EXPECT_TRUE(becomes_true([&] { return servant->notes() == OrbTest::Numbers{5}; }));
}

TEST_P(DynamicCalls, AreSentOnce) {
  const RequestRef call = request_of_greet("world");
  EXPECT_EQ(minor_of_bad_inv_order([&] { call->poll_response(); }), 11u);
  EXPECT_EQ(minor_of_bad_inv_order([&] { call->get_response(); }), 11u);
  call->invoke();
  EXPECT_EQ(minor_of_bad_inv_order([&] { call->invoke(); }), 10u);
  EXPECT_EQ(minor_of_bad_inv_order([&] { call->send_oneway(); }), 10u);
  EXPECT_EQ(minor_of_bad_inv_order([&] { call->send_deferred(); }), 10u);
  EXPECT_EQ(minor_of_bad_inv_order([&] { call->poll_response(); }), 13u);
}

TEST_P(DynamicCalls, ReturnDeferredResults) {
  const RequestRef call = request("wait_at_gate");
  call->add_in_arg() <<= std::int32_t{3};
  call->set_return_type(CORBA::_tc_long);
  call->send_deferred();
  ASSERT_TRUE(servant->gate.reached_by(1));
  EXPECT_FALSE(call->poll_response());
  servant->gate.open();
  EXPECT_TRUE(becomes_true([&] { return call->poll_response(); }));
  call->get_response();
  EXPECT_EQ(extracted<std::int32_t>(call->return_value()), 3);
  EXPECT_EQ(minor_of_bad_inv_order([&] { call->get_response(); }), 12u);
}

TEST_P(DynamicCalls, RaiseDeferredExceptionsWithTheResponse) {
  const RequestRef call = request_of_greet("");
  call->send_deferred();
  EXPECT_THROW(call->get_response(), CORBA::UnknownUserException);
}

TEST_P(DynamicCalls, CanBeDroppedWhileTheyAreDeferred) {
  request_of_greet("world")->send_deferred();
  const RequestRef call = request_of_greet("you");
  call->send_deferred();
  call->get_response();
  EXPECT_EQ(extracted<std::string>(call->return_value()), "Hello, you!");
}

TEST_P(DynamicCalls, HaveThePoliciesOfTheThread) {
  Any limit;
  limit <<= TimeBase::TimeT{1};
  const auto current =
      IDL::traits<CORBA::PolicyCurrent>::narrow(client.orb->resolve_initial_references("PolicyCurrent"));
  current->set_policy_overrides(
      {client.orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)},
      CORBA::SetOverrideType::SET_OVERRIDE);
  const RequestRef call = request("wait_at_gate");
  call->add_in_arg() <<= std::int32_t{1};
  call->set_return_type(CORBA::_tc_long);
  EXPECT_THROW(call->invoke(), CORBA::TIMEOUT);
  const RequestRef deferred = request("wait_at_gate");
  deferred->add_in_arg() <<= std::int32_t{1};
  deferred->set_return_type(CORBA::_tc_long);
  deferred->send_deferred();
  EXPECT_THROW(deferred->get_response(), CORBA::TIMEOUT);
  current->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
  servant->gate.open();
}

TEST_P(DynamicCalls, RejectArgumentsWithoutValuesAndTypes) {
  const RequestRef without_value = request("twice");
  without_value->add_in_arg("n");
  EXPECT_EQ(raised_by<CORBA::BAD_TYPECODE>([&] { without_value->invoke(); }, 0x4f5700e0),
            "argument 'n' of twice has no value");
  const RequestRef without_type = request("turn");
  without_type->add_out_arg("note");
  EXPECT_EQ(raised_by<CORBA::BAD_TYPECODE>([&] { without_type->invoke(); }, 0x4f5700e0),
            "argument 'note' of turn has no type");
}

// The servant's reply is shorter than the type that the request expects.
TEST_P(DynamicCalls, RaiseMarshalForResultsOfAnotherType) {
  const RequestRef call = request("_get_value");
  call->set_return_type(OrbTest::_tc_Record);
  EXPECT_THROW(call->invoke(), CORBA::MARSHAL);
}

TEST_P(DynamicCalls, CallObjectsOfTheirOwnOrb) {
  const ObjectRef own = server.orb->string_to_object(server.serve(CORBA::make_reference<Servant>()));
  const RequestRef call = orbweaver::create_request(own, "twice");
  call->add_in_arg() <<= std::int32_t{21};
  call->set_return_type(CORBA::_tc_long);
  call->invoke();
  EXPECT_EQ(extracted<std::int32_t>(call->return_value()), 42);
}

INSTANTIATE_TEST_SUITE_P(Transports, DynamicCalls, testing::Values("shm", "tcp"),
                         [](const auto& each) { return std::string(each.param); });

TEST(DynamicRequests, NeedARemoteTarget) {
  TestOrb broker{{"-ORBListen", "inproc"}};
  EXPECT_THROW(orbweaver::create_request(nullptr, "f"), CORBA::BAD_PARAM);
  EXPECT_THROW(orbweaver::create_request(broker.root, "f"), CORBA::BAD_INV_ORDER);
}

TEST(DynamicLists, HaveTheirElementsInOrder) {
  const auto list = CORBA::make_reference<CORBA::NVList>();
  list->add_item("a", CORBA::ARG_IN);
  Any five;
  five <<= std::int32_t{5};
  list->add_value("b", five, CORBA::ARG_INOUT);
  list->add(CORBA::ARG_OUT);
  ASSERT_EQ(list->count(), 3u);
  EXPECT_EQ(list->item(1)->name(), "b");
  EXPECT_EQ(list->item(1)->flags(), CORBA::ARG_INOUT);
  list->remove(0);
  EXPECT_EQ(list->item(0)->name(), "b");
  EXPECT_THROW(list->item(2), CORBA::Bounds);
  EXPECT_THROW(list->remove(2), CORBA::Bounds);
}

TEST(DynamicLists, TakeTypeCodesOfExceptionsOnly) {
  const auto list = CORBA::make_reference<CORBA::ExceptionList>();
  list->add(OrbTest::_tc_Refused);
  EXPECT_EQ(list->count(), 1u);
  EXPECT_THROW(list->add(CORBA::_tc_long), CORBA::BAD_TYPECODE);
  EXPECT_THROW(list->add(nullptr), CORBA::BAD_TYPECODE);
  EXPECT_THROW(list->item(1), CORBA::Bounds);
}

/// Requests of one server that are sent together.
struct RequestsTogether : testing::Test {
  TestOrb server{{"-ORBListen", "tcp"}};
  TestOrb client{{"-ORBListen", "inproc"}};
  CORBA::servant_reference<Servant> servant = CORBA::make_reference<Servant>();
  ObjectRef object = client.orb->string_to_object(server.serve(servant));

  RequestRef request(const std::string& operation, std::int32_t n) {
    const RequestRef made = orbweaver::create_request(object, operation);
    made->add_in_arg() <<= n;
    return made;
  }
  RequestRef request_of_twice(std::int32_t n) {
    const RequestRef made = request("twice", n);
    made->set_return_type(CORBA::_tc_long);
    return made;
  }
};

TEST_F(RequestsTogether, AreSentOneWayInOrder) {
  orbweaver::send_multiple_requests_oneway({request("note", 1), request("note", 2), request("note", 3)});
  EXPECT_TRUE(becomes_true([&] { return servant->notes() == OrbTest::Numbers{1, 2, 3}; }));
}

TEST_F(RequestsTogether, ReturnTheirResponsesAsTheyArrive) {
  EXPECT_FALSE(orbweaver::poll_next_response());
  EXPECT_EQ(minor_of_bad_inv_order([] { orbweaver::get_next_response(); }), 11u);
  const RequestRef waiting = orbweaver::create_request(
      orbweaver::with_private_connection(object), "wait_at_gate");  // so that it does not delay the others
  waiting->add_in_arg() <<= std::int32_t{9};
  waiting->set_return_type(CORBA::_tc_long);
  const RequestRef failing = orbweaver::create_request(object, "no_such_operation");
  orbweaver::send_multiple_requests_deferred({waiting, request_of_twice(1), request_of_twice(2), failing});
  std::vector<std::int32_t> results;
  int failed = 0;
  for (int i = 0; i < 3; ++i) {
    const RequestRef next = orbweaver::get_next_response();
    EXPECT_TRUE(next->poll_response());
    try {
      next->get_response();
      results.push_back(extracted<std::int32_t>(next->return_value()));
    } catch (const CORBA::BAD_OPERATION&) {
      ++failed;
      EXPECT_EQ(next, failing);
    }
  }
  EXPECT_THAT(results, testing::UnorderedElementsAre(2, 4));
  EXPECT_EQ(failed, 1);
  EXPECT_FALSE(orbweaver::poll_next_response());
  servant->gate.open();
  EXPECT_TRUE(becomes_true([] { return orbweaver::poll_next_response(); }));
  EXPECT_EQ(orbweaver::get_next_response(), waiting);
}

TEST_F(RequestsTogether, AreNotReturnedAgainAfterTheirResponseWasTaken) {
  const RequestRef first = request_of_twice(3), second = request_of_twice(4);
  orbweaver::send_multiple_requests_deferred({first, second});
  first->get_response();
  EXPECT_EQ(orbweaver::get_next_response(), second);
  EXPECT_EQ(minor_of_bad_inv_order([] { orbweaver::get_next_response(); }), 11u);
}

TEST_F(RequestsTogether, EndTheWaitOfThreadsForWhichNoneIsLeft) {
  const RequestRef waiting = request("wait_at_gate", 9);
  waiting->set_return_type(CORBA::_tc_long);
  orbweaver::send_multiple_requests_deferred({waiting});
  std::atomic<int> taken{0}, without{0};
  const auto take = [&] {
    try {
      if (orbweaver::get_next_response() == waiting) ++taken;
    } catch (const CORBA::BAD_INV_ORDER&) {
      ++without;
    }
  };
  std::thread first(take), second(take);
  ASSERT_TRUE(servant->gate.reached_by(1));
  servant->gate.open();
  first.join();
  second.join();
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(without, 1);
}

TEST_F(RequestsTogether, ShareTheListsOfTheirCreator) {
  const auto arguments = CORBA::make_reference<CORBA::NVList>();
  Any four;
  four <<= std::int32_t{4};
  arguments->add_value("n", four, CORBA::ARG_IN);
  const auto result = CORBA::make_reference<CORBA::NamedValue>("", Any(), CORBA::ARG_OUT, CORBA::_tc_long);
  const RequestRef call = orbweaver::create_request(object, nullptr, "twice", arguments, result);
  call->invoke();
  EXPECT_EQ(extracted<std::int32_t>(result->value()), 8);
}

}  // namespace
}  // namespace orbtest
