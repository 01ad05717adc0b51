#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sca/cf222/assembly_files.h"
#include "sca/cf222/deployed_assemblies.h"
#include "sca/cf222/domain_parts.h"
#include "sca/cf222/orphans.h"
#include "sca/cf222/process_ends.h"
#include "sca/deployment/caller_placement.h"
#include "sca/deployment/deployment.h"

namespace orbweaver::sca {

/// The functions of deployment.h, which tests replace.
struct DeploymentFunctions {
  std::function<Application(const DeploymentRequest&, DeploymentDomain&)> deploy;
  std::function<std::vector<std::string>(Application&, DeploymentDomain&)> undeploy;
  std::function<void(const Application&, DeploymentDomain&)> start, stop;
};

/// The CORBA objects of installed and running applications. Any thread.
class ApplicationObjects {
 public:
  virtual ~ApplicationObjects() = default;
  /// Activates the object, if it is not active. Its reference is valid as long as the endpoints are.
  virtual IDL::traits<CF::ApplicationFactory>::ref_type add_factory(const std::string& id) = 0;
  virtual IDL::traits<CF::Application>::ref_type add_application(const std::string& id) = 0;
  /// No effect if there is none. A call in progress is completed.
  virtual void remove_factory(const std::string& id) noexcept = 0;
  virtual void remove_application(const std::string& id) noexcept = 0;
};

/// The installed and running applications of a domain. The functions that are named after operations of the
/// core framework raise their exceptions. Thread-safe; no lock is held while an object is called. The
/// functions of one application exclude each other: a second one raises its exception with CF_EBUSY.
class Applications {
 public:
  /// `root` is the folder at which absolute file names of profiles start. `domain` and `objects` outlive
  /// this.
  Applications(const DomainParts& parts, DeploymentDomain& domain, ApplicationObjects& objects,
               DeploymentFunctions functions, std::string root);

  /// Activates the objects of the model's applications, and forgets what was left long ago. Called once,
  /// before recover().
  void activate();
  /// Asks the components of the model's applications whether they still exist, all at a time; those of which
  /// one does not exist have failed. Starts a thread that removes the applications whose creation or release
  /// was interrupted.
  void recover();
  /// Waits until all threads have ended.
  void end();

  /// The file is in the folder `root`, or in the file system of a node.
  InstalledApplication install(const std::string& file);
  void uninstall(const std::string& id);
  /// `placement` is what SCA 4.1 adds.
  IDL::traits<CF::Application>::ref_type create(const std::string& installed, const std::string& name,
                                                const CF::Properties& configuration,
                                                const CF::DeviceAssignmentSequence& assignments,
                                                const CallerPlacement& placement = {});
  void start(const std::string& id);
  void stop(const std::string& id);
  void release(const std::string& id);

  /// What released applications have left on these devices is undone.
  void devices_registered(const std::vector<std::string>& devices) { orphans_.devices_registered(devices); }
  /// Applications with components on these devices have failed.
  void devices_lost(const std::vector<std::string>& devices, const std::string& reason);
  /// The application with this process has failed.
  void process_ended(const std::string& device, std::int64_t process, const std::string& description);

  // For deployments, as in DeploymentDomain.
  std::string process_end(const std::string& device, std::int64_t process) const {
    return ends_.find(device, process);
  }
  void process_started(const std::string& device, std::int64_t process,
                       ProcessEnds::Clock::time_point since) {
    ends_.started(device, process, since);
  }
  void store(const Application& record);
  std::size_t loads_of_others(const std::string& device, const std::string& file,
                              const std::string& application) const;
  std::string file_name(const std::string& path) const { return files_.name_of(path); }

  /// The properties of a component by its profiles (DeployedAssemblies). Blocks while they are read.
  PropertyFile properties(const Application& application, const DeployedComponent& component) {
    return deployed_.properties(application, component);
  }

 private:
  class Exclusive;
  using Category = StandardEvent::SourceCategoryType;

  /// create(), whose failure is not written to the log.
  IDL::traits<CF::Application>::ref_type create_unlogged(const std::string& installed,
                                                         const std::string& name,
                                                         const CF::Properties& configuration,
                                                         const CF::DeviceAssignmentSequence& assignments,
                                                         const CallerPlacement& placement);
  /// The assembly of an installed application, read when it is needed first.
  Result<std::shared_ptr<const Assembly>> assembly(const InstalledApplication& installed);
  /// Deploys the application of a record in state `deploying`. Raises as create().
  Application deploy(const InstalledApplication& installed, Application record,
                     const CF::Properties& configuration, const CF::DeviceAssignmentSequence& assignments,
                     const CallerPlacement& placement);
  /// Why the application is not complete any more; empty if it is.
  std::string lost_meanwhile(const Application& record);
  /// Undoes what a record says and removes it. Returns what could not be undone.
  std::vector<std::string> undo(Application record);
  /// Keeps the record of a creation that has failed, as that of a failed application, if it could not be
  /// undone completely. False if nothing is left, or it cannot be stored.
  bool keep_incomplete(const std::string& id);
  /// Changes a record, unless `change` returns false or there is none any more.
  Result<void> update(const std::string& id, const std::function<bool(Application&)>& change);
  void fail(const std::string& id, const std::string& reason);
  void fail_if_lost(const Application& record);
  void finish_interrupted(const std::vector<Application>& interrupted);

  const DomainParts parts_;
  DeploymentDomain& domain_;
  ApplicationObjects& objects_;
  const DeploymentFunctions functions_;
  const std::string root_;
  AssemblyFiles files_;
  DeployedAssemblies deployed_;
  ProcessEnds ends_;
  Orphans orphans_;
  std::mutex updating_;         // held while a record is read, changed and stored
  std::mutex mutex_;            // for the following
  std::set<std::string> busy_;  // ids of applications
  std::map<std::string, std::shared_ptr<const Assembly>> assemblies_;  // by id of the installed application
  std::jthread recovery_;
};

}  // namespace orbweaver::sca
