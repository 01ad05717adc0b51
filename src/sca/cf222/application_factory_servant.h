#pragma once

#include <string>
#include <utility>

#include "CFS.h"
#include "sca/cf222/domain.h"

namespace orbweaver::sca {

/// Servant of an application factory (SCA 2.2.2 3.1.3.2.2): an installed application. Any thread.
class ApplicationFactoryServant final
    : public virtual CORBA::servant_traits<CF::ApplicationFactory>::base_type {
 public:
  /// The domain outlives it.
  ApplicationFactoryServant(Domain& domain, std::string id)
      : domain_(domain), id_(std::move(id)), counted_(domain.servants()) {}

  std::string name() override { return record().name; }
  std::string identifier() override { return id_; }
  std::string softwareProfile() override { return record().profile; }
  IDL::traits<CF::Application>::ref_type create(
      const std::string& name, const CF::Properties& initConfiguration,
      const CF::DeviceAssignmentSequence& deviceAssignments) override {
    return domain_.applications().create(id_, name, initConfiguration, deviceAssignments);
  }

 private:
  InstalledApplication record() const {
    if (auto record = domain_.model().installed_application(id_)) return *record;
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO);
  }

  Domain& domain_;
  const std::string id_;
  const ServantCount::Entry counted_;
};

}  // namespace orbweaver::sca
