#pragma once

#include <string>
#include <utility>

#include "Domain41S.h"
#include "sca/cf222/domain.h"

namespace orbweaver::sca {

/// Servant of an application of SCA 4.1: its application manager. Operations that both editions have are
/// those of the CF::Application; its ports are the external ports of the assembly. Any thread.
class ApplicationManagerServant final
    : public virtual CORBA::servant_traits<framework::ApplicationManager41>::base_type {
 public:
  /// The domain outlives it.
  ApplicationManagerServant(Domain& domain, std::string id)
      : domain_(domain), id_(std::move(id)), counted_(domain.servants()) {}

  std::string name() override { return record().name; }
  std::string identifier() override { return id_; }
  CF::Components deployedComponents() override;
  bool started() override { return record().state == ApplicationState::started; }

  /// No effect: create() has initialised the components.
  void initialize() override {}
  void releaseObject() override { domain_.applications().release(id_); }
  void start() override;
  void stop() override;
  void runTest(std::uint32_t testid, CF::Properties& testValues) override;
  void configure(const CF::Properties& configProperties) override;
  void query(CF::Properties& configProperties) override;

  // See ApplicationPorts.
  void connectUsesPorts(const CF::PortAccessor::Connections& portConnections) override;
  void disconnectPorts(const CF::PortAccessor::Disconnections& portDisconnections) override;
  void getProvidesPorts(CF::PortAccessor::Connections& portConnections) override;

 private:
  using Accessor = CF::PortAccessor;
  using Record = ::orbweaver::sca::Application;

  /// Raises OBJECT_NOT_EXIST if it has been released.
  Record record() const;

  Domain& domain_;
  const std::string id_;
  const ServantCount::Entry counted_;
};

}  // namespace orbweaver::sca
