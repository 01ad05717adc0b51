// Calls of omniORB clients to an Orbweaver server: the clients are killed or stopped, or find their
// connection closed. Rows of the table of docs/transports.md.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "orbweaver_workshop.h"
#include "peer.h"
#include "platform/testing/waiting_thread.h"
#include "server.h"
#include "testing/servant.h"
#include "testing/test_orb.h"

namespace interop {
namespace {

namespace platform = orbweaver::platform;
using faulttest::ResourceSnapshot;
using orbtest::becomes_true;

/// More than the buffers of a connection hold.
constexpr std::size_t kLarge = 32'000'000;

/// Its operations wait at the gate, except for `note` with another text than "note 0".
class GatedWorkshop final : public OrbweaverWorkshop {
 public:
  GatedWorkshop() : OrbweaverWorkshop("gated") {}
  std::string name() override {
    gate.pass(0);
    return OrbweaverWorkshop::name();
  }
  void note(const std::string& text) override {
    if (text == "note 0") gate.pass(0);
    OrbweaverWorkshop::note(text);
  }
  /// A large reply.
  Interop::Names notes() override {
    serving_thread = platform::testing::this_thread_id();
    gate.pass(0);
    return {std::string(kLarge, 'x')};
  }
  Interop::Names noted() { return OrbweaverWorkshop::notes(); }

  orbtest::Gate gate;
  std::atomic<pid_t> serving_thread{0};
};

/// A process of omniorb_caller.cpp. The destructor kills it.
class Caller {
 public:
  Caller(const std::string& transport, const std::string& reference, std::vector<std::string> operation) {
    platform::SpawnRequest request{sibling_program("interop-omniorb-caller"), {reference}, {}};
    request.arguments.insert(request.arguments.end(), operation.begin(), operation.end());
    request.extra_environment = {"ORBclientTransportRule=* " + transport};
    if (process.spawn(request) != 0) throw std::runtime_error("cannot start " + request.program);
  }

  /// Waits until the process has printed the line.
  bool has_printed(const std::string& line) {
    platform::Poller poller;
    poller.add(process.output());
    for (bool at_end = false; ("\n" + output).find("\n" + line + "\n") == std::string::npos;) {
      if (at_end || !poller.wait(120'000)) return false;
      output += platform::read_available(process.output(), at_end);
    }
    return true;
  }

  platform::ChildProcess process;
  std::string output;
};

struct FailingOmniOrbClient : testing::TestWithParam<std::string> {
  explicit FailingOmniOrbClient(const orbtest::Options& more = {}) : broker(options(more)) {
    broker.root->activate_object(workshop);
    reference = broker.orb->object_to_string(broker.root->servant_to_reference(workshop));
  }
  ~FailingOmniOrbClient() override { workshop->gate.open(); }

  /// Calls over the transport of the test only. omniORB supports Unix sockets with a path.
  static orbtest::Options options(const orbtest::Options& more) {
    static int sockets = 0;
    const std::string name = "/tmp/interop-" + std::to_string(getpid()) + "-" + std::to_string(++sockets);
    orbtest::Options options = {"-ORBMaxMessageBytes", "67108864", "-ORBListen",
                                GetParam() == "unix" ? "unix:" + name + ".socket" : "tcp"};
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }
  Caller start(const std::vector<std::string>& operation) { return {GetParam(), reference, operation}; }
  /// A client that is not killed is served.
  bool serves_another_client() {
    Caller other = start({"name"});
    return other.has_printed("gated") && other.process.reap().clean();
  }

  const CORBA::object_reference<GatedWorkshop> workshop = CORBA::make_reference<GatedWorkshop>();
  orbtest::TestOrb broker;
  std::string reference;
};

TEST_P(FailingOmniOrbClient, LeavesNothingWhenKilledDuringItsCall) {
  const ResourceSnapshot before = ResourceSnapshot::now();
  for (int round = 0; round < 3; ++round) {
    {
      const Caller killed = start({"name"});
      ASSERT_TRUE(workshop->gate.reached_by(1));
    }
    workshop->gate.open();
    EXPECT_TRUE(serves_another_client());
    EXPECT_TRUE(before.are_restored()) << before.difference();
    workshop->gate.open(-1);
  }
}

TEST_P(FailingOmniOrbClient, LeavesNothingWhenKilledDuringAReply) {
  const ResourceSnapshot before = ResourceSnapshot::now();
  for (int round = 0; round < 3; ++round) {
    {
      Caller killed = start({"notes"});
      ASSERT_TRUE(workshop->gate.reached_by(1));
      stop_process(killed.process);
      workshop->gate.open();
      platform::testing::wait_until_thread_waits(workshop->serving_thread);
      EXPECT_TRUE(serves_another_client()) << "while the reply is being sent";
    }
    EXPECT_TRUE(before.are_restored()) << before.difference();
    workshop->gate.open(-1);
  }
  workshop->gate.open();
  EXPECT_TRUE(serves_another_client());
}

TEST_P(FailingOmniOrbClient, ReceivesItsReplyAfterItWasStopped) {
  Caller caller = start({"notes"});
  ASSERT_TRUE(workshop->gate.reached_by(1));
  stop_process(caller.process);
  workshop->gate.open();
  platform::testing::wait_until_thread_waits(workshop->serving_thread);
  EXPECT_TRUE(serves_another_client()) << "while the reply is being sent";
  caller.process.signal(SIGCONT);
  EXPECT_TRUE(caller.has_printed(std::to_string(kLarge))) << caller.output;
  EXPECT_TRUE(caller.process.reap().clean());
}

TEST_P(FailingOmniOrbClient, HasItsOneWayCallsServedAfterItWasKilled) {
  {
    Caller killed = start({"note", "100"});
    ASSERT_TRUE(workshop->gate.reached_by(1));
    ASSERT_TRUE(killed.has_printed("sent")) << killed.output;
  }
  workshop->gate.open();
  Interop::Names sent;
  for (int i = 0; i < 100; ++i) sent.push_back("note " + std::to_string(i));
  EXPECT_TRUE(becomes_true([&] { return workshop->noted().size() >= sent.size(); }));
  EXPECT_EQ(workshop->noted(), sent);
}

/// A server that closes connections with CloseConnection when they have been idle.
struct OmniOrbClientOfAnIdleTimeout : FailingOmniOrbClient {
  OmniOrbClientOfAnIdleTimeout() : FailingOmniOrbClient({"-ORBTune", "idle-timeout-ms=200"}) {}
};

TEST_P(OmniOrbClientOfAnIdleTimeout, CallsOverANewConnection) {
  workshop->gate.open();
  const ResourceSnapshot before = ResourceSnapshot::now();
  Caller caller = start({"twice"});
  ASSERT_TRUE(caller.has_printed("gated")) << caller.output;
  ASSERT_TRUE(becomes_true([&] { return ResourceSnapshot::now().threads <= before.threads; }));
  caller.output.clear();
  caller.process.signal(SIGUSR1);
  EXPECT_TRUE(caller.has_printed("gated")) << caller.output;
  EXPECT_TRUE(caller.process.reap().clean());
}

const auto kName = [](const auto& i) { return i.param; };
INSTANTIATE_TEST_SUITE_P(Transports, FailingOmniOrbClient, testing::Values("tcp", "unix"), kName);
INSTANTIATE_TEST_SUITE_P(Transports, OmniOrbClientOfAnIdleTimeout, testing::Values("tcp", "unix"), kName);

}  // namespace
}  // namespace interop
