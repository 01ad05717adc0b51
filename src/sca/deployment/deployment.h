#pragma once

#include <orbweaver/object.h>

#include <string>
#include <utility>
#include <vector>

#include "CFC.h"
#include "sca/domain/domain_records.h"
#include "sca/domain/placement.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// A registered device, as a deployment uses it.
struct DeploymentDevice {
  CandidateDevice candidate;  ///< What place() compares. Its id is the identifier of the CF::Device.
  IDL::traits<CF::Device>::ref_type reference;
};

/// The domain that an application is deployed in. Functions may be called by several threads at a time.
class DeploymentDomain {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

  virtual ~DeploymentDomain() = default;

  /// The registered devices, in the order in which they are to be tried.
  virtual std::vector<DeploymentDevice> devices() = 0;
  /// The file system from which devices load code: CF::DomainManager::fileMgr.
  virtual IDL::traits<CF::FileSystem>::ref_type files() = 0;
  /// The name that a file of the profiles (an absolute path of this host) has in files(). Empty: none.
  virtual std::string file_name(const std::string& path) = 0;

  /// A naming context in which the components of an application bind themselves: created, or the existing
  /// one. Exec param NAMING_CONTEXT_IOR.
  virtual ObjectRef naming_context(const std::string& application) = 0;
  /// Removes it with all its bindings; no effect if there is none.
  virtual void remove_naming_context(const std::string& application) noexcept = 0;

  // Objects that <connectinterface> names by other means than a component. Each is nil if there is none.
  virtual ObjectRef find_by_name(const std::string& name) = 0;         // <namingservice>
  virtual ObjectRef find_device_manager(const std::string& name) = 0;  // <domainfinder type="devicemanager">
  virtual ObjectRef find_service(const std::string& name) = 0;         // <domainfinder type="service">
  virtual ObjectRef domain_manager() = 0;                              // <domainfinder type="domainmanager">
  virtual ObjectRef find_application(const std::string& name) = 0;     // <domainfinder type="application">
  /// The channel of that name, created if there is none; empty: the outgoing domain channel.
  virtual ObjectRef event_channel(const std::string& name) = 0;  // <domainfinder type="eventchannel">
  /// A log service: by name, or any.
  virtual ObjectRef find_log(const std::string& name) = 0;  // <domainfinder type="log">

  /// Stores the state of a deployment before its next step. Raises CORBA::PERSIST_STORE.
  virtual void store(const Application& record) = 0;
};

/// What ApplicationFactory::create is asked for.
struct DeploymentRequest {
  const Assembly& assembly;
  std::string id;         ///< Of the application; unique in the domain.
  std::string name;       ///< Of the application.
  std::string installed;  ///< Id of the InstalledApplication.
  CF::Properties configuration;
  CF::DeviceAssignmentSequence assignments;
};

/// Creates an application (SCA 2.2.2 3.1.3.3.5.5.1): places the components, loads and executes them, waits
/// until each has registered, and calls initialize(), connectPort() and configure(). Before each step that
/// leaves something behind, its record is stored; the one that is returned is stored in state `stopped`.
///
/// Raises CF::ApplicationFactory::CreateApplicationRequestError, InvalidInitConfiguration or
/// CreateApplicationError, after everything that was done has been undone in reverse order; the record that
/// was stored last is then to be removed by the caller.
Application deploy(const DeploymentRequest& request, DeploymentDomain& domain);

/// Undoes what a record says, the last step first: stops and releases the components, terminates processes
/// that are left, unloads, disconnects, deallocates, removes the naming context. Continues after errors, so
/// that as little as possible is left behind; needs no profiles, so that an application of an earlier domain
/// manager can be released. Returns what could not be undone, an entry each.
std::vector<std::string> undeploy(const Application& record, DeploymentDomain& domain);

}  // namespace orbweaver::sca
