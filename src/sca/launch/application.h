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
#include "sca/launch/component_error.h"

namespace orbweaver::sca {

/// Components wait for each other in a cycle. They can be stopped only after close_all_inputs().
struct DeadlockError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Totals of the packets that have arrived at the sinks.
struct Progress {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  bool finished = false;  ///< Every sink (component without outgoing connections) has finished.
};

/// The running components of an assembly as CORBA objects, and the naming service in which they bind
/// themselves. Performs the steps of an SCA core framework. One thread calls the steps in order. They throw
/// std::runtime_error with a message that names the component; ComponentUnreachable if a call got no reply.
/// A derived class lets a domain perform the steps that are virtual.
class LaunchedAssembly {
 public:
  /// `assembly` and `plan` outlive it. Creates its own ORB with these options. Raises the exceptions of
  /// ORB_init.
  LaunchedAssembly(const Assembly& assembly, const Plan& plan, const std::vector<std::string>& orb_options);
  virtual ~LaunchedAssembly();
  LaunchedAssembly(const LaunchedAssembly&) = delete;
  LaunchedAssembly& operator=(const LaunchedAssembly&) = delete;

  const std::string& id(std::size_t component) const { return assembly_.components[component].id; }
  /// IOR of the naming context in which components bind themselves.
  const std::string& naming_context() const { return naming_ior_; }

  /// Resolves the components and factories that have bound themselves. Returns true once all have.
  virtual bool find_components();
  /// The ids of components and factories that have not bound themselves yet.
  std::vector<std::string> missing() const;
  /// The processes of missing().
  std::vector<std::size_t> missing_processes() const;
  /// Lets the factories create their components, in the order of the assembly.
  virtual void create_components();
  /// Compares the ports and properties of the components with their profiles. Call before any other operation
  /// of theirs.
  void check_descriptions();
  /// Calls initialize() of the components in start order.
  virtual void initialize();
  /// Makes the connections of the assembly in its order, by getPort() and connectPort().
  virtual void connect();
  /// Sets the properties of kind configure.
  virtual void configure();
  /// Calls start() of the components in start order.
  virtual void start();
  /// Progress of the sinks. A component that does not respond within a second counts as without progress.
  Progress progress();
  /// The activity of all components. `pids` are the process ids by component; a stopped process is not
  /// called.
  Snapshot snapshot(const std::vector<int>& pids);
  /// Ends the streams of a component that waits for its own stream.
  void end_streams(std::size_t component);

  static constexpr std::size_t kNoComponent = ~std::size_t{0};
  /// The component in whose call the application is blocked, or kNoComponent. Any thread.
  std::size_t called_component() const { return called_component_.load(std::memory_order_relaxed); }

  // The functions below continue when a component does not respond, because it may be dead.

  /// Closes all inputs, so that no sender stays blocked on a full queue.
  void close_all_inputs();
  /// Stops the components in reverse start order, so that no sender sends to a stopped receiver.
  void stop();
  /// Reads statistics of components and ports; fills in result.hops, result.unconnected and each component's
  /// stats.
  virtual void collect(RunResult& result);
  /// Calls releaseObject() of the components in reverse start order, releaseResource() for those that a
  /// resource factory has created, and then shutdown() of the factories. Throws std::runtime_error if a
  /// factory refuses; what does not respond is left to the supervisor.
  virtual void release();

 protected:
  const IDL::traits<CORBA::ORB>::ref_type& orb() const { return orb_; }
  /// The root of the naming service.
  const IDL::traits<CosNaming::NamingContextExt>::ref_type& naming() const { return naming_; }
  /// Takes the object as the component of that number.
  void adopt(std::size_t component, const IDL::traits<CORBA::Object>::ref_type& object);
  /// Makes the progress of the sinks known, whose ports have been connected.
  void watch_sinks();

 private:
  using Resource = IDL::traits<::CF::Resource>::ref_type;
  /// Sets called_component() while a component is being called.
  class ActiveCall {
   public:
    ActiveCall(LaunchedAssembly& application, std::size_t component) : application_(application) {
      application_.called_component_.store(component, std::memory_order_relaxed);
    }
    ~ActiveCall() { application_.called_component_.store(kNoComponent, std::memory_order_relaxed); }
    ActiveCall(const ActiveCall&) = delete;
    ActiveCall& operator=(const ActiveCall&) = delete;

   private:
    LaunchedAssembly& application_;
  };
  struct DeployedComponent {
    Resource resource;
    /// Nil if the component is a CF::Resource of another framework.
    IDL::traits<::orbweaver::framework::ObservableResource>::ref_type observable;
    /// The same object; calls through this reference time out after a second.
    IDL::traits<::orbweaver::framework::ObservableResource>::ref_type with_timeout;
    bool created = false;  // by a factory, and not released yet
  };

  void create(std::size_t component);
  /// "resource factory f", "component factory f"
  std::string text_of_factory(std::size_t factory) const;
  /// Takes `port` as the receiver of the connection if its component is a sink.
  void watch_sink(const Connection& connection, const IDL::traits<CORBA::Object>::ref_type& port);
  IDL::traits<CORBA::Object>::ref_type port(std::size_t component, const std::string& name);
  template <class Call>
  void each_in(const std::vector<std::size_t>& order, const char* what, Call call);
  /// Reads the transport of a connection from its sender. Returns the number of packets sent. Raises if the
  /// sender does not respond.
  std::uint64_t collect_sent(std::size_t connection, HopResult& hop);
  /// Reads the counts of a connection from its receiver. Raises if the receiver does not respond.
  void collect_received(std::size_t connection, std::uint64_t sent, HopResult& hop);
  void collect_dropped(std::size_t component, RunResult& result);
  void collect_copied(std::size_t component, RunResult& result);
  void ask(std::size_t component, Snapshot& snapshot) const;
  /// Tells the components how many streams are connected to each of their inputs.
  void expect_streams();
  /// Whether a sink has finished. One that is not an Orbweaver component has when all streams of its inputs
  /// have ended, and cannot tell it if it has other ports.
  bool has_finished(std::size_t sink) const;
  std::optional<std::size_t> connection_of(std::uint64_t stream_id) const;
  /// A reference to the same object whose calls time out after a second.
  template <class Interface>
  typename IDL::traits<Interface>::ref_type with_call_timeout(
      const IDL::traits<CORBA::Object>::ref_type& object) const {
    return IDL::traits<Interface>::narrow(
        object->_set_policy_overrides(timeout_policies_, CORBA::SetOverrideType::ADD_OVERRIDE));
  }

  const Assembly& assembly_;
  const Plan& plan_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<PortableServer::POA>::ref_type poa_;
  IDL::traits<CosNaming::NamingContextExt>::ref_type naming_;
  std::string naming_ior_;
  std::vector<DeployedComponent> members_;                               // parallel to Assembly::components
  std::vector<IDL::traits<::CF::ResourceFactory>::ref_type> factories_;  // parallel to Assembly::factories
  CORBA::PolicyList timeout_policies_;
  /// The input of a connection that leads to a sink.
  struct SinkInput {
    std::size_t component;
    std::size_t streams;                                      // that the assembly connects to it
    IDL::traits<::orbweaver::stream::Input>::ref_type input;  // nil: the port is not an input of Stream.idl
    bool has_ended = false;                                   // all of them
  };
  std::vector<SinkInput> sink_inputs_;
  std::vector<std::size_t> sinks_;
  std::atomic<std::size_t> called_component_{kNoComponent};
};

}  // namespace orbweaver::sca
