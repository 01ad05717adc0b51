// Access rules of a server (-ORBAllow, -ORBDeny), over each transport and in each thread mode.
#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "base/log.h"
#include "giop/tagged_components.h"
#include "orb/minor_codes.h"
#include "platform/testing/forked_process.h"
#include "platform/testing/without_netlink.h"
#include "testing/peer_reporter.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// The detail of the NO_PERMISSION that a rejected call raises.
std::string refusal(TestOrb& client, const std::string& reference) {
  return raised_by<CORBA::NO_PERMISSION>([&] { client.unchecked(reference)->twice(1); },
                                         minor::kAccessDenied);
}

class AccessControl : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::string transport() const { return std::get<0>(GetParam()); }
  Options listening() const { return {"-ORBListen", transport(), "-ORBThreads", std::get<1>(GetParam())}; }
  void SetUp() override {
    if (transport() == "mqueue" && !std::ifstream("/proc/sys/fs/mqueue/msg_max")) {
      GTEST_SKIP() << "this machine has no POSIX message queues";
    }
  }
  /// In the thread mode `single`, a thread of the program runs the ORB.
  std::thread serving(TestOrb& server) const {
    return std::get<1>(GetParam()) == "single" ? std::thread([orb = server.orb] { orb->run(); })
                                               : std::thread();
  }
  static void end(TestOrb& server, std::thread& runs) {
    server.orb->shutdown(false);
    if (runs.joinable()) runs.join();
    server.destroy();
  }
  Options calling() const { return {"-ORBTransportPreference", transport(), "-ORBCallTimeout", "30000"}; }
  ServantRef servant = CORBA::make_reference<Servant>();
};

TEST_P(AccessControl, RejectsACallerNamedByADenyRule) {
  Options options = listening();
  options.insert(options.end(), {"-ORBDeny", "all", "-ORBLog", "warn"});
  TestOrb server(options), client(calling());
  const std::string reference = server.serve(servant);
  std::thread runs = serving(server);
  orbweaver::log::reset_limits();
  testing::internal::CaptureStderr();
  EXPECT_THAT(refusal(client, reference), HasSubstr("access rules"));
  EXPECT_THAT(refusal(client, reference), HasSubstr("access rules")) << "over the next connection";
  client.destroy();
  end(server, runs);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), AllOf(HasSubstr("rejected: "), HasSubstr("-ORBAllow")));
}

TEST_P(AccessControl, AdmitsACallerNamedByAnAllowRule) {
  Options options = listening();
  options.insert(options.end(), {"-ORBAllow", "net:127.0.0.0/8,user:" + std::to_string(getuid())});
  TestOrb server(options), client(calling());
  const std::string reference = server.serve(servant);
  std::thread runs = serving(server);
  EXPECT_EQ(client.at(reference)->twice(4), 8);
  client.destroy();
  end(server, runs);
}

TEST_P(AccessControl, RejectsACallerOfADeniedUser) {
  Options options = listening();
  options.insert(options.end(), {"-ORBDeny", "user:" + std::to_string(geteuid())});
  TestOrb server(options), client(calling());
  const std::string reference = server.serve(servant);
  std::thread runs = serving(server);
  EXPECT_THAT(refusal(client, reference), HasSubstr("access rules"));
  client.destroy();
  end(server, runs);
}

TEST_P(AccessControl, RejectsAOneWayBeforeTheUpcall) {
  Options options = listening();
  options.insert(options.end(), {"-ORBDeny", "all"});
  TestOrb server(options), client(calling());
  const auto calls = client.unchecked(server.serve(servant));
  std::thread runs = serving(server);
  try {
    calls->note(7);
  } catch (const CORBA::SystemException&) {
  }
  EXPECT_THAT(refusal(client, server.reference(server.root, servant)), HasSubstr("access rules"));
  client.destroy();
  end(server, runs);  // every received request has been served
  EXPECT_TRUE(servant->notes().empty());
}

INSTANTIATE_TEST_SUITE_P(Modes, AccessControl,
                         ::testing::Combine(::testing::Values("tcp", "unix", "shm", "udp", "mqueue"),
                                            ::testing::Values("connection", "pool:2", "unordered:2",
                                                              "single")),
                         [](const auto& tested) {
                           const std::string mode = std::get<1>(tested.param);
                           return std::get<0>(tested.param) + (mode == "connection"    ? ""
                                                               : mode == "single"      ? "Single"
                                                               : mode == "unordered:2" ? "Unordered"
                                                                                       : "InAPool");
                         });

TEST(AccessRules, MatchTcpCallersByNetwork) {
  TestOrb server({"-ORBListen", "tcp", "-ORBDeny", "net:127.0.0.0/8"}),
      client({"-ORBTransportPreference", "tcp"});
  const auto servant = CORBA::make_reference<Servant>();
  EXPECT_THAT(refusal(client, server.serve(servant)), HasSubstr("do not admit this caller"));
}

TEST(AccessRules, AdmitTheOwnUserOfThisHostWhateverNetworksTheyAdmit) {
  TestOrb server({"-ORBListen", "tcp", "-ORBAllow", "net:10.0.0.0/8"}),
      client({"-ORBTransportPreference", "tcp"});
  EXPECT_EQ(client.at(server.serve(CORBA::make_reference<Servant>()))->twice(4), 8);
}

/// Result of a call over TCP where the kernel does not tell who calls: 0, 1 if it is rejected.
int call_without_netlink(const Options& rules) {
  orbweaver::platform::testing::ForkedProcess process([&] {
    if (!orbweaver::platform::testing::deny_netlink()) _exit(2);
    Options options{"-ORBListen", "tcp"};
    options.insert(options.end(), rules.begin(), rules.end());
    TestOrb server(options), client({"-ORBTransportPreference", "tcp"});
    const std::string reference = server.serve(CORBA::make_reference<Servant>());
    try {
      _exit(client.unchecked(reference)->twice(4) == 8 ? 0 : 3);
    } catch (const CORBA::NO_PERMISSION&) {
      _exit(1);
    } catch (const CORBA::Exception&) {
      _exit(4);
    }
  });
  return process.reap_status();
}

TEST(AccessRules, AdmitACallerOfAnUnknownUserOnlyByItsAddress) {
  const int status = call_without_netlink({});
  if (status == 2) GTEST_SKIP() << "no system call filters";
  EXPECT_EQ(status, 1);
  EXPECT_EQ(call_without_netlink({"-ORBAllow", "net:127.0.0.1"}), 0);
}

TEST(AccessRules, AnswerOnlyTheFirstRequestOfARejectedCaller) {
  TestOrb server({"-ORBListen", "tcp", "-ORBDeny", "all"});
  const auto servant = CORBA::make_reference<Servant>();
  const Where server_address = where(server.serve(servant));
  RawPeer raw = RawPeer::to(server_address.port);
  Octets requests = request(1, server_address.key, "twice").ulong(1).bytes();
  const Octets second = request(2, server_address.key, "twice").ulong(2).bytes();
  requests.insert(requests.end(), second.begin(), second.end());
  raw.sends(requests);
  const auto answer = raw.receives();
  ASSERT_TRUE(answer);
  EXPECT_EQ((*answer)[16], 2) << "a system exception";
  const auto close_message = raw.receives();
  ASSERT_TRUE(close_message);
  EXPECT_EQ((*close_message)[7], static_cast<std::uint8_t>(orbweaver::giop::MessageType::close_connection));
  EXPECT_TRUE(raw.is_closed());
}

TEST(AccessRules, CloseARejectedConnectionThatSendsNoRequest) {
  for (const char* threads : {"connection", "pool:2", "unordered:2"}) {
    TestOrb server({"-ORBListen", "tcp", "-ORBDeny", "all", "-ORBThreads", threads});
    RawPeer raw = RawPeer::to(where(server.serve(CORBA::make_reference<Servant>())).port);
    raw.sends(Octets{'G', 'I', 'O', 'P', 1, 2, 1, 2, 4, 0, 0, 0, 7, 0, 0, 0});  // CancelRequest of request 7
    const auto close_message = raw.receives();
    ASSERT_TRUE(close_message) << threads;
    EXPECT_EQ((*close_message)[7], static_cast<std::uint8_t>(orbweaver::giop::MessageType::close_connection));
    EXPECT_TRUE(raw.is_closed());
  }
}

/// What the reference of a server without options has: "port 0, alternates: no, local: inproc shm unix ".
std::string published_by_default() {
  namespace giop = orbweaver::giop;
  int argc = 1;
  char name[] = "test";
  char* argv[] = {name, nullptr};
  const auto orb = CORBA::ORB_init(argc, argv, "default listen");
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto servant = CORBA::make_reference<Servant>();
  root->activate_object(servant);
  const auto ior = giop::parse_ior(orb->object_to_string(root->servant_to_reference(servant)));
  orb->destroy();
  const auto profile = giop::decode_iiop_profile(ior->profiles.at(0).data);
  const bool alternates =
      giop::find(profile->components, giop::component_tag::kAlternateIiopAddress) != nullptr;
  std::string text =
      "port " + std::to_string(profile->port) + ", alternates: " + (alternates ? "yes" : "no") + ", local: ";
  if (const auto* component = giop::find(profile->components, giop::component_tag::kLocalEndpoints)) {
    const auto local = giop::decode_local_endpoints(component->data);
    for (const auto& endpoint : local->endpoints) text += endpoint.name + " ";
  }
  return text;
}

TEST(DefaultListen, PublishesNoNetworkAddress) {
  // In a process of its own: plug-ins that other tests have loaded may listen by default.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto print = [] {
    std::cerr << published_by_default();
    std::exit(0);
  };
  EXPECT_EXIT(print(), ::testing::ExitedWithCode(0), "^port 0, alternates: no, local: inproc shm unix $");
  GTEST_FLAG_SET(death_test_style, "fast");
}

TEST(LocalNames, AreSeparateForSegmentsMessageQueuesAndSockets) {
  if (!std::ifstream("/proc/sys/fs/mqueue/msg_max"))
    GTEST_SKIP() << "this machine has no POSIX message queues";
  const std::string name = "orbweaver-test-" + std::to_string(getpid());
  TestOrb server({"-ORBListen", "shm:" + name + ",mqueue:" + name + ",unix:@" + name});
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  for (const char* transport : {"shm", "mqueue", "unix"}) {
    TestOrb client({"-ORBTransportPreference", transport});
    EXPECT_EQ(client.at(reference)->twice(2), 4) << transport;
  }
  TestOrb second({"-ORBListen", "shm:" + name});
  EXPECT_THAT(raised_by<CORBA::INITIALIZE>([&] { second.serve(CORBA::make_reference<Servant>()); },
                                           minor::kCannotListen),
              HasSubstr("in use, by this or another process"));
  EXPECT_THAT(raised_by<CORBA::BAD_PARAM>(
                  [&] {
                    TestOrb({"-ORBListen", "unix:@shm/" + name});
                  },
                  minor::kBadOption),
              HasSubstr("another transport"));
}

TEST(ForeignException, HidesItsTextFromClients) {
  TestOrb server({"-ORBListen", "tcp", "-ORBLog", "warn"}), client({"-ORBTransportPreference", "tcp"});
  const auto servant = CORBA::make_reference<Servant>();
  const auto calls = client.at(server.serve(servant));
  orbweaver::log::reset_limits();
  testing::internal::CaptureStderr();
  EXPECT_THAT(raised_by<CORBA::UNKNOWN>([&] { calls->raise_standard(); }, minor::kCppException),
              AllOf(HasSubstr("see the server's log"), ::testing::Not(HasSubstr("error in the servant"))));
  server.destroy();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("error in the servant"));
}

/// A client in its own process, run as user `nobody`, over each transport within a host. The parameter is an
/// endpoint of -ORBListen.
class OtherUser : public ::testing::TestWithParam<const char*> {
 protected:
  enum Outcome { kAnswered = 10, kNoPermission, kSomethingElse, kBroken };

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    if (GetParam() == std::string("mqueue") && !std::ifstream("/proc/sys/fs/mqueue/msg_max")) {
      GTEST_SKIP() << "this machine has no POSIX message queues";
    }
  }
  static std::string transport() {
    const std::string endpoint = GetParam();
    return endpoint.substr(0, endpoint.find(':'));
  }
  /// Outcome of a call by user `nobody` to a server with these options. The client trusts servers of root.
  int call_to(Options options) const {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) return kBroken;
    const pid_t child = fork();  // before this process has threads
    if (child == 0) {
      close(pipe_ends[1]);
      _exit(call_as_nobody(pipe_ends[0]));
    }
    close(pipe_ends[0]);
    options.insert(options.end(), {"-ORBListen", GetParam()});
    if (transport() != GetParam() && GetParam() != std::string("tcp:[::1]:0"))
      options.insert(options.end(), {"-ORBPublishHost", "127.0.0.1"});  // for a wildcard address
    {
      TestOrb server(options);
      const std::string reference = server.serve(CORBA::make_reference<Servant>());
      EXPECT_EQ(write(pipe_ends[1], reference.data(), reference.size()),
                static_cast<ssize_t>(reference.size()));
      close(pipe_ends[1]);
      int status = 0;
      waitpid(child, &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : kBroken;
    }
  }

 private:
  static int call_as_nobody(int in) {
    constexpr unsigned kNobody = 65534;
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) return kBroken;
    std::string reference;
    char part[1024];
    for (ssize_t got = 0; (got = read(in, part, sizeof part)) > 0;)
      reference.append(part, static_cast<std::size_t>(got));
    try {
      TestOrb client(
          {"-ORBTransportPreference", transport(), "-ORBListen", "inproc", "-ORBCallTimeout", "30000"});
      return client.unchecked(reference)->twice(2) == 4 ? kAnswered : kBroken;
    } catch (const CORBA::NO_PERMISSION&) {
      return kNoPermission;
    } catch (const CORBA::Exception&) {
      return kSomethingElse;
    }
  }
};

TEST_P(OtherUser, IsRejectedByDefault) { EXPECT_EQ(call_to({}), kNoPermission); }

TEST_P(OtherUser, IsAdmittedWhenAllowedByARule) {
  EXPECT_EQ(call_to({"-ORBAllow", "user:65534"}), kAnswered);
}

TEST_P(OtherUser, IsRejectedWhenAnotherNetworkIsAllowed) {
  EXPECT_EQ(call_to({"-ORBAllow", "net:10.0.0.0/8"}), kNoPermission);
}

INSTANTIATE_TEST_SUITE_P(Transports, OtherUser,
                         ::testing::Values("shm", "unix", "mqueue", "tcp", "udp", "tcp:[::1]:0", "tcp:[::]:0",
                                           "tcp:0.0.0.0:0"),
                         [](const auto& tested) {
                           const std::string endpoint = tested.param;
                           return endpoint == "tcp:[::1]:0"     ? "tcpV6"
                                  : endpoint == "tcp:[::]:0"    ? "tcpWildcardV6"
                                  : endpoint == "tcp:0.0.0.0:0" ? "tcpWildcard"
                                                                : endpoint;
                         });

class OtherUserByTcp : public OtherUser {};

TEST_P(OtherUserByTcp, IsAdmittedWhenItsNetworkIsAllowed) {
  EXPECT_EQ(call_to({"-ORBAllow", "net:127.0.0.0/8"}), kAnswered);
}
INSTANTIATE_TEST_SUITE_P(Loopback, OtherUserByTcp, ::testing::Values("tcp", "udp"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace orbtest
