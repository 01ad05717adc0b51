#pragma once

#include <string>
#include <utility>

#include "DomainS.h"
#include "sca/cf222/servant_count.h"
#include "sca/domain/domain_records.h"

namespace orbweaver::sca {

class Domain;

/// Servant of an application (SCA 2.2.2 3.1.3.2.1). Its operations as a resource are those of the assembly
/// controller, and for external ports and properties those of their components. Any thread.
class ApplicationServant final
    : public virtual CORBA::servant_traits<framework::DomainApplication>::base_type {
 public:
  static constexpr const char* kType = "IDL:orbweaver/framework/DomainApplication:1.0";

  /// The domain outlives it.
  ApplicationServant(Domain& domain, std::string id);

  CF::Application::ComponentElementSequence componentNamingContexts() override;
  CF::Application::ComponentProcessIdSequence componentProcessIds() override;
  CF::DeviceAssignmentSequence componentDevices() override;
  CF::Application::ComponentElementSequence componentImplementations() override;
  std::string profile() override;
  std::string name() override;
  std::string identifier() override { return id_; }
  framework::ApplicationState state() override;
  std::string failure() override;
  bool redeploy() override;
  void redeploy(bool redeploy) override;

  /// No effect: create() has initialised the components.
  void initialize() override {}
  void releaseObject() override;
  void start() override;
  void stop() override;
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string& name) override;
  void runTest(std::uint32_t testid, CF::Properties& testValues) override;
  void configure(const CF::Properties& configProperties) override;
  void query(CF::Properties& configProperties) override;

 private:
  using Record = ::orbweaver::sca::Application;  // not the skeleton's name

  /// Raises OBJECT_NOT_EXIST if it has been released.
  Record record() const;

  Domain& domain_;
  const std::string id_;
  const ServantCount::Entry counted_;
};

}  // namespace orbweaver::sca
