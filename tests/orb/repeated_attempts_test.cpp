// What one attempt of a call must not change for another: over scripted channels.
#include <gmock/gmock.h>

#include "giop/request.h"
#include "giop/tagged_components.h"
#include "platform/process_identity.h"
#include "testing/scripted_channel.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
using orbweaver::Result;
using orbweaver::transport::Channel;
using ::testing::SizeIs;

/// Channels of one transport in the order in which they are connected.
struct ScriptedServers {
  std::vector<std::shared_ptr<ChannelScript>> scripts;
  std::size_t connected = 0;
  std::function<std::unique_ptr<Channel>()> maker = [this]() -> std::unique_ptr<Channel> {
    if (connected == scripts.size()) return nullptr;
    return std::make_unique<ScriptedChannel>(scripts[connected++]);
  };

  ChannelScript& add() { return *scripts.emplace_back(std::make_shared<ChannelScript>()); }
  std::string option(const std::string& transport) {
    return transport + ".maker=" + std::to_string(reinterpret_cast<std::uintptr_t>(&maker));
  }
};

/// Answers each request with this result, which operations without a result ignore.
void answers(ChannelScript& script, std::uint32_t result) {
  script.on_commit = [&script, result](const Octets& request) {
    std::uint32_t id = 0;
    std::memcpy(&id, request.data() + giop::kHeaderBytes, 4);
    script.arrives(reply(id).ulong(result).bytes());
    return Result<void>();
  };
}

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
    giop::LocalEndpoints local{
        orbweaver::platform::host_identity(), static_cast<std::uint32_t>(orbweaver::platform::user_id()), {}};
    for (const std::string& transport : transports) local.endpoints.push_back({transport, name});
    giop::IiopProfile profile;
    profile.host = "127.0.0.1";
    profile.object_key = {1};
    profile.components.push_back({giop::component_tag::kLocalEndpoints, giop::encode_local_endpoints(local)});
    return client->unchecked(giop::stringify(
        {"IDL:OrbTest/Calls:1.0", {{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)}}}));
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

}  // namespace
}  // namespace orbtest
