// exiting-program HOW ACTIVITY [-ORB…]: exits in the way HOW during ACTIVITY of its ORBs, without shutting
// them down.
#include <orbweaver/loan.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "testing/test_orb.h"

namespace orbtest {
namespace {

/// Whether the next call of ExitingServant::twice exits the program.
std::atomic<bool> exit_in_servant{false};
class ExitingServant final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
 public:
  std::int32_t twice(std::int32_t n) override {
    if (exit_in_servant.exchange(false)) std::exit(0);
    return 2 * n;
  }
};

/// ORBs that are never destroyed, as in a program that omits ORB::destroy.
struct RunningOrbs {
  TestOrb server, client;
  ServantRef servant = CORBA::make_reference<Servant>();
  std::string reference;
  explicit RunningOrbs(const Options& options) : server(options), client(options) {
    reference = server.serve(servant);
  }
};
RunningOrbs* orbs = nullptr;

/// Destroyed after all objects that were constructed later, including those of the library. Threads of the
/// ORBs still accept connections and serve calls meanwhile.
struct LastDestroyed {
  bool calls = false;
  ~LastDestroyed() {
    if (!calls) return;
    for (const char* transport : {"shm", "unix", "tcp", "inproc"}) {
      auto* const late = new TestOrb(Options{"-ORBTransportPreference", transport});
      static auto& kept = *new std::vector<TestOrb*>;  // reachable: no leak
      if (late->at(orbs->reference)->twice(1) != 2)
        std::cerr << "a late call over " << transport << " failed\n";
      kept.push_back(late);
    }
  }
} last;

/// Starts a thread per transport, which calls until the process ends. Returns when each thread has made one
/// call.
template <class Call>
void keep_calling(Call call) {
  static std::atomic<int> begun{0};
  const std::vector<std::string> transports = {"shm", "unix", "tcp"};
  for (const std::string& transport : transports) {
    std::thread([transport, call] {
      auto* client =
          new TestOrb(Options{"-ORBTransportPreference", transport, "-ORBTune", "batch-delay-us=200"});
      static thread_local TestOrb* const kept = client;  // reachable: no leak
      const CallsRef calls = kept->at(orbs->reference);
      call(calls);
      ++begun;
      for (;;) call(calls);
    }).detach();
  }
  while (begun != static_cast<int>(transports.size())) std::this_thread::yield();
}

void wait_in_calls() {
  std::thread([] { orbs->client.at(orbs->reference)->wait_at_gate(1); }).detach();
  orbs->servant->gate.reached_by(1);
}

void begin(const std::string& activity) {
  if (activity == "calls") keep_calling([](const CallsRef& calls) { calls->twice(1); });
  if (activity == "batches") keep_calling([](const CallsRef& calls) { calls->note_slowly(-1, 0); });
  if (activity == "blocks") {
    keep_calling([](const CallsRef& calls) {
      auto block = orbweaver::loan<double>(4096);
      std::fill(block.begin(), block.end(), 1.0);
      calls->sum(block.view());
    });
  }
  if (activity == "waiting") wait_in_calls();
}

void leave(const std::string& how) {
  if (how == "exit") std::exit(0);
  if (how == "late") last.calls = true;
  if (how == "exception") throw std::runtime_error("leaving");
  if (how == "signal") std::raise(SIGTERM);
  if (how == "servant") {
    const auto leaving = CORBA::make_reference<ExitingServant>();
    orbs->server.root->activate_object(leaving);
    const std::string reference =
        orbs->server.orb->object_to_string(orbs->server.root->servant_to_reference(leaving));
    exit_in_servant = true;
    TestOrb remote(Options{"-ORBTransportPreference", "shm"});
    IDL::traits<OrbTest::Watcher>::narrow(remote.orb->string_to_object(reference))->twice(1);
    for (;;) std::this_thread::sleep_for(1s);  // the other thread ends the program
  }
}

}  // namespace
}  // namespace orbtest

int main(int argc, char* argv[]) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (argc < 3) return 2;
  orbtest::orbs = new orbtest::RunningOrbs(orbtest::Options(argv + 3, argv + argc));
  orbtest::begin(argv[2]);
  orbtest::leave(argv[1]);
}
