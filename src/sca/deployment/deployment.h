#pragma once

#include <orbweaver/object.h>
#include <orbweaver/orb.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "CFC.h"
#include "base/durability.h"
#include "sca/deployment/registration_events.h"
#include "sca/domain/domain_records.h"
#include "sca/domain/placement.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// A registered device, as a deployment uses it.
struct DeploymentDevice {
  CandidateDevice candidate;  ///< What place() compares. Its id is that of the device.
  IDL::traits<CORBA::Object>::ref_type reference;
  bool is_sca41 = false;  ///< The reference is that of a device of SCA 4.1, and of no CF::Device.
};

/// The processes of one component identifier on one device, of other applications than one.
struct OtherExecutions {
  std::set<std::int64_t> processes;  ///< That they have executed.
  bool in_progress = false;          ///< One of them is being created, and may have executed another one.
};

/// The domain that an application is deployed in. Functions may be called by several threads at a time.
class DeploymentDomain {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

  /// `events`: null for those of this domain alone.
  explicit DeploymentDomain(std::shared_ptr<RegistrationEvents> events = nullptr)
      : registration_events_(events ? std::move(events) : std::make_shared<RegistrationEvents>()) {}
  virtual ~DeploymentDomain() = default;

  /// The ORB that calls devices and components.
  virtual IDL::traits<CORBA::ORB>::ref_type orb() = 0;

  /// The registered devices with their present states, in the order in which they are to be tried. May take
  /// as long as the time limits of calls to a device that hangs.
  virtual std::vector<DeploymentDevice> devices() = 0;
  /// The same, without their present states and values: calls none of them.
  virtual std::vector<DeploymentDevice> registered_devices() = 0;
  /// The file system from which devices load code: CF::DomainManager::fileMgr.
  virtual IDL::traits<CF::FileSystem>::ref_type files() = 0;
  /// The name that a file of the profiles (an absolute path of this host) has in files(). Empty: none.
  virtual std::string file_name(const std::string& path) = 0;

  /// A naming context in which the components of an application bind themselves: created, or the existing
  /// one. Exec param NAMING_CONTEXT_IOR. Raises CORBA exceptions if the naming service cannot be called.
  virtual ObjectRef naming_context(const std::string& application) = 0;
  /// A new naming context for the components of an application that is being created, in which nothing is
  /// bound. What is bound in it, and the context itself, may survive the end of the machine no sooner than
  /// flush_names() has returned. Raises as naming_context().
  virtual ObjectRef new_naming_context(const std::string& application) {
    remove_naming_context(application);
    return naming_context(application);
  }
  /// Raises CORBA exceptions. No effect for other contexts.
  virtual void flush_names(const ObjectRef& /*context*/) {}
  /// Removes it with all its bindings; no effect if there is none.
  virtual void remove_naming_context(const std::string& application) noexcept = 0;

  // Objects that <connectinterface> names by other means than a component. Each is nil if there is none.
  /// <namingservice>: a name in the context of an application (empty: of none), otherwise in that of the
  /// domain, otherwise in the root of the naming service. A name that begins with "/" is one in the root.
  virtual ObjectRef find_by_name(const std::string& name, const std::string& application) = 0;
  virtual ObjectRef naming_service() = 0;  // <domainfinder type="namingservice">: its root
  virtual ObjectRef find_device_manager(const std::string& name) = 0;  // <domainfinder type="devicemanager">
  virtual ObjectRef find_service(const std::string& name) = 0;         // <domainfinder type="servicename">
  /// <domainfinder type="servicetype">: the service of that interface that was registered first.
  virtual ObjectRef find_service_of_type(const std::string& /*repid*/) { return nullptr; }
  virtual ObjectRef domain_manager() = 0;                           // <domainfinder type="domainmanager">
  virtual ObjectRef find_application(const std::string& name) = 0;  // <domainfinder type="application">
  /// The channel of that name, created if there is none; empty: the incoming domain channel.
  virtual ObjectRef event_channel(const std::string& name) = 0;  // <domainfinder type="eventchannel">
  /// A log service: by name, or any.
  virtual ObjectRef find_log(const std::string& name) = 0;  // <domainfinder type="log">

  /// Stores the state of a deployment before its next step. Raises CORBA::PERSIST_STORE. Called by one thread
  /// at a time for each application.
  virtual void store(const Application& record, Durability durability = Durability::machine) = 0;

  /// How often the applications but that of id `application` have loaded a file on a device, those included
  /// whose loads are not confirmed.
  virtual std::size_t loads_of_others(const std::string& /*device*/, const std::string& /*file*/,
                                      const std::string& /*application*/) {
    return 0;
  }

  /// Whether an application but that of id `application`, or what is left of a released one, has a connection
  /// of that id at that uses port, which is no component's own.
  virtual bool others_have_connection(const DeployedConnection& /*connection*/,
                                      const std::string& /*application*/) {
    return false;
  }

  /// What the applications but that of id `application`, and what is left of released ones, have executed on
  /// a device under a component's identifier: the next application of a name has the same identifiers.
  virtual OtherExecutions executions_of_others(const std::string& /*device*/,
                                               const std::string& /*component*/,
                                               const std::string& /*application*/) {
    return {};
  }

  /// Reports a mistake for which the exception of a deployment has no message.
  virtual void report(const std::string& /*problem*/) {}

  /// How a process that the device has executed has ended ("killed by SIGSEGV"), if the domain has been told
  /// (event ProcessEnded); empty if it runs, as far as is known. A deployment then does not wait for it.
  virtual std::string process_end(const std::string& /*device*/, std::int64_t /*process*/) { return {}; }
  /// A device has executed a process by a call that began at `since`: an end of this id that was told before
  /// is that of another process.
  virtual void process_started(const std::string& /*device*/, std::int64_t /*process*/,
                               std::chrono::steady_clock::time_point /*since*/) {}

  /// Wakes deployments that wait for registrations. The domain notifies it when a name has been bound in its
  /// naming service, and when process_end() has a further end to tell. Deployments do not depend on it: they
  /// also look at intervals of up to 20 ms.
  const std::shared_ptr<RegistrationEvents>& registration_events() const { return registration_events_; }

 private:
  std::shared_ptr<RegistrationEvents> registration_events_;
};

/// Time limits of a deployment.
struct DeploymentLimits {
  std::chrono::milliseconds call{10'000};          ///< Of each call to a component, port or device.
  std::chrono::milliseconds load{60'000};          ///< Of CF::LoadableDevice::load.
  std::chrono::milliseconds registration{30'000};  ///< From the execution of the last component.
  std::chrono::milliseconds release{3'000};        ///< Of each call of an undeployment.
};

/// What ApplicationFactory::create is asked for.
struct DeploymentRequest {
  const Assembly& assembly;
  std::string id;         ///< Of the application; unique in the domain.
  std::string name;       ///< Of the application.
  std::string installed;  ///< Id of the InstalledApplication.
  CF::Properties configuration;
  CF::DeviceAssignmentSequence assignments;
  DeploymentLimits limits{};
};

/// Creates an application (SCA 2.2.2 3.1.3.2.2.5.1): places the components, loads and executes them, waits
/// until each has registered, and calls initialize(), connectPort() and configure(). What each step leaves
/// behind is stored before the next one; the record that is returned is stored in state `stopped`. What a
/// domain manager could not find again after the end of its machine survives that, too: what is ordered from
/// devices, before it is, and the record that is returned.
///
/// Raises CF::ApplicationFactory::CreateApplicationRequestError, InvalidInitConfiguration or
/// CreateApplicationError, after everything that was done has been undone in reverse order; the record that
/// was stored last is then to be removed by the caller. What a device does after the time limit of its call
/// is undone when it answers (late_calls.h).
Application deploy(const DeploymentRequest& request, DeploymentDomain& domain);

/// Calls start() of the components of Application::start_order, in this order. Raises
/// CF::Resource::StartError with a message that names the component, after those before it have been stopped
/// again, unless the application had been started before.
void start_components(const Application& record, DeploymentDomain& domain,
                      const DeploymentLimits& limits = {});
/// Calls stop() of these components in reverse order. Raises CF::Resource::StopError for the first one that
/// failed, after all have been called.
void stop_components(const Application& record, DeploymentDomain& domain,
                     const DeploymentLimits& limits = {});

/// Undoes what a record says, the last step first: stops the components, disconnects ports, releases the
/// components, terminates processes that are left, unloads files, deallocates capacities, and removes the
/// naming context. Continues after errors, so that as little as possible is left behind; needs no profiles,
/// so that an application of an earlier domain manager can be released.
///
/// What belongs to a device that is not registered stays in `record`, and is no error; of a record in state
/// `orphaned`, only that is undone (device_undo.h), and what devices have not confirmed (order_undo.h); of
/// others, this stays in `record`.
///
/// What has been undone is removed from `record`, and the record is stored before and after capacities or
/// loads are given back: a repetition, also after a crash, undoes the rest only (device_undo.h). Returns what
/// could not be undone, an entry each; it stays in `record`.
std::vector<std::string> undeploy(Application& record, DeploymentDomain& domain,
                                  const DeploymentLimits& limits = {});

}  // namespace orbweaver::sca
