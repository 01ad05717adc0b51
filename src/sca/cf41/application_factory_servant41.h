#pragma once

#include <string>
#include <utility>

#include "CF41DomainS.h"
#include "sca/cf222/domain.h"

namespace orbweaver::sca {

/// Servant of an application factory of SCA 4.1: an installed application. Any thread.
class ApplicationFactoryServant41 final
    : public virtual CORBA::servant_traits<CF41::ApplicationFactory>::base_type {
 public:
  /// The domain outlives it.
  ApplicationFactoryServant41(Domain& domain, std::string id)
      : domain_(domain), id_(std::move(id)), counted_(domain.servants()) {}

  std::string name() override;
  /// The values of deployment dependencies are those of simple properties. Those and affinities that cannot
  /// be used raise CreateApplicationError with CF_EINVAL or CF_E2BIG.
  CF::ComponentType create(
      const std::string& name, const CF::Properties& initConfiguration,
      const CF::DeviceAssignmentSequence& deviceAssignments, const CF::Properties& deploymentDependencies,
      const CF41::ApplicationFactory::ExecutionAffinitySequence& executionAffinityAssignments) override;

 private:
  Domain& domain_;
  const std::string id_;
  const ServantCount::Entry counted_;
};

}  // namespace orbweaver::sca
