// bench-async [--transport T] [--calls N] [--rounds N] [--window N] [-ORB…]: the time of an asynchronous
// call, beside that of a one-way call which the server answers with another one, both in a pipeline of 64.
// The two are measured in turn, between the same two processes.
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

#include "asyncS.h"
#include "bench/harness/child.h"
#include "bench/harness/clock.h"

namespace {

using ServerRef = IDL::traits<BenchAsync::Server>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

/// Admits so many calls at a time.
class Window {
 public:
  explicit Window(int size) : free_(size), size_(size) {}
  void enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return free_ > 0; });
    --free_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (free_++ == 0 || free_ == size_) changed_.notify_one();
  }
  void wait_until_empty() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return free_ == size_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_;
  const int size_;
};

class Answers final : public virtual CORBA::servant_traits<BenchAsync::Answer>::base_type {
 public:
  explicit Answers(Window& window) : window_(window) {}
  void pong(std::int32_t) override { window_.leave(); }

 private:
  Window& window_;
};

class Handler final : public virtual CORBA::amic_traits<BenchAsync::Server>::replyhandler_base_type {
 public:
  using Excep = CORBA::object_reference<Messaging::ExceptionHolder>;
  explicit Handler(Window& window) : window_(window) {}
  void echo(std::int32_t) override { window_.leave(); }
  void echo_excep(Excep e) override { e->raise_exception(); }
  void connect() override {}
  void connect_excep(Excep e) override { e->raise_exception(); }

 private:
  Window& window_;
};

class Server final : public virtual CORBA::servant_traits<BenchAsync::Server>::base_type {
 public:
  std::int32_t echo(std::int32_t n) override { return n; }
  void ping(std::int32_t n) override { to_->pong(n); }
  void connect(IDL::traits<BenchAsync::Answer>::ref_type to) override { to_ = std::move(to); }

 private:
  IDL::traits<BenchAsync::Answer>::ref_type to_;
};

template <class Servant>
std::string activate(const OrbRef& orb, const Servant& servant) {
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->activate_object(servant);
  root->the_POAManager()->activate();
  return orb->object_to_string(root->servant_to_reference(servant));
}

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

int serve(int argc, char** argv) {
  const OrbRef orb = CORBA::ORB_init(argc, argv);
  std::cout << activate(orb, CORBA::make_reference<Server>()) << std::endl;
  orb->run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "serve") == 0) return serve(argc - 1, argv + 1);
  std::string transport = "shm";
  int calls = 100'000, rounds = 11, window_size = 64;
  std::vector<std::string> orb_options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (name.rfind("-ORB", 0) == 0)
      orb_options.insert(orb_options.end(), {name, value});
    else if (name == "--transport")
      transport = value;
    else if (name == "--calls")
      calls = std::atoi(value);
    else if (name == "--rounds")
      rounds = std::atoi(value);
    else if (name == "--window")
      window_size = std::atoi(value);
    else
      return std::fprintf(stderr,
                          "usage: bench-async [--transport T] [--calls N] [--rounds N] [--window N]\n"),
             2;
    ++i;
  }
  if (calls < 1 || rounds < 1 || window_size < 1) {
    std::fprintf(stderr, "bench-async: --calls, --rounds and --window: from 1 on\n");
    return 2;
  }
  std::vector<std::string> options{"-ORBTransportPreference", transport, "-ORBListen",
                                   transport == "tcp" ? "tcp:127.0.0.1:0" : transport};
  options.insert(options.end(), orb_options.begin(), orb_options.end());

  std::vector<std::string> arguments{"serve"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  orbweaver::bench::Child server(std::filesystem::read_symlink("/proc/self/exe").string(), arguments);
  const std::string reference = server.read_line(std::chrono::seconds(20)).value_or("");

  std::vector<char*> pointers{argv[0]};
  for (std::string& each : options) pointers.push_back(each.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  const OrbRef orb = CORBA::ORB_init(count, pointers.data());
  const ServerRef remote = IDL::traits<BenchAsync::Server>::narrow(orb->string_to_object(reference));
  if (!remote) {
    std::fprintf(stderr, "bench-async: no server: %s\n", reference.c_str());
    return 1;
  }
  Window window(window_size);
  const auto answers = CORBA::make_reference<Answers>(window);
  activate(orb, answers);
  remote->connect(answers->_this());
  const auto handler = CORBA::make_reference<Handler>(window);

  std::vector<double> oneway_us, async_us, ratios, cpu_ratios;
  const auto measure = [&](const auto& call) {
    const std::int64_t begin = orbweaver::bench::steady_ns();
    for (int i = 0; i < calls; ++i) {
      window.enter();
      call(i);
    }
    window.wait_until_empty();
    return static_cast<double>(orbweaver::bench::steady_ns() - begin) / 1000 / calls;
  };
  // Of both processes, which an otherwise busy machine changes less.
  // Of both processes, which an otherwise busy machine changes less.
  const auto measure_cpu = [&](const auto& call, double& cpu_us) {
    const auto used = [&] {
      return orbweaver::bench::cpu_us(getpid()) + orbweaver::bench::cpu_us(server.pid());
    };
    const double before = used();
    const double us = measure(call);
    cpu_us = (used() - before) / calls;
    return us;
  };
  for (int round = 0; round <= rounds; ++round) {
    double oneway_cpu = 0, async_cpu = 0;
    const double oneway = measure_cpu([&](int n) { remote->ping(n); }, oneway_cpu);
    const double async = measure_cpu([&](int n) { remote->sendc_echo(handler, n); }, async_cpu);
    if (round == 0) continue;  // warms up
    oneway_us.push_back(oneway);
    async_us.push_back(async);
    ratios.push_back(async / oneway);
    cpu_ratios.push_back(async_cpu / oneway_cpu);
  }
  std::printf(
      "%s, %d outstanding: a one-way and a one-way back %.2f us, an asynchronous call %.2f us, ratio "
      "%.2f, of CPU time %.2f (medians of %d rounds of %d calls)\n",
      transport.c_str(), window_size, median(oneway_us), median(async_us), median(ratios), median(cpu_ratios),
      rounds, calls);
  orb->destroy();
  return 0;
}
