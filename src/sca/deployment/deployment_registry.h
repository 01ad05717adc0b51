#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sca/deployment/deployment_plan.h"
#include "sca/deployment/registration_events.h"

namespace orbweaver::sca {

/// The CF::ComponentRegistry of one deployment (SCA 4.1, 3.1.3.3): the components of 4.1 that it executes
/// register themselves here. It accepts one registration of each, and of provides ports those of the SCD. Any
/// thread.
class DeploymentRegistry {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

  /// What a component has registered. The references are not nil.
  struct Registration {
    std::size_t part = 0;  ///< Index into DeploymentPlan::parts.
    ObjectRef object;
    std::map<std::string, ObjectRef> provides;  ///< Provides ports by name.
  };

  /// Activates the object in the root POA of the ORB. `events` are notified of each registration. Raises
  /// CORBA exceptions.
  DeploymentRegistry(const DeploymentPlan& plan, const IDL::traits<CORBA::ORB>::ref_type& orb,
                     std::shared_ptr<RegistrationEvents> events);
  /// Deactivates it: whoever registers later gets OBJECT_NOT_EXIST.
  ~DeploymentRegistry();
  DeploymentRegistry(const DeploymentRegistry&) = delete;
  DeploymentRegistry& operator=(const DeploymentRegistry&) = delete;

  /// The stringified reference.
  const std::string& reference() const { return reference_; }
  /// The registrations since the last call.
  std::vector<Registration> take();
  /// Why a registration was rejected last, as printable text; empty: none was.
  std::string rejected() const;

 private:
  class Servant;

  IDL::traits<PortableServer::POA>::ref_type poa_;
  CORBA::servant_reference<Servant> servant_;
  PortableServer::ObjectId id_;
  std::string reference_;
};

}  // namespace orbweaver::sca
