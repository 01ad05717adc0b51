#include "sca/domain_run/domain_assembly.h"

#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "platform/process_cpu.h"
#include "sca/deploy/start_order.h"
#include "sca/deployment/deployment.h"
#include "sca/launch/component_error.h"
#include "state/record_store.h"

namespace orbweaver::sca {
namespace {

/// Time for the nodes to register with all devices.
constexpr int kNodesMs = 30'000;
constexpr const char* kDomainName = "orbweaver";

/// The functions of a domain that deploys `assembly` instead of what its file contains.
DeploymentFunctions deployment_functions(const Assembly& assembly) {
  return {[&](const DeploymentRequest& request, DeploymentDomain& domain) {
            return deploy({assembly, request.id, request.name, request.installed, request.configuration,
                           request.assignments, request.limits},
                          domain);
          },
          [](Application& record, DeploymentDomain& domain) { return undeploy(record, domain); },
          [](const Application& record, DeploymentDomain& domain) { start_components(record, domain); },
          [](const Application& record, DeploymentDomain& domain) { stop_components(record, domain); }};
}

/// The record of a component, not the object that LaunchedAssembly keeps.
using Deployed = ::orbweaver::sca::DeployedComponent;
/// A process of a device, in an order.
using DeviceProcess = std::pair<std::string, std::int64_t>;

}  // namespace

ObservedAssembly::ObservedAssembly(const Assembly& all) : assembly(all) {
  std::erase_if(assembly.connections, [](const Connection& c) {
    return c.uses.kind != EndKind::component || c.provides.kind != EndKind::component;
  });
  plan.components.resize(assembly.components.size());
  plan.start_order = start_order(assembly);
}

DomainAssembly::DomainAssembly(const ObservedAssembly& observed, RunResult& result,
                               DomainAssemblyOptions options)
    : LaunchedAssembly(observed.assembly, observed.plan, options.orb), observed_(observed), result_(result),
      options_(std::move(options)), nodes_deadline_(Deadline::in_ms(kNodesMs)) {
  auto model = DomainModel::open(state::make_memory_records());
  if (!model) throw std::runtime_error(model.error().message);
  model_ = std::move(*model);
  DomainOptions domain;
  domain.name = kDomainName;
  domain.root = options_.root;
  domain.functions = deployment_functions(options_.assembly);
  domain_ = std::make_unique<Domain>(orb(), naming(), *model_, std::move(domain));
  domain_->start();
}

DomainAssembly::~DomainAssembly() { domain_->end(); }

std::string DomainAssembly::domain_name() const { return domain_->name_of(domain_->name()); }

bool DomainAssembly::nodes_are_registered() const {
  return model_->nodes().size() >= options_.nodes && model_->devices().size() >= options_.devices;
}

bool DomainAssembly::find_components() {
  if (nodes_are_registered()) {
    deploy();
    return true;
  }
  if (nodes_deadline_.passed()) {
    throw std::runtime_error("of " + std::to_string(options_.nodes) + " nodes with " +
                             std::to_string(options_.devices) + " devices, " +
                             std::to_string(model_->nodes().size()) + " with " +
                             std::to_string(model_->devices().size()) + " have registered within " +
                             std::to_string(kNodesMs / 1000) + " s; see the lines of the nodes");
  }
  return false;
}

void DomainAssembly::deploy() {
  Applications& applications = domain_->applications();
  const std::string name = options_.assembly.name, id = options_.assembly.id;
  const std::string profile = domain_->file_name(options_.assembly.file);
  try {
    applications.install(profile);
    applications.create(id, name, {}, options_.assignments);
  } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
    throw std::runtime_error("the application cannot be created: " + e.msg());
  } catch (const CF::ApplicationFactory::CreateApplicationRequestError& e) {
    std::string text =
        "the application cannot be created: --assign names a component or device that does not exist:";
    for (const CF::DeviceAssignmentType& each : e.invalidAssignments())
      text += " " + each.componentId() + "=" + each.assignedDeviceId();
    throw std::runtime_error(text);
  } catch (const CF::DomainManager::ApplicationInstallationError& e) {
    throw std::runtime_error("the application cannot be installed: " + e.msg());
  } catch (const CORBA::Exception&) {
    fail_call("the application cannot be created");
  }
  const auto created = model_->applications();
  if (created.empty()) throw std::runtime_error("the application was lost while it was created");
  application_ = created.front().id;
  take_components(created.front());
}

void DomainAssembly::take_components(const Application& application) {
  std::map<DeviceProcess, std::size_t> processes;
  std::map<std::string, DeviceProcess> of_factory;
  for (const Deployed& each : application.components) {
    DeviceProcess process{each.device, each.process};
    if (each.is_factory) of_factory[each.id] = process;
    if (!each.factory.empty()) process = of_factory[each.factory];
    const std::size_t number = processes.emplace(process, processes.size() + 1).first->second;
    const auto component = observed_.assembly.find(each.instantiation);
    if (!component || each.is_factory) continue;
    ComponentResult& result = result_.components[*component];
    result.pid = process.second;
    result.placement = "process " + std::to_string(number);
    if (const auto device = model_->device(process.first)) {
      const auto node = model_->node(device->node);
      result.placement += " on " + (node ? node->label : device->node);
    }
    try {
      adopt(*component, orb()->string_to_object(each.reference));
    } catch (const CORBA::Exception&) {
      fail_call("component " + each.instantiation + " cannot be reached");
    }
  }
}

void DomainAssembly::start() {
  try {
    domain_->applications().start(application_);
  } catch (const CF::Resource::StartError& e) {
    throw ComponentUnreachable(e.msg());
  } catch (const CORBA::Exception&) {
    fail_call("the application cannot be started");
  }
}

std::string DomainAssembly::application_failure() const {
  for (const Application& application : model_->applications())
    if (application.state == ApplicationState::failed) return application.failure;
  return {};
}

void DomainAssembly::abandon_creation() {
  for (const Application& application : model_->applications()) {
    if (application.state != ApplicationState::deploying) continue;
    for (const Deployed& each : application.components)
      if (each.process >= 0 && each.reference.empty())
        domain_->applications().process_ended(each.device, each.process, "is not waited for any more");
  }
}

bool DomainAssembly::terminate(std::size_t component) {
  for (const Application& application : model_->applications()) {
    for (const Deployed& each : application.components) {
      const auto device = model_->device(each.device);
      if (each.instantiation != id(component) || each.process < 0 || !device) continue;
      try {
        const auto executable = domain_->object<CF::ExecutableDevice>(device->reference);
        if (!executable) return false;
        executable->terminate(static_cast<std::int32_t>(each.process));
        return true;
      } catch (const CORBA::Exception&) {  // it is hopefully ended with its device
        return false;
      }
    }
  }
  return false;
}

void DomainAssembly::collect(RunResult& result) {
  LaunchedAssembly::collect(result);
  // Alone in a process: what the process has used, as without a domain. The nodes run on this machine.
  std::map<std::int64_t, std::size_t> together;
  for (const ComponentResult& each : result.components) ++together[each.pid];
  for (ComponentResult& each : result.components) {
    if (each.pid <= 0 || together[each.pid] != 1) continue;
    const std::int64_t used = platform::process_cpu_ns(static_cast<int>(each.pid));
    if (used > 0) each.cpu_seconds = static_cast<double>(used) / 1e9;
  }
}

void DomainAssembly::release() {
  if (application_.empty()) return;
  const auto record = model_->application(application_);
  try {
    domain_->applications().release(application_);
  } catch (const CF::LifeCycle::ReleaseError& e) {
    std::string text = "the application cannot be released completely";
    for (const std::string& message : e.errorMessages()) text += ": " + message;
    throw std::runtime_error(text);
  } catch (const CORBA::Exception&) {
    fail_call("the application cannot be released");
  }
  if (!record) return;
  for (const Deployed& each : record->components) {
    const auto component = observed_.assembly.find(each.instantiation);
    if (!component || each.is_factory) continue;
    const std::string end = domain_->process_end(each.device, each.process);
    result_.components[*component].exit = end.empty() ? "released" : end;
  }
}

}  // namespace orbweaver::sca
