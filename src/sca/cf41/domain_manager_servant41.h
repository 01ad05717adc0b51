#pragma once

#include <string>

#include "Domain41S.h"
#include "sca/cf222/domain.h"

namespace orbweaver::sca {

/// Servant of the domain manager of SCA 4.1. Any thread.
class DomainManagerServant41 final
    : public virtual CORBA::servant_traits<framework::DomainManager41>::base_type {
 public:
  /// The domain outlives it.
  explicit DomainManagerServant41(Domain& domain) : domain_(domain), counted_(domain.servants()) {}

  std::string identifier() override { return domain_.identifier(); }
  std::string domainManagerProfile() override { return domain_.profile(); }
  /// The nodes of both editions. Their specializedInfo has MANAGER_INFO, and their devices as COMPONENTS.
  CF::Components managers() override;
  /// Those that are being created are not among them.
  CF::Components applications() override;
  CF::Components applicationFactories() override;
  IDL::traits<CF::FileManager>::ref_type fileMgr() override { return domain_.file_manager(); }

  CF::ComponentType installApplication(const std::string& profileFileName) override;
  void uninstallApplication(const std::string& identifier) override;

  void registerWithEventChannel(IDL::traits<CORBA::Object>::ref_type registeringObject,
                                const std::string& registeringId,
                                const std::string& eventChannelName) override;
  void unregisterFromEventChannel(const std::string& unregisteringId,
                                  const std::string& eventChannelName) override;

  // Device managers, devices and services of SCA 4.1; see component_registration.h.
  void registerComponent(const CF::ComponentType& registeringComponent) override;
  void unregisterComponent(const std::string& identifier) override;

  void configure(const CF::Properties& configProperties) override;
  void query(CF::Properties& configProperties) override;

 private:
  Domain& domain_;
  const ServantCount::Entry counted_;
};

}  // namespace orbweaver::sca
