#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sca/cf222/applications.h"
#include "sca/cf222/domain_facade.h"
#include "sca/cf222/domain_properties.h"
#include "sca/cf222/nodes.h"
#include "sca/cf222/remote_calls.h"
#include "sca/cf222/servant_count.h"

namespace orbweaver::sca {

/// What a domain is made of.
struct DomainOptions {
  std::string name = "orbweaver";
  std::string root;     ///< Folder that is mounted at "/" of its file manager; without a "/" at its end.
  std::string profile;  ///< Its DMD, a file name in that folder; empty: none.
  DeploymentFunctions functions;
  NodeWatchOptions watch;
  std::vector<DomainFacade> facades = {};
  /// Time limit of calls to components, in the requests of clients.
  std::chrono::milliseconds call_limit = kOperationLimit;
  /// Notified of each name that is bound in the naming service, if that is one of this process; null: none.
  std::shared_ptr<RegistrationEvents> registration_events = nullptr;
  /// The naming service, if it is one of this process; null: another process hosts it.
  std::shared_ptr<naming::NamingService> hosted_names = nullptr;
  /// Whether an earlier domain manager of this name that still answers calls cannot change the state any
  /// more: it is not asked for.
  bool is_sole = false;
  DeviceQuestionLimits device_questions = {};
  /// The attribute `redeploy` of new applications.
  bool redeploy = false;
};

/// A domain (SCA 2.2.2 3.1.3.2): the parts of its domain manager, and their CORBA objects, whose keys are the
/// same in every process that has the state and the name of the domain ("domain/NAME/…").
class Domain final : public DeploymentDomain, private ApplicationObjects {
 public:
  using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
  using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
  using DomainManagerRef = IDL::traits<CF::DomainManager>::ref_type;

  /// `naming` is the root of a naming service. The model outlives the domain. Raises the exceptions of calls
  /// to the naming service, and CF::FileException if the folder cannot be opened.
  Domain(const OrbRef& orb, const DomainNames::ContextRef& naming, DomainModel& model, DomainOptions options,
         DomainProperties properties = {});
  ~Domain() override;

  /// Activates all objects of the domain, restores its state, and binds its names. Called once, when requests
  /// are served. Returns the domain manager. Raises the exceptions of calls to the naming service, and
  /// CORBA::BAD_INV_ORDER if another domain manager of this name runs there.
  DomainManagerRef start();
  /// Unbinds the domain manager, deactivates all objects of the domain, waits until their requests in service
  /// have been served, and ends all threads. Not within an upcall. Idempotent.
  void end() noexcept;

  const std::string& name() const { return options_.name; }
  /// The id of its DMD, or its name without one (SCA 2.2.2 3.1.3.2.3).
  const std::string& identifier() const {
    return properties_.id().empty() ? options_.name : properties_.id();
  }
  const std::string& profile() const { return options_.profile; }
  const std::string& root() const { return options_.root; }
  std::chrono::milliseconds call_limit() const { return options_.call_limit; }
  DomainModel& model() { return parts_.model; }
  Nodes& nodes() { return nodes_; }
  Applications& applications() { return applications_; }
  DomainChannels& channels() { return channels_; }
  DomainProperties& properties() { return properties_; }
  ServantCount& servants() { return servants_; }
  IDL::traits<CF::FileManager>::ref_type file_manager() { return file_manager_; }
  /// Calls a function for a client. Writes the exception that it throws to the log of the domain
  /// (FAILURE_ALARM), after the name of the client's operation.
  template <class Call>
  decltype(auto) logged(const std::string& operation, Call call) {
    try {
      return call();
    } catch (const CORBA::Exception&) {
      log_failure(operation);
      throw;
    }
  }

  /// A reference of a record, whose calls have a time limit; nil if it is damaged.
  template <class T>
  CORBA::object_reference<T> object(const std::string& reference) const {
    return limited<T>(parts_.orb, reference, options_.call_limit);
  }
  /// As DomainLog::records().
  std::vector<services::LogEntry> log_records(std::uint64_t after, std::size_t most,
                                              std::size_t max_string_bytes = std::string::npos) const {
    return log_.records(after, most, max_string_bytes);
  }
  /// A name in the context of the domain, as text: "orbweaver/rx_1/source_1".
  std::string name_of(const std::string& application, const std::string& component = {}) const;
  // References to objects of the domain, which need not exist.
  IDL::traits<CF::Application>::ref_type application(const std::string& id) const;
  IDL::traits<CF::ApplicationFactory>::ref_type factory(const std::string& id) const;

  /// A reference to an object of a façade, of kind "factory" or "application", which need not exist.
  ObjectRef facade_object(const std::string& facade, const std::string& kind, const std::string& id,
                          const char* type) const;

  // DeploymentDomain.
  OrbRef orb() override { return parts_.orb; }
  std::vector<DeploymentDevice> devices() override { return nodes_.devices(); }
  std::vector<DeploymentDevice> registered_devices() override { return nodes_.registered_devices(); }
  IDL::traits<CF::FileSystem>::ref_type files() override { return file_manager_; }
  std::string file_name(const std::string& path) override { return applications_.file_name(path); }
  ObjectRef naming_context(const std::string& application) override;
  ObjectRef new_naming_context(const std::string& application) override;
  void flush_names(const ObjectRef& context) override { names_.flush(context); }
  void remove_naming_context(const std::string& application) noexcept override;
  ObjectRef find_by_name(const std::string& name, const std::string& application) override {
    return names_.resolve(name, application);
  }
  ObjectRef naming_service() override { return names_.root(); }
  ObjectRef find_device_manager(const std::string& name) override;
  ObjectRef find_service(const std::string& name) override;
  ObjectRef find_service_of_type(const std::string& repid) override;
  ObjectRef domain_manager() override { return domain_manager_; }
  ObjectRef find_application(const std::string& name) override;
  ObjectRef event_channel(const std::string& name) override { return channels_.find_or_create(name); }
  ObjectRef find_log(const std::string& name) override;
  void store(const Application& record, Durability durability) override {
    applications_.store(record, durability);
  }
  bool others_have_connection(const DeployedConnection& connection, const std::string& application) override {
    return applications_.others_have_connection(connection, application);
  }
  std::size_t loads_of_others(const std::string& device, const std::string& file,
                              const std::string& application) override {
    return applications_.loads_of_others(device, file, application);
  }
  OtherExecutions executions_of_others(const std::string& device, const std::string& component,
                                       const std::string& application) override {
    return applications_.executions_of_others(device, component, application);
  }
  void report(const std::string& problem) override { log_.problem(problem); }
  std::string process_end(const std::string& device, std::int64_t process) override {
    return applications_.process_end(device, process);
  }
  void process_started(const std::string& device, std::int64_t process,
                       std::chrono::steady_clock::time_point since) override {
    applications_.process_started(device, process, since);
  }

 private:
  // ApplicationObjects.
  IDL::traits<CF::ApplicationFactory>::ref_type add_factory(const std::string& id) override;
  IDL::traits<CF::Application>::ref_type add_application(const std::string& id) override;
  void remove_factory(const std::string& id) noexcept override;
  void remove_application(const std::string& id) noexcept override;

  std::string key(const std::string& kind, const std::string& id = {}) const;
  ObjectRef activate(const std::string& key,
                     const CORBA::servant_reference<PortableServer::Servant>& servant);
  void deactivate(const std::string& key) noexcept;
  /// Calls a function that returns the naming context of an application.
  template <class Call>
  ObjectRef context_of(const std::string& application, Call call);
  void bind_names();
  void end_requests();
  void activate_facades();
  void take_event(const CORBA::Any& event);
  /// In a catch block.
  void log_failure(const std::string& operation);

  const DomainOptions options_;
  const PoaRef objects_;  // whose object ids are keys
  DomainProperties properties_;
  DomainNames names_;
  DomainChannels channels_;
  DomainLog log_;
  const DomainParts parts_;
  const CORBA::servant_reference<MountedFileManager> files_;
  NodeConnections node_connections_;
  Nodes nodes_;
  Applications applications_;
  IDL::traits<CF::FileManager>::ref_type file_manager_;
  DomainManagerRef domain_manager_;
  ServantCount servants_;
  bool is_started_ = false;
};

}  // namespace orbweaver::sca
