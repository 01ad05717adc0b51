// What one attempt of a call must not change for another: over scripted channels.
#include <gmock/gmock.h>
#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <thread>

#include "giop/request.h"
#include "testing/scripted_servers.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
using orbweaver::Result;
using orbweaver::transport::Channel;
using ::testing::SizeIs;

std::string operation_of(const Octets& message) {
  const auto header = giop::parse_header(message);
  giop::RequestHeader request;
  orbweaver::cdr::Decoder in = giop::open_body(message, *header);
  return giop::decode_request(in, header->version, request) ? std::string(request.operation) : "malformed";
}

struct RepeatedAttempts : ::testing::Test {
  ScriptedServers reliable, unreliable;
  std::unique_ptr<TestOrb> client;

  void start() {
    client = std::make_unique<TestOrb>(
        Options{"-ORBTransportPlugin", ORBWEAVER_TEST_PLUGINS "/libplugin-scripted.so", "-ORBTransportOption",
                reliable.option("scripted"), "-ORBTransportOption", unreliable.option("unreliable"),
                "-ORBTransportPreference", "unreliable,scripted"});
  }
  /// An object that each of these transports reaches.
  CallsRef object(const std::string& name, const std::vector<std::string>& transports) {
    return client->unchecked(giop::stringify(scripted_ior({1}, transports, name)));
  }
};

/// Calls operations until no further plan of a request is cached.
void fill_plan_cache(const CallsRef& calls) {
  calls->value(1);
  calls->open_gate(1);
  calls->deactivate_me();
  calls->raise_undeclared();
  calls->raise_standard();
  calls->raise_number();
  calls->raise_system(1, "");
  calls->shut_down(false);
}

/// As in a server with -ORBThreads single, whose thread may serve, and call, while it waits for space.
TEST_F(RepeatedAttempts, AreNotChangedByACallOfTheirThreadWhileTheyClaimSpace) {
  ChannelScript &outer_script = reliable.add(), &inner_script = reliable.add();
  answers(outer_script, 10);
  answers(inner_script, 20);
  start();
  const CallsRef outer = object("outer", {"scripted"}), inner = object("inner", {"scripted"});
  fill_plan_cache(outer);
  fill_plan_cache(inner);
  int calls_of_inner = 0;
  outer_script.on_claim = [&] {
    EXPECT_EQ(inner->most_at_once(), 20);
    ++calls_of_inner;
  };
  EXPECT_EQ(outer->process(), 10);
  EXPECT_EQ(calls_of_inner, 1);
  EXPECT_EQ(operation_of(outer_script.frames().back()), "process");
  EXPECT_EQ(operation_of(inner_script.frames().back()), "most_at_once");
}

/// The timeout -ORBTune udp-call-timeout-ms is that of an attempt over an unreliable transport.
TEST_F(RepeatedAttempts, HaveNoDeadlineOfAnAttemptOverAnUnreliableTransport) {
  ChannelScript &first = unreliable.add(), &second = reliable.add();
  first.on_commit = [&](const Octets&) {
    first.arrives(Message(giop::MessageType::close_connection).bytes());
    return Result<void>();
  };
  answers(second, 8);
  start();
  EXPECT_EQ(object("server", {"unreliable", "scripted"})->twice(4), 8);
  ASSERT_THAT(first.deadlines(), SizeIs(2)) << "claim and commit";
  for (const auto deadline : first.deadlines()) EXPECT_FALSE(deadline.is_never());
  ASSERT_THAT(second.deadlines(), SizeIs(2)) << "claim and commit";
  for (const auto deadline : second.deadlines()) EXPECT_TRUE(deadline.is_never());
}

Octets key_of(const Octets& message) {
  const auto header = giop::parse_header(message);
  giop::RequestHeader request;
  orbweaver::cdr::Decoder in = giop::open_body(message, *header);
  if (!giop::decode_request(in, header->version, request)) return {};
  return Octets(request.target.object_key.begin(), request.target.object_key.end());
}

CORBA::PolicyList time_limit(TestOrb& broker, std::int64_t ms) {
  CORBA::Any limit;
  limit <<= static_cast<TimeBase::TimeT>(ms * 10'000);
  return {broker.orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)};
}

CORBA::object_reference<CORBA::PolicyManager> policy_manager(TestOrb& broker, const std::string& name) {
  return IDL::traits<CORBA::PolicyManager>::narrow(broker.orb->resolve_initial_references(name));
}

/// An object that has moved: its calls go to `forwarded`, and to `later` once that connection has closed.
struct ForwardedAttempts : RepeatedAttempts {
  static constexpr std::int64_t kLimit_ms = 200;
  ChannelScript &original = reliable.add(), &forwarded = reliable.add(), &later = reliable.add();
  bool reachable = true;  ///< Else connecting takes longer than the time limit of a call.
  CallsRef calls;

  void forward() {
    original.on_commit = [this](const Octets& request) {
      std::uint32_t id = 0;
      std::memcpy(&id, request.data() + giop::kHeaderBytes, 4);
      Octets message = reply(id, 3).bytes();  // LOCATION_FORWARD
      std::vector<std::uint8_t> ior(1000);
      orbweaver::cdr::Encoder out(ior.data(), ior.size());
      giop::encode(out, scripted_ior({2}, {"scripted"}, "forwarded"));
      message.insert(message.end(), ior.begin(), ior.begin() + static_cast<std::ptrdiff_t>(out.size()));
      const auto size = static_cast<std::uint32_t>(message.size() - giop::kHeaderBytes);
      std::memcpy(message.data() + 8, &size, 4);
      original.arrives(message);
      return Result<void>();
    };
    answers(forwarded, 10);
    answers(later, 20);
    reliable.maker = [this, connects = reliable.maker]() -> std::unique_ptr<Channel> {
      if (reachable) return connects();
      const auto passed = orbweaver::Deadline::in_ms(kLimit_ms);  // later than the deadline of the call
      while (!passed.passed()) std::this_thread::yield();
      return nullptr;
    };
    start();
    calls = client->unchecked(giop::stringify(scripted_ior({1}, {"scripted"})));
    EXPECT_EQ(calls->process(), 10);
    EXPECT_EQ(key_of(forwarded.frames().back()), Octets{2});
    forwarded.close();
  }
  void time_out() {
    reachable = false;
    const auto current = policy_manager(*client, "PolicyCurrent");
    current->set_policy_overrides(time_limit(*client, kLimit_ms), CORBA::SetOverrideType::SET_OVERRIDE);
    EXPECT_THROW(calls->process(), CORBA::SystemException);
    current->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
    reachable = true;
  }
};

/// A reference belongs to all threads of a program, and a time limit to one of them.
TEST_F(ForwardedAttempts, KeepTheForwardAfterATimeLimitOfOneThread) {
  forward();
  time_out();
  EXPECT_EQ(calls->process(), 20);
  EXPECT_EQ(key_of(later.frames().back()), Octets{2});
  EXPECT_THAT(original.frames(), SizeIs(1)) << "the original object is not asked again";
}

/// A host that does not answer must not hold a client whose time limit is shorter than connecting.
TEST_F(ForwardedAttempts, AskTheOriginalObjectAfterTwoTimeLimits) {
  forward();
  time_out();
  time_out();
  EXPECT_EQ(calls->process(), 20);
  EXPECT_THAT(original.frames(), SizeIs(2));
}

/// In a process without policies: with one, every call reads them when it begins.
TEST_F(RepeatedAttempts, HaveThePoliciesOfTheBeginningOfTheirCall) {
  ChannelScript &first = reliable.add(), &second = reliable.add();
  answers(first, 10);
  answers(second, 20);
  start();
  const CallsRef calls = object("server", {"scripted"});
  EXPECT_EQ(calls->process(), 10);
  EXPECT_EQ(calls->process(), 10);
  first.on_commit = [&](const Octets&) {
    // As another thread would.
    policy_manager(*client, "ORBPolicyManager")
        ->set_policy_overrides(time_limit(*client, 3'600'000), CORBA::SetOverrideType::SET_OVERRIDE);
    first.arrives(Message(giop::MessageType::close_connection).bytes());
    return Result<void>();
  };
  EXPECT_EQ(calls->process(), 20);
  ASSERT_THAT(second.deadlines(), SizeIs(2)) << "claim and commit";
  for (const auto deadline : second.deadlines()) EXPECT_TRUE(deadline.is_never());
  EXPECT_EQ(calls->process(), 20);
  EXPECT_FALSE(second.deadlines().back().is_never()) << "of the next call";
}

}  // namespace
}  // namespace orbtest
