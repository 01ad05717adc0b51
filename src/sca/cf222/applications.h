#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sca/cf222/assembly_files.h"
#include "sca/cf222/deployed_assemblies.h"
#include "sca/cf222/domain_parts.h"
#include "sca/cf222/orphans.h"
#include "sca/cf222/process_ends.h"
#include "sca/cf222/redeployments.h"
#include "sca/deployment/caller_placement.h"
#include "sca/deployment/deployment.h"

namespace orbweaver::sca {

/// Precedes the failure of an application that a release, or a creation that has failed, could not remove
/// completely.
inline constexpr const char* kIncomplete = "its release is incomplete: ";
inline bool is_incompletely_released(const Application& record) {
  return record.state == ApplicationState::failed && record.failure.starts_with(kIncomplete);
}

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
  /// `root` is the folder at which absolute file names of profiles start. `redeploy`: what set_redeploy()
  /// sets of new applications. `domain` and `objects` outlive this.
  Applications(const DomainParts& parts, DeploymentDomain& domain, ApplicationObjects& objects,
               DeploymentFunctions functions, std::string root, bool redeploy = false);

  /// Activates the objects of the model's applications, and forgets what was left long ago. Called once,
  /// before recover().
  void activate();
  /// Asks the components of the model's applications whether they still exist, all at a time; those of which
  /// one does not exist have failed. Starts a thread that removes the applications whose creation or release
  /// was interrupted. Applications of lost nodes are created again from then on. Called once.
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

  /// Whether the application is created again when a node with components of it is lost. Raises IMP_LIMIT if
  /// the arguments of its creation were too large to be kept (kMaxKeptBytes).
  void set_redeploy(const std::string& id, bool redeploy);

  /// What released applications have left on these devices is undone, and applications of lost nodes are
  /// created again.
  void devices_registered(const std::vector<std::string>& devices);
  /// Applications with components on these devices have failed. They are created again if they are to be.
  void devices_lost(const std::vector<std::string>& devices, const std::string& reason);
  /// The application with this process has failed. No effect if the device is not registered.
  void process_ended(const std::string& device, std::int64_t process, const std::string& description);

  // For deployments, as in DeploymentDomain.
  std::string process_end(const std::string& device, std::int64_t process) const {
    return ends_.find(device, process);
  }
  void process_started(const std::string& device, std::int64_t process,
                       ProcessEnds::Clock::time_point since) {
    ends_.started(device, process, since);
  }
  void store(const Application& record, Durability durability);
  bool others_have_connection(const DeployedConnection& connection, const std::string& application) const;
  std::size_t loads_of_others(const std::string& device, const std::string& file,
                              const std::string& application) const;
  OtherExecutions executions_of_others(const std::string& device, const std::string& component,
                                       const std::string& application) const;
  std::string file_name(const std::string& path) const { return files_.name_of(path); }

  /// The properties of a component by its profiles (DeployedAssemblies). Blocks while they are read.
  PropertyFile properties(const Application& application, const DeployedComponent& component) {
    return deployed_.properties(application, component);
  }

 private:
  /// Why an application is not complete any more.
  struct Loss {
    std::string reason;    // empty: it is complete
    bool of_node = false;  // or of a component only
  };
  class Exclusive;
  static std::string joined_lines(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
    return text;
  }
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
  Loss lost_meanwhile(const Application& record);
  /// Removes the record of a creation that has failed and has been undone, or keeps it if it could not be
  /// undone completely. Errors are those of the model, and that its object cannot be made.
  Result<void> end_failed_creation(const Application& record);
  /// Keeps the record of a creation that has failed, as that of a failed application, if it could not be
  /// undone completely. False if nothing is left.
  Result<bool> keep_incomplete(const std::string& id);
  /// Stores what a deployment has made or undone, the state and the failure. What else the domain manager
  /// keeps of an application remains, and may be changed meanwhile. Invalid if there is no such record any
  /// more.
  Result<void> put_deployed(Application record, Durability durability = Durability::machine);
  /// Changes a record, unless `change` returns false or there is none any more.
  Result<void> update(const std::string& id, const std::function<bool(Application&)>& change);
  void fail(const std::string& id, const Loss& loss);
  /// Counts a lost node (redeployment_pause.h), and adds to the failure of the application that there is a
  /// pause before it is created again.
  static void count_lost_node(Application& application);
  void fail_if_lost(const Application& record);
  /// start(), for the function that excludes others.
  void start_exclusively(const std::string& id);

  // applications_recovery.cpp
  struct Interrupted;
  /// Completes a release that was interrupted; undoes a creation, and repeats it if it is one of a lost node.
  /// For the function that excludes others, as the next.
  void finish_interrupted(const std::string& id) noexcept;
  /// Undoes what a record says and removes it. Returns what could not be undone.
  std::vector<std::string> undo(Application record);
  /// Keeps the name of an application until its removal, which could not be stored, has been tried again and
  /// has succeeded.
  void remove_later(const Application& record, const std::string& reason);
  /// Tries it again, for the function that excludes others. The time until the next attempt; 0: it is
  /// removed. Nullopt if there is no such application.
  std::optional<std::chrono::milliseconds> remove_again(const std::string& id);

  // applications_redeploy.cpp
  /// Creates an application of a lost node again, or removes one whose removal could not be stored, if it is
  /// to be. It is called again after a pause if another function is in progress or there is a pause.
  Redeployments::Outcome redeploy(const std::string& id) noexcept;
  // The following are for the function that excludes others of the application.
  /// Releases a failed application, and creates another one of its name. Returns the id of that one if its
  /// creation fails.
  std::string release_and_create_again(Application record);
  /// Replaces a record, of which something is left on `kept`, by that of a failed application without
  /// components, of another id. Nullopt if that cannot be stored.
  std::optional<Application> replace_by_failed(const Application& record, const std::set<std::string>& kept,
                                               const std::string& id);
  /// Deploys a failed application without components. Stores why, and returns its id, if that fails.
  std::string create_again(const Application& record);
  void start_again(const Application& record);
  void store_failed_redeployment(const std::string& id, const std::string& reason);
  /// Those that wait for it are created again.
  void redeploy_lost();

  const DomainParts parts_;
  DeploymentDomain& domain_;
  ApplicationObjects& objects_;
  const DeploymentFunctions functions_;
  const std::string root_;
  const bool redeploy_;
  AssemblyFiles files_;
  DeployedAssemblies deployed_;
  ProcessEnds ends_;
  Orphans orphans_;
  /// Held while an application is installed or uninstalled: record, assembly, object and event change
  /// together. Locked before the others, and before those of the model; nothing is called or read from a file
  /// under it.
  std::mutex installing_;
  std::mutex updating_;         // held while a record is read, changed and stored
  std::mutex mutex_;            // for the following
  std::set<std::string> busy_;  // ids of applications
  std::map<std::string, std::shared_ptr<const Assembly>> assemblies_;  // by id of the installed application
  /// mutex_. Those that remain to be removed, with the time until the next attempt.
  std::map<std::string, std::chrono::milliseconds> unremoved_;
  Redeployments redeployments_;
  std::jthread recovery_;
};

}  // namespace orbweaver::sca
