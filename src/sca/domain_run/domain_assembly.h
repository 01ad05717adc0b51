#pragma once

#include <orbweaver/deadline.h>

#include <memory>
#include <string>
#include <vector>

#include "sca/cf222/domain.h"
#include "sca/domain/domain_model.h"
#include "sca/launch/application.h"

namespace orbweaver::sca {

/// What DomainAssembly needs, besides the assembly to observe.
struct DomainAssemblyOptions {
  Assembly assembly;        ///< As read for a domain, with the values of --set.
  std::string root;         ///< Folder of the domain's files, which contains the assembly and its code.
  std::size_t nodes = 1;    ///< Number of nodes that the deployment waits for,
  std::size_t devices = 1;  ///< and of their devices.
  CF::DeviceAssignmentSequence assignments;  ///< As in CF::ApplicationFactory::create.
  std::vector<std::string> orb;              ///< Options of the ORB.
};

/// The parts of an assembly that can be observed: connections between components, and the order in which
/// components are stopped.
struct ObservedAssembly {
  explicit ObservedAssembly(const Assembly& all);

  Assembly assembly;  ///< The components of `all`, without connections to other objects.
  Plan plan;          ///< Its start order only.
};

/// The components of an assembly, deployed by a domain in this process on its nodes. find_components() waits
/// for the nodes and creates the application; start() and release() are those of the application. Threads and
/// errors as LaunchedAssembly.
class DomainAssembly final : public LaunchedAssembly {
 public:
  /// `observed` and `result` outlive it; `result` gets the processes and the placement of the components.
  /// Raises CORBA exceptions and CF::FileException if the domain cannot be run.
  DomainAssembly(const ObservedAssembly& observed, RunResult& result, DomainAssemblyOptions options);
  ~DomainAssembly() override;

  /// Name of the domain manager in the naming service.
  std::string domain_name() const;
  /// Why the application has failed; empty if it has not. Any thread.
  std::string application_failure() const;
  /// Ends the wait for components that have been executed and have not registered. Any thread.
  void abandon_creation();
  /// Ends the process of a component, which does not respond, by its device. False if that is not possible.
  /// Any thread.
  bool terminate(std::size_t component);
  /// Ends the threads of the domain. No node calls it any more.
  void end_domain() { domain_->end(); }

  bool find_components() override;
  void create_components() override {}
  void initialize() override {}
  void connect() override { watch_sinks(); }
  void configure() override {}
  void start() override;
  void collect(RunResult& result) override;
  void release() override;

 private:
  bool nodes_are_registered() const;
  void deploy();
  void take_components(const Application& application);

  const ObservedAssembly& observed_;
  RunResult& result_;
  DomainAssemblyOptions options_;
  std::unique_ptr<DomainModel> model_;
  std::unique_ptr<Domain> domain_;
  Deadline nodes_deadline_;
  std::string application_;  // id; empty: there is none
};

}  // namespace orbweaver::sca
