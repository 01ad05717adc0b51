// exiting-program HOW ACTIVITY TRANSPORT[,TRANSPORT…] [-ORB…]: exits in the way HOW during ACTIVITY of its
// ORBs, without shutting them down. Clients call by the transports; all ORBs have the options.
#include <orbweaver/future.h>
#include <orbweaver/loan.h>
#include <orbweaver/response.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "answersS.h"
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

/// Answers `twice` at once and `never` never. Thread-safe.
class AnsweringServant final : public virtual CORBA::amh_traits<ExitTest::Answers>::base_type {
 public:
  void twice(orbweaver::Response<std::int32_t> response, std::int32_t n) override { response.reply(2 * n); }
  void never(orbweaver::Response<std::int32_t> response) override {
    const std::lock_guard lock(mutex_);
    unanswered_.push_back(std::move(response));
  }

 private:
  std::mutex mutex_;
  std::vector<orbweaver::Response<std::int32_t>> unanswered_;
};

/// Counts the results of `twice`.
class CountingHandler final : public virtual CORBA::amic_traits<ExitTest::Answers>::replyhandler_base_type {
 public:
  using Excep = IDL::traits<Messaging::ExceptionHolder>::ref_type;
  std::atomic<std::int64_t> results{0};

  void twice(std::int32_t) override { ++results; }
  void twice_excep(Excep holder) override { report(holder); }
  void never(std::int32_t) override {}
  void never_excep(Excep holder) override { report(holder); }

 private:
  static void report(const Excep& holder) {
    try {
      holder->raise_exception();
    } catch (const std::exception& e) {
      std::cerr << "an asynchronous call failed: " << e.what() << '\n';
    }
  }
};

/// ORBs that are never destroyed, as in a program that omits ORB::destroy.
struct RunningOrbs {
  Options transports, options;
  TestOrb server, client;
  ServantRef servant = CORBA::make_reference<Servant>();
  std::string reference, answers;
  RunningOrbs(const Options& names, const Options& all)
      : transports(names), options(all), server(all), client(by(transports.front())) {
    reference = server.serve(servant);
    const auto answering = CORBA::make_reference<AnsweringServant>();
    server.root->activate_object(answering);
    answers = server.orb->object_to_string(server.root->servant_to_reference(answering));
  }
  /// Options of a client that calls by this transport, and those of all ORBs.
  Options by(const std::string& transport, Options more = {}) const {
    more.insert(more.end(), {"-ORBTransportPreference", transport});
    more.insert(more.end(), options.begin(), options.end());
    return more;
  }
};
RunningOrbs* orbs = nullptr;

/// Destroyed after all objects that were constructed later, including those of the library. Threads of the
/// ORBs still accept connections and serve calls meanwhile.
struct LastDestroyed {
  bool calls = false;
  ~LastDestroyed() {
    if (!calls) return;
    for (const std::string& transport : orbs->transports) {
      auto* const late = new TestOrb(orbs->by(transport));
      static auto& kept = *new std::vector<TestOrb*>;  // reachable: no leak
      if (late->at(orbs->reference)->twice(1) != 2)
        std::cerr << "a late call over " << transport << " failed\n";
      kept.push_back(late);
    }
  }
} last;

/// Starts a thread per transport, which calls until the process ends. Returns when each thread has made one
/// call. `make_call` returns the function that the thread of a client calls.
template <class MakeCall>
void keep_calling_by(MakeCall make_call) {
  static std::atomic<std::size_t> begun{0};
  for (const std::string& transport : orbs->transports) {
    std::thread([transport, make_call] {
      auto* client = new TestOrb(orbs->by(transport, {"-ORBTune", "batch-delay-us=200"}));
      static thread_local TestOrb* const kept = client;  // reachable: no leak
      const auto call = make_call(*kept);
      call();
      ++begun;
      for (;;) call();
    }).detach();
  }
  while (begun != orbs->transports.size()) std::this_thread::yield();
}

template <class Call>
void keep_calling(Call call) {
  keep_calling_by(
      [call](TestOrb& client) { return [call, calls = client.at(orbs->reference)] { call(calls); }; });
}

/// Calls with Futures and with a reply handler, at most a few hundred at a time, beside calls without an
/// answer.
void keep_calling_asynchronously() {
  keep_calling_by([](TestOrb& client) {
    const auto answers = IDL::traits<ExitTest::Answers>::narrow(client.orb->string_to_object(orbs->answers));
    const auto handler = CORBA::make_reference<CountingHandler>();
    answers->sendc_never(handler);
    return [answers, handler, sent = std::make_shared<std::int64_t>(0),
            unanswered = std::make_shared<orbweaver::Future<std::int32_t>>(answers->async_never())] {
      std::vector<orbweaver::Future<std::int32_t>> futures;
      for (int i = 0; i < 32; ++i) {
        futures.push_back(answers->async_twice(i));
        answers->sendc_twice(handler, i);
        ++*sent;
      }
      for (auto& each : futures) each.get();
      while (*sent - handler->results > 256) std::this_thread::yield();
    };
  });
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
  if (activity == "asynchronous") keep_calling_asynchronously();
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
    TestOrb remote(orbs->by(orbs->transports.front()));
    IDL::traits<OrbTest::Watcher>::narrow(remote.orb->string_to_object(reference))->twice(1);
    for (;;) std::this_thread::sleep_for(1s);  // the other thread ends the program
  }
}

}  // namespace
}  // namespace orbtest

int main(int argc, char* argv[]) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (argc < 4) return 2;
  orbtest::Options transports;
  std::istringstream names(argv[3]);
  for (std::string name; std::getline(names, name, ',');) transports.push_back(name);
  orbtest::orbs = new orbtest::RunningOrbs(transports, orbtest::Options(argv + 4, argv + argc));
  orbtest::begin(argv[2]);
  orbtest::leave(argv[1]);
}
