#include "sca/deployment/deployment_plan.h"

#include <algorithm>
#include <set>

#include "sca/deploy/plan.h"
#include "sca/deploy/start_order.h"
#include "sca/profile/edition.h"

namespace orbweaver::sca {
namespace {

std::vector<Requirement> requirements(const std::vector<DeviceRequirement>& list) {
  std::vector<Requirement> all;
  for (const DeviceRequirement& each : list) all.push_back({each.id, each.value, each.form});
  return all;
}

std::vector<DeviceUse> uses(const std::vector<UsedDevice>& list) {
  std::vector<DeviceUse> all;
  for (const UsedDevice& each : list) all.push_back({each.id, requirements(each.requirements)});
  return all;
}

std::vector<PackageUse> packages(const Implementation& implementation) {
  std::vector<PackageUse> all;
  for (const PackageDependency& each : implementation.dependencies)
    all.push_back({each.file, each.implementation});
  return all;
}

ImplementationNeeds needs_of(const Implementation& implementation,
                             const std::vector<DeviceRequirement>& required) {
  return {implementation.id,      implementation.systems,       implementation.processors,
          requirements(required), uses(implementation.devices), packages(implementation)};
}

class DeploymentPlanner {
 public:
  DeploymentPlanner(const Assembly& assembly, const std::string& application,
                    const std::map<std::string, std::string>& assignments)
      : assembly_(assembly), application_(application), assignments_(assignments),
        part_of_factory_(assembly.factories.size()) {}

  DeploymentPlan make() {
    for (std::size_t f = 0; f < assembly_.factories.size(); ++f) {
      if (assembly_.loads_libraries(f)) continue;
      part_of_factory_[f] = plan_.parts.size();
      add(assembly_.factories[f], assembly_.package_of_factory(f), true);
    }
    count_processes();
    for (std::size_t i = 0; i < assembly_.components.size(); ++i) {
      plan_.components.push_back(plan_.parts.size());
      add(assembly_.components[i], assembly_.package_of(i), false);
    }
    count_streams();
    for (DeploymentPart& part : plan_.parts) {
      if (!part.factory) place(part);
    }
    collocate();
    plan_.placement.uses = uses(assembly_.devices);
    for (const auto& [file, package] : assembly_.dependencies) {
      for (const Implementation& each : package.implementations)
        plan_.placement.packages[file].push_back(needs_of(each, each.requirements));
    }
    order();
    return std::move(plan_);
  }

 private:
  /// The process of a component that it may share with others; empty: none.
  std::string process_of(const Instantiation& component) const {
    if (component.factory)
      return part_of_factory_[component.factory->factory] ? "" : "factory " + component.factory->id;
    return component.process;
  }

  void count_processes() {
    for (const Instantiation& component : assembly_.components) ++in_process_[process_of(component)];
  }

  void add(const Instantiation& instantiation, const SoftwarePackage& package, bool is_factory) {
    DeploymentPart part;
    part.id = instantiation.id + ":" + application_;
    part.instantiation = &instantiation;
    part.package = &package;
    part.is_factory = is_factory;
    if (instantiation.factory) part.factory = part_of_factory_[instantiation.factory->factory];
    part.is_sca41 = part.factory ? plan_.parts[*part.factory].is_sca41
                    : is_factory ? is_component_factory(package.component)
                                 : sca::is_sca41(package.component);
    // SCA 2.2.2 3.1.3.2.2.5.1.3: ComponentName_UniqueIdentifier. The context is the application's own.
    if (!part.factory && !part.is_sca41)
      part.binding = instantiation.naming + "_" + std::to_string(plan_.parts.size() + 1);
    if (!is_factory) part.process = process_of(instantiation);
    if (in_process_[part.process] == 1 && !instantiation.factory) part.process.clear();
    plan_.parts.push_back(std::move(part));
  }

  /// Adds what an executed part needs to the placement.
  void place(DeploymentPart& part) {
    select_implementations(part);
    ComponentNeeds needs;
    needs.id = part.instantiation->id;
    needs.process = part.process;
    needs.device_requires = requirements(part.instantiation->device_requires);
    for (const std::size_t i : part.implementations) {
      const Implementation& implementation = part.package->implementations[i];
      std::vector<DeviceRequirement> required = implementation.requirements;
      for (const DeviceRequirement& each : part.instantiation->dependencies) set_dependency(required, each);
      needs.implementations.push_back(needs_of(implementation, required));
    }
    needs.uses = uses(part.package->devices);
    const auto assigned = assignments_.find(part.instantiation->id);
    needs.assigned_device = assigned != assignments_.end() ? assigned->second : part.instantiation->device;
    part.placed = plan_.placement.components.size();
    plan_.placement.components.push_back(std::move(needs));
  }

  /// Executables are preferred to libraries; components that share a process are libraries.
  static void select_implementations(DeploymentPart& part) {
    const auto& all = part.package->implementations;
    for (const CodeType type : {CodeType::executable, CodeType::shared_library}) {
      if (type == CodeType::executable && !part.process.empty()) continue;
      if (type == CodeType::shared_library && part.is_factory) continue;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].code == type) part.implementations.push_back(i);
      }
    }
    if (!part.implementations.empty()) return;
    throw DeploymentFailure(
        part.text() + (part.is_factory ? " is a program, but " : " shares a process, but ") +
            part.package->file + (part.is_factory ? " has only libraries" : " has no SharedLibrary") + " (" +
            part.instantiation->where.text() + ")",
        CF::ErrorNumberType::CF_EINVAL);
  }

  void count_streams() {
    std::vector<PlannedComponent> counts(assembly_.components.size());
    std::vector<std::set<std::string>> from_elsewhere(assembly_.components.size());
    for (const Connection& c : assembly_.connections) {
      if (c.provides.kind != EndKind::component || c.provides.port.empty()) continue;
      auto& fan_in = counts[c.provides.component].fan_in;
      auto found =
          std::find_if(fan_in.begin(), fan_in.end(), [&](auto& f) { return f.first == c.provides.port; });
      if (found == fan_in.end()) found = fan_in.insert(found, {c.provides.port, 0});
      ++found->second;
      const DeploymentPart& receiver = plan_.parts[plan_.components[c.provides.component]];
      const bool together = c.uses.kind == EndKind::component && !receiver.process.empty() &&
                            plan_.parts[plan_.components[c.uses.component]].process == receiver.process;
      const bool to_itself = c.uses.kind == EndKind::component && c.uses.component == c.provides.component;
      if (!together && !to_itself) from_elsewhere[c.provides.component].insert(c.provides.port);
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      DeploymentPart& part = plan_.parts[plan_.components[i]];
      if (part.factory || !is_orbweaver(part.package->component)) continue;
      part.streams = counts[i].fan_in;
      for (const std::string& port : part.instantiation->direct_inputs) {
        if (!from_elsewhere[i].contains(port)) counts[i].direct_inputs.push_back(port);
      }
      part.direct_inputs = sca::direct_inputs(counts[i]);
    }
  }

  void collocate() {
    for (const HostPlacement& host : assembly_.hosts) {
      HostCollocation collocation{host.name, {}};
      const auto add = [&](const DeploymentPart& part) {
        if (!part.factory) collocation.components.push_back(part.placed);
      };
      for (const std::size_t f : host.factories)
        if (part_of_factory_[f]) add(plan_.parts[*part_of_factory_[f]]);
      for (const std::size_t i : host.components) add(plan_.parts[plan_.components[i]]);
      for (std::size_t d = 0; d < assembly_.devices.size(); ++d) {
        const auto& named = host.devices;
        if (std::find(named.begin(), named.end(), assembly_.devices[d].id) != named.end())
          collocation.uses.push_back(d);
      }
      if (!collocation.components.empty()) plan_.placement.collocations.push_back(std::move(collocation));
    }
  }

  bool is_controller(std::size_t component) const {
    const auto& others = assembly_.other_controllers;
    return component == assembly_.controller ||
           std::find(others.begin(), others.end(), component) != others.end();
  }

  /// Components with a startorder keep the places that they have in the order of connections, and are sorted
  /// among each other.
  void order() {
    std::vector<std::size_t> places, sorted;
    for (const std::size_t i : sca::start_order(assembly_)) {
      const Instantiation& component = assembly_.components[i];
      if (!is_controller(i) && !component.start_order && !is_orbweaver(assembly_.package_of(i).component))
        continue;
      if (component.start_order) {
        places.push_back(plan_.start_order.size());
        sorted.push_back(i);
      }
      plan_.start_order.push_back(plan_.components[i]);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
      return *assembly_.components[a].start_order < *assembly_.components[b].start_order;
    });
    for (std::size_t k = 0; k < places.size(); ++k)
      plan_.start_order[places[k]] = plan_.components[sorted[k]];
  }

  const Assembly& assembly_;
  const std::string& application_;
  const std::map<std::string, std::string>& assignments_;
  std::vector<std::optional<std::size_t>> part_of_factory_;  // by Assembly::factories; none: not executed
  std::map<std::string, std::size_t> in_process_;            // number of components of each process
  DeploymentPlan plan_;
};

}  // namespace

bool is_orbweaver(const ComponentDescriptor& component) {
  const auto is_ours = [](const std::string& repid) { return repid.starts_with("IDL:orbweaver/"); };
  const auto is_our_port = [&](const PortDeclaration& port) { return is_ours(port.repid); };
  return std::any_of(component.provides.begin(), component.provides.end(), is_our_port) ||
         std::any_of(component.uses.begin(), component.uses.end(), is_our_port) ||
         std::any_of(component.supports.begin(), component.supports.end(), is_ours);
}

std::string DeploymentPart::text() const {
  return (is_factory ? factory_kind(package->component) : "component") + " '" + instantiation->id + "'";
}

DeploymentPlan plan_deployment(const Assembly& assembly, const std::string& application,
                               const std::map<std::string, std::string>& assignments) {
  return DeploymentPlanner(assembly, application, assignments).make();
}

}  // namespace orbweaver::sca
