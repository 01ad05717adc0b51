#pragma once

#include <string>

#include "CFS.h"
#include "sca/cf222/servant_count.h"

namespace orbweaver::sca {

class Domain;

/// Servant of a domain manager (SCA 2.2.2 3.1.3.2.3). Any thread.
class DomainManagerServant final : public virtual CORBA::servant_traits<CF::DomainManager>::base_type {
 public:
  /// The domain outlives it.
  explicit DomainManagerServant(Domain& domain);

  std::string domainManagerProfile() override;
  CF::DomainManager::DeviceManagerSequence deviceManagers() override;
  /// Those that are being created are not among them.
  CF::DomainManager::ApplicationSequence applications() override;
  CF::DomainManager::ApplicationFactorySequence applicationFactories() override;
  IDL::traits<CF::FileManager>::ref_type fileMgr() override;
  std::string identifier() override;

  void registerDevice(IDL::traits<CF::Device>::ref_type registeringDevice,
                      IDL::traits<CF::DeviceManager>::ref_type registeredDeviceMgr) override;
  void registerDeviceManager(IDL::traits<CF::DeviceManager>::ref_type deviceMgr) override;
  void unregisterDeviceManager(IDL::traits<CF::DeviceManager>::ref_type deviceMgr) override;
  void unregisterDevice(IDL::traits<CF::Device>::ref_type unregisteringDevice) override;
  void installApplication(const std::string& profileFileName) override;
  void uninstallApplication(const std::string& applicationId) override;
  void registerService(IDL::traits<CORBA::Object>::ref_type registeringService,
                       IDL::traits<CF::DeviceManager>::ref_type registeredDeviceMgr,
                       const std::string& name) override;
  void unregisterService(IDL::traits<CORBA::Object>::ref_type unregisteringService,
                         const std::string& name) override;
  void registerWithEventChannel(IDL::traits<CORBA::Object>::ref_type registeringObject,
                                const std::string& registeringId,
                                const std::string& eventChannelName) override;
  void unregisterFromEventChannel(const std::string& unregisteringId,
                                  const std::string& eventChannelName) override;

  void configure(const CF::Properties& configProperties) override;
  void query(CF::Properties& configProperties) override;

 private:
  Domain& domain_;
  const ServantCount::Entry counted_;
};

}  // namespace orbweaver::sca
