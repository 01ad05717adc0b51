#pragma once

#include <gmock/gmock.h>
#include <orbweaver/peer.h>
#include <orbweaver/rt_poa.h>
#include <orbweaver/rtcorba.h>
#include <sched.h>

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "platform/testing/thread_observer.h"
#include "testing/test_orb.h"

/// ORBs with Real-time CORBA, and servants that report priorities.
namespace orbtest {

using RTCORBA::Priority;
using RTCORBA::PriorityModel;
inline constexpr Priority kNone = -1;

/// Scheduling policy and priority of the calling thread, without SCHED_RESET_ON_FORK.
inline std::pair<int, int> native() {
  sched_param now{};
  sched_getparam(0, &now);
  return {sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, now.sched_priority};
}

/// An ORB whose program uses Real-time CORBA.
class RealTimeOrb : public TestOrb {
 public:
  explicit RealTimeOrb(const Options& options = {}) : TestOrb(options) {}
  const CORBA::object_reference<RTCORBA::RTORB> rt =
      IDL::traits<RTCORBA::RTORB>::narrow(orb->resolve_initial_references("RTORB"));
  const CORBA::object_reference<RTCORBA::Current> current =
      IDL::traits<RTCORBA::Current>::narrow(orb->resolve_initial_references("RTCurrent"));

  /// Activates a servant in `poa`. Returns its stringified reference.
  std::string activate(const PoaRef& poa, const CORBA::object_reference<PortableServer::Servant>& servant) {
    return orb->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
  }
  /// A POA with these policies, whose objects have system ids.
  CORBA::object_reference<RTPortableServer::POA> poa(const std::string& name,
                                                     const CORBA::PolicyList& policies) {
    return IDL::traits<RTPortableServer::POA>::narrow(make_poa(root, name, policies));
  }
  CORBA::object_reference<CORBA::Policy> client_propagated(Priority server_priority = 0) {
    return rt->create_priority_model_policy(PriorityModel::CLIENT_PROPAGATED, server_priority);
  }
  CORBA::object_reference<CORBA::Policy> server_declared(Priority server_priority) {
    return rt->create_priority_model_policy(PriorityModel::SERVER_DECLARED, server_priority);
  }
};

/// A server with -ORBThreads `threads`; with `single`, a thread calls ORB::run.
class RealTimeServer : public RealTimeOrb {
 public:
  RealTimeServer(const std::string& threads, const std::string& transport)
      : RealTimeOrb(
            {"-ORBThreads", threads, "-ORBListen", transport == "tcp" ? "tcp:127.0.0.1:0" : transport}) {
    if (threads == "single") running_ = std::thread([this] { orb->run(); });
  }
  ~RealTimeServer() { end(); }
  /// Destroys the ORB.
  void end() {
    if (running_.joinable()) {
      orb->shutdown(false);
      running_.join();
    }
    destroy();
  }

 private:
  std::thread running_;
};

/// The priority of the calling thread; kNone: it has none.
inline Priority priority_of(const CORBA::object_reference<RTCORBA::Current>& current) {
  try {
    return current->the_priority();
  } catch (const CORBA::INITIALIZE&) {
    return kNone;
  }
}

/// Calls `function` in a thread of its own, which has the priority `priority`, unless that is kNone.
template <class Function>
void at_priority(RealTimeOrb& orb, Priority priority, Function&& function) {
  std::thread([&] {
    if (priority != kNone) orb.current->the_priority(priority);
    function();
  }).join();
}

/// A servant that reports the priority at which it was called last. `note` is one-way.
class PriorityServant final : public virtual CORBA::servant_traits<OrbTest::Calls>::base_type {
 public:
  explicit PriorityServant(CORBA::object_reference<RTCORBA::Current> current)
      : current_(std::move(current)) {}
  /// Called within `twice` and `echo`.
  std::function<void()> within;
  Gate gate;

  std::int32_t twice(std::int32_t n) override {
    record();
    if (within) within();
    return 2 * n;
  }
  std::int32_t wait_at_gate(std::int32_t n) override {
    record();
    gate.pass(n);
    return n;
  }
  void note(std::int32_t n) override {
    record();
    const std::lock_guard lock(mutex_);
    notes_.push_back(n);
  }
  void note_at_gate(std::int32_t n) override {
    record();
    gate.pass(n);
    const std::lock_guard lock(mutex_);
    notes_.push_back(n);
  }
  OrbTest::Numbers notes() override {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  void open_gate(std::int32_t n) override { gate.open(n); }
  std::string greet(const std::string& who) override {
    record();
    if (who.empty()) throw OrbTest::Refused("empty name", 7);
    throw CORBA::NO_IMPLEMENT();
  }
  void value(std::int32_t) override { record(); }
  std::int32_t value() override { return 0; }

  /// The priority of the last call; kNone: it had none, or there was no call. Forgets it.
  Priority take_priority() {
    const std::lock_guard lock(mutex_);
    return std::exchange(priority_, kNone);
  }
  /// The address of the other end of the connection of the last call.
  std::string peer() {
    const std::lock_guard lock(mutex_);
    return peer_;
  }
  /// The thread of the last call.
  pid_t thread() {
    const std::lock_guard lock(mutex_);
    return thread_;
  }

  std::string name() override { return {}; }
  OrbTest::Record turn(const OrbTest::Record& r, std::int32_t&, std::string&) override { return r; }
  double sum(orbweaver::span<const double>) override { return 0; }
  OrbTest::Octets echo(const OrbTest::Octets& octets) override {
    record();
    if (within) within();
    return octets;
  }
  std::int32_t ask(IDL::traits<OrbTest::Watcher>::ref_type who, std::int32_t n) override {
    record();
    return who->twice(n);
  }
  IDL::traits<OrbTest::Watcher>::ref_type same(IDL::traits<OrbTest::Watcher>::ref_type who) override {
    return who;
  }
  IDL::traits<OrbTest::Watcher>::ref_type myself() override { return nullptr; }
  void raise_undeclared() override {}
  void raise_standard() override {}
  void raise_number() override {}
  void raise_system(std::uint32_t, const std::string&) override {}
  void note_slowly(std::int32_t, std::int32_t) override {}
  std::int32_t slow(std::int32_t, std::int32_t) override { return 0; }
  std::int32_t most_at_once() override { return 0; }
  std::int32_t pass(const OrbTest::Circle&, std::int32_t) override { return 0; }
  void deactivate_me() override {}
  void shut_down(bool) override {}
  std::int32_t process() override { return 0; }

 private:
  void record() {
    const Priority now = priority_of(current_);
    const std::lock_guard lock(mutex_);
    priority_ = now;
    peer_ = orbweaver::peer()->address;
    thread_ = orbweaver::platform::testing::this_thread_id();
  }

  const CORBA::object_reference<RTCORBA::Current> current_;
  std::mutex mutex_;
  Priority priority_ = kNone;
  pid_t thread_ = 0;
  std::string peer_;
  OrbTest::Numbers notes_;
};

using PriorityServantRef = CORBA::object_reference<PriorityServant>;

}  // namespace orbtest
