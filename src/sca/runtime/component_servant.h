#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <orbweaver/sca/component.h>
#include "FrameworkS.h"

namespace orbweaver::sca {

/// Servant of an output port: connects and disconnects it.
class OutputServant final : public virtual CORBA::servant_traits<::orbweaver::framework::Output>::base_type {
 public:
  explicit OutputServant(OutputPort& port) : port_(port) {}

  void connectPort(IDL::traits<CORBA::Object>::ref_type connection, const std::string& connectionId) override;
  void disconnectPort(const std::string& connectionId) override;
  ::orbweaver::framework::ConnectionStatisticsList connections() override;
  std::uint64_t dropped() override { return port_.dropped(); }
  std::uint64_t copied_bytes() override { return port_.copied_bytes(); }

 private:
  OutputPort& port_;
};

/// Servant of a component, a CF::Resource. Activates the ports with the component; releaseObject()
/// deactivates it and its outputs and then calls `released`; its inputs discard packets until the ORB is
/// destroyed. Any thread. The component outlives the servant.
class ComponentServant final
    : public virtual CORBA::servant_traits<::orbweaver::framework::ObservableResource>::base_type {
 public:
  using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

  ComponentServant(Component& component, PoaRef poa, std::function<void()> released);

  /// Activates the component and its ports. Returns the component's reference.
  IDL::traits<CORBA::Object>::ref_type activate();

  std::string identifier() override { return component_.identifier(); }
  void initialize() override;
  /// The first call releases; others at the same time wait for it.
  void releaseObject() override;
  /// Whether releaseObject() has been called.
  bool is_released() const noexcept { return is_released_; }
  void start() override;
  void stop() override;
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string& name) override;
  ::orbweaver::framework::CounterList counters() override;
  std::uint64_t thread_cpu_ns() override { return static_cast<std::uint64_t>(component_.thread_cpu_ns()); }
  bool finished() override { return component_.finished(); }
  ::orbweaver::framework::ComponentDescription description() override;
  ::orbweaver::framework::ComponentActivity activity() override;
  void end_streams() override { component_.request_end(); }
  void close_inputs() override { component_.close_inputs(); }
  void expect_streams(const ::orbweaver::framework::ExpectedStreamsList& streams) override;

  void configure(const CF::Properties& configProperties) override;
  void query(CF::Properties& configProperties) override;
  /// Raises UnknownTest, because components have no tests.
  void runTest(std::uint32_t testid, CF::Properties& testValues) override;

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
  std::atomic<bool> is_released_{false};
  std::once_flag releasing_;
};

}  // namespace orbweaver::sca
