#pragma once

#include <orbweaver/messaging.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "CosNamingC.h"
#include "FrameworkC.h"
#include "sca/deploy/plan.h"
#include "sca/deploy/run_result.h"
#include "sca/deploy/stall.h"

namespace orbweaver::sca {

/// A component that should have answered did not, or its answer was lost: perhaps because its process has died.
struct Unreachable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Components wait for each other: they can only be stopped once let_go() has been called.
struct Deadlocked : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How far the sinks have come.
struct Progress {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  bool finished = false;  ///< Every component that sends to nobody has come to its end.
};

/// The components of an assembly as objects: what an SCA core framework does with them, step by step, and
/// the naming service in which they are found. The steps are called in order, by one thread; they throw
/// std::runtime_error with a sentence that names the component, Unreachable where a call was not answered.
class Application {
 public:
  /// `assembly` and `plan` outlive it. Makes an ORB of its own, with these options. Raises as ORB_init does.
  Application(const Assembly& assembly, const Plan& plan, const std::vector<std::string>& orb_options);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  const std::string& id(std::size_t component) const { return assembly_.components[component].id; }
  /// Where components bind themselves, as an IOR.
  const std::string& naming_context() const { return naming_ior_; }

  /// Looks for components that have bound themselves. True once all have.
  bool find_components();
  /// Those that have not.
  std::vector<std::size_t> missing() const;
  /// Compares what the components have with what their profiles say. Nothing of theirs has been called by then.
  void check_descriptions();
  void initialize();
  void connect();
  /// Sets the properties of kind configure.
  void configure();
  void start();
  /// A component that does not answer within a second has made no progress.
  Progress progress();
  /// What each component does. `pids` are those of the processes, by component: one that is stopped is not asked.
  Snapshot snapshot(const std::vector<int>& pids);
  /// Ends a component that waits for its own stream.
  void end_streams(std::size_t component);

  static constexpr std::size_t kNobody = ~std::size_t{0};
  /// The component that is being called right now: whoever waits for us waits for it. Any thread.
  std::size_t calling() const { return calling_.load(std::memory_order_relaxed); }

  // The rest goes on past components that do not answer: they may be dead.

  /// Closes all inputs, so that nobody waits for room in a queue any more.
  void let_go();
  /// In the opposite order of starting, so that nobody sends to one who has stopped listening.
  void stop();
  /// Asks components and ports for their figures; fills in result.hops and each component's stats.
  void collect(RunResult& result);
  void release();

 private:
  using Resource = IDL::traits<::CF::Resource>::ref_type;
  /// For as long as a component is being called.
  class Calling {
   public:
    Calling(Application& application, std::size_t component) : application_(application) {
      application_.calling_.store(component, std::memory_order_relaxed);
    }
    ~Calling() { application_.calling_.store(kNobody, std::memory_order_relaxed); }
    Calling(const Calling&) = delete;
    Calling& operator=(const Calling&) = delete;

   private:
    Application& application_;
  };
  struct Member {
    Resource resource;
    IDL::traits<::orbweaver::framework::ObservableResource>::ref_type observable;  // nil: a plain resource
    /// The same, whose calls take a second at most.
    IDL::traits<::orbweaver::framework::ObservableResource>::ref_type watched;
  };

  IDL::traits<CORBA::Object>::ref_type port(std::size_t component, const std::string& name);
  template <class Call>
  void each_in(const std::vector<std::size_t>& order, const char* what, Call call);
  void collect_hop(std::size_t connection, HopResult& hop);
  void collect_dropped(std::size_t component, RunResult& result);
  void ask(std::size_t component, Snapshot& snapshot) const;
  std::optional<std::size_t> connection_of(std::uint64_t stream_id) const;
  /// The object, whose calls through this reference take a second at most.
  template <class Interface>
  typename IDL::traits<Interface>::ref_type limited(const IDL::traits<CORBA::Object>::ref_type& object) const {
    return IDL::traits<Interface>::narrow(
        object->_set_policy_overrides(watch_policies_, CORBA::SetOverrideType::ADD_OVERRIDE));
  }

  const Assembly& assembly_;
  const Plan& plan_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<PortableServer::POA>::ref_type poa_;
  IDL::traits<CosNaming::NamingContextExt>::ref_type naming_;
  std::string naming_ior_;
  std::vector<Member> members_;  // parallel to Assembly::components
  CORBA::PolicyList watch_policies_;
  /// The input of each connection that leads into a sink: a component that sends to nobody.
  std::vector<IDL::traits<::orbweaver::stream::Input>::ref_type> sink_inputs_;
  std::vector<std::size_t> sinks_;
  std::atomic<std::size_t> calling_{kNobody};
};

}  // namespace orbweaver::sca
