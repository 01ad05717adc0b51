// leaving-program HOW DOING [-ORB…]: ends as HOW says while its ORBs do what DOING says, without shutting them down.
#include <orbweaver/loan.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "testing/broker.h"

namespace orbtest {
namespace {

/// A servant whose calls of `note` end the program when it is told to.
std::atomic<bool> exits_in_servant{false};
class Leaving final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
 public:
  std::int32_t twice(std::int32_t n) override {
    if (exits_in_servant.exchange(false)) std::exit(0);
    return 2 * n;
  }
};

/// Never destroyed, as in a program that forgets its ORB.
struct Everything {
  Broker server, client;
  ServantRef servant = CORBA::make_reference<Servant>();
  std::string reference;
  explicit Everything(const Options& options) : server(options), client(options) { reference = server.serve(servant); }
};
Everything* everything = nullptr;

/// Destroyed after all objects that were made later, those of the library among them. Threads of the ORBs go on
/// accepting and serving meanwhile; other programs may call.
struct Last {
  bool calls = false;
  ~Last() {
    if (!calls) return;
    for (const char* transport : {"shm", "unix", "tcp", "inproc"}) {
      auto* const late = new Broker(Options{"-ORBTransportPreference", transport});
      static auto& kept = *new std::vector<Broker*>;  // reachable: no leak
      if (late->at(everything->reference)->twice(1) != 2) std::cerr << "a late call by " << transport << " failed\n";
      kept.push_back(late);
    }
  }
} last;

/// Calls from threads of their own over each transport, until the end; returns when each has made one.
template <class Call>
void keep_calling(Call call) {
  static std::atomic<int> begun{0};
  const std::vector<std::string> transports = {"shm", "unix", "tcp"};
  for (const std::string& transport : transports) {
    std::thread([transport, call] {
      auto* client = new Broker(Options{"-ORBTransportPreference", transport, "-ORBBatchDelay", "200"});
      static thread_local Broker* const kept = client;  // reachable: no leak
      const CallsRef calls = kept->at(everything->reference);
      call(calls);
      ++begun;
      for (;;) call(calls);
    }).detach();
  }
  while (begun != static_cast<int>(transports.size())) std::this_thread::yield();
}

void wait_in_calls() {
  std::thread([] { everything->client.at(everything->reference)->wait_at_gate(1); }).detach();
  everything->servant->gate.reached_by(1);
}

void begin(const std::string& doing) {
  if (doing == "calls") keep_calling([](const CallsRef& calls) { calls->twice(1); });
  if (doing == "batches") keep_calling([](const CallsRef& calls) { calls->note_slowly(-1, 0); });
  if (doing == "blocks") {
    keep_calling([](const CallsRef& calls) {
      auto block = orbweaver::loan<double>(4096);
      std::fill(block.begin(), block.end(), 1.0);
      calls->sum(block.view());
    });
  }
  if (doing == "waiting") wait_in_calls();
}

void leave(const std::string& how) {
  if (how == "exit") std::exit(0);
  if (how == "late") last.calls = true;
  if (how == "exception") throw std::runtime_error("leaving");
  if (how == "signal") std::raise(SIGTERM);
  if (how == "servant") {
    const auto leaving = CORBA::make_reference<Leaving>();
    everything->server.root->activate_object(leaving);
    const std::string reference =
        everything->server.orb->object_to_string(everything->server.root->servant_to_reference(leaving));
    exits_in_servant = true;
    Broker remote(Options{"-ORBTransportPreference", "shm"});
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
  orbtest::everything = new orbtest::Everything(orbtest::Options(argv + 3, argv + argc));
  orbtest::begin(argv[2]);
  orbtest::leave(argv[1]);
}
