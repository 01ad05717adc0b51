#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <orbweaver/sca/component.h>
#include "FrameworkS.h"

namespace orbweaver::sca {

/// Why a port cannot be connected or disconnected; the error code of CF::Port::InvalidPort and
/// CF::PortAccessor::InvalidPort.
enum class PortError : std::uint16_t {
  none = 0,
  nil_reference = 1,
  other_type = 2,         ///< The reference is not an input of the port's type.
  connected_already = 3,  ///< The port has a connection of that id.
  not_connected = 4,      ///< The port has no connection of that id.
  unknown_port = 5,       ///< The component has no port of that name and direction.
  occupied = 6            ///< The port has kMaxOutputConnections connections.
};

/// Limit of the connections of one output port: that of an assembly.
inline constexpr std::size_t kMaxOutputConnections = 4096;

/// Connects an output port. May call the object, and then raises what a call raises.
PortError connect_output(OutputPort& port, const std::string& connection,
                         const IDL::traits<CORBA::Object>::ref_type& target);

/// What the servants of a component have in common, whichever edition of the SCA they implement: the objects
/// of its ports, and its operations with types of IDL. Any thread. The component outlives it.
class ComponentCore {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

  /// `released` is called at the end of release().
  ComponentCore(Component& component, PoaRef poa, std::function<void()> released)
      : component_(component), poa_(std::move(poa)), released_(std::move(released)) {}
  ComponentCore(const ComponentCore&) = delete;
  ComponentCore& operator=(const ComponentCore&) = delete;

  /// Activates the ports, and the servant of the component. Returns its reference. Called once.
  ObjectRef activate(const CORBA::servant_reference<PortableServer::Servant>& servant);

  Component& component() { return component_; }
  /// The object of an input or output port; nil if there is none of that name.
  ObjectRef find_port(const std::string& name) const;
  ObjectRef find_output(const std::string& name) const;
  /// The inputs.
  CF::Ports provides_ports() const;
  /// The inputs and outputs.
  ::orbweaver::framework::PortObjectList port_objects() const;
  /// Implements ObservableResource::connect_ports.
  std::uint32_t connect_outputs(const ::orbweaver::framework::PortConnectionList& connections);

  /// Raises CF::LifeCycle::InitializeError.
  void initialize();
  /// Deactivates the component and its outputs and calls `released`; its inputs discard packets until the ORB
  /// is destroyed. The first call releases; others at the same time wait for it.
  void release();
  /// Whether release() has been called.
  bool is_released() const noexcept { return is_released_; }
  /// Throws what the component throws.
  void start();
  void stop();
  /// Whether start() has returned since the last stop().
  bool is_started() const noexcept { return is_started_; }
  /// Raises CF::PropertySet::InvalidConfiguration.
  void configure(const CF::Properties& properties);
  /// Raises CF::UnknownProperties.
  void query(CF::Properties& properties);
  /// Runs a BuiltInTest; false if there is none with that id. Raises CF::UnknownProperties with the values
  /// that it does not have or cannot use, and throws what the test throws.
  bool run_test(std::uint32_t id, CF::Properties& values);

  ::orbweaver::framework::CounterList counters() const;
  ::orbweaver::framework::ComponentDescription description() const;
  ::orbweaver::framework::ComponentActivity activity() const;
  void expect_streams(const ::orbweaver::framework::ExpectedStreamsList& streams);

 private:
  enum class PortKind { input, output };
  struct ActivePort {
    std::string name;
    PortableServer::ObjectId id;
    PortKind kind;
  };

  Component& component_;
  PoaRef poa_;
  std::function<void()> released_;
  PortableServer::ObjectId id_;
  std::vector<ActivePort> ports_;  // not changed after activate()
  std::atomic<bool> is_released_{false}, is_started_{false};
  std::once_flag releasing_;
};

/// The operations that are the same in both editions, for the servants of `Interface`.
template <class Interface>
class ObservableServant : public virtual CORBA::servant_traits<Interface>::base_type {
 public:
  ObservableServant(Component& component, ComponentCore::PoaRef poa, std::function<void()> released)
      : core_(component, std::move(poa), std::move(released)) {}

  /// Activates the component and its ports. Returns the component's reference.
  ComponentCore::ObjectRef activate() {
    this->_add_ref();
    return core_.activate(CORBA::servant_reference<PortableServer::Servant>::adopt(this));
  }

  std::string identifier() override { return core_.component().identifier(); }
  void initialize() override { core_.initialize(); }
  void releaseObject() override { core_.release(); }
  void configure(const CF::Properties& configProperties) override { core_.configure(configProperties); }
  void query(CF::Properties& configProperties) override { core_.query(configProperties); }
  void stop() override { core_.stop(); }

  ::orbweaver::framework::CounterList counters() override { return core_.counters(); }
  std::uint64_t thread_cpu_ns() override {
    return static_cast<std::uint64_t>(core_.component().thread_cpu_ns());
  }
  bool finished() override { return core_.component().finished(); }
  ::orbweaver::framework::ComponentDescription description() override { return core_.description(); }
  ::orbweaver::framework::ComponentActivity activity() override { return core_.activity(); }
  void end_streams() override { core_.component().request_end(); }
  void close_inputs() override { core_.component().close_inputs(); }
  void expect_streams(const ::orbweaver::framework::ExpectedStreamsList& streams) override {
    core_.expect_streams(streams);
  }

 protected:
  ComponentCore core_;
};

}  // namespace orbweaver::sca
