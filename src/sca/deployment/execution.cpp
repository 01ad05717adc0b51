// The steps that place, load and execute components.
#include <algorithm>
#include <filesystem>
#include <set>

#include "sca/cf/call_error.h"
#include "sca/deploy/platform_match.h"
#include "sca/deployment/concurrently.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/device_capacities.h"
#include "sca/deployment/late_calls.h"
#include "sca/deployment/property_values.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using LoadType = CF::LoadableDevice::LoadType;

/// A file that is loaded once on a device, for all parts that need it.
struct Load {
  std::size_t part = 0;  // the first that needs it
  std::string file;      // in the file system of the domain
  LoadType type = LoadType::EXECUTABLE;
};

LoadType load_type(CodeType code) {
  switch (code) {
    case CodeType::executable: return LoadType::EXECUTABLE;
    case CodeType::shared_library: return LoadType::SHARED_LIBRARY;
    case CodeType::kernel_module: return LoadType::KERNEL_MODULE;
    case CodeType::driver: return LoadType::DRIVER;
  }
  return LoadType::EXECUTABLE;
}

std::string file_in_domain(const DeploymentContext& context, std::size_t part, const std::string& path) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored).lexically_normal().string();
  std::string name = context.domain.file_name(absolute);
  if (name.empty()) {
    throw DeploymentFailure(
        context.text(part) + ": its code " + absolute +
            " is not in the file system of the domain: start the domain with a --root that "
            "contains it",
        CF::ErrorNumberType::CF_ENOENT);
  }
  return name;
}

/// Collects the files of all parts, those that others depend on first.
class Loads {
 public:
  explicit Loads(const DeploymentContext& context) : context_(context) {}

  std::vector<Load> collect() {
    for (std::size_t p = 0; p < context_.plan.parts.size(); ++p) {
      const Implementation* const implementation = context_.implementation_of(p);
      if (implementation == nullptr) continue;
      add_dependencies(p, *implementation);
      add(p, *implementation);
    }
    return std::move(loads_);
  }

 private:
  void add(std::size_t part, const Implementation& implementation) {
    if (!paths_.emplace(context_.device_of(part).candidate.id, implementation.file).second) return;
    loads_.push_back(
        {part, file_in_domain(context_, part, implementation.file), load_type(implementation.code)});
  }

  void add_dependencies(std::size_t part, const Implementation& implementation) {
    for (const PackageDependency& dependency : implementation.dependencies) {
      const Implementation& needed = fitting(part, dependency);
      // Packages form no cycle: `orbweaver check` and the reader of the assembly reject it.
      if (paths_.contains({context_.device_of(part).candidate.id, needed.file})) continue;
      add_dependencies(part, needed);
      add(part, needed);
    }
  }

  const Implementation& fitting(std::size_t part, const PackageDependency& dependency) const {
    const auto package = context_.request.assembly.dependencies.find(dependency.file);
    const CandidateDevice& device = context_.device_of(part).candidate;
    std::string reasons;
    if (package != context_.request.assembly.dependencies.end()) {
      for (const Implementation& each : package->second.implementations) {
        if (!dependency.implementation.empty() && dependency.implementation != each.id) continue;
        const auto mismatch =
            platform_mismatch(each.systems, each.processors, device.system, device.processor);
        if (!mismatch) return each;
        reasons += (reasons.empty() ? "" : "; ") + ("implementation '" + each.id + "' " + *mismatch);
      }
    }
    throw DeploymentFailure(context_.text(part) + ": no implementation of " + dependency.file +
                                ", which it depends on, runs there: " + reasons,
                            CF::ErrorNumberType::CF_ENOEXEC);
  }

  const DeploymentContext& context_;
  std::vector<Load> loads_;
  std::set<std::pair<std::string, std::string>> paths_;  // device and path
};

/// The name that is executed: that of the loaded file, or the entry point within a loaded folder.
std::string executed_file(const DeploymentContext& context, std::size_t part) {
  const Implementation& implementation = *context.implementation_of(part);
  const std::string& entry = implementation.entry_point;
  if (implementation.code != CodeType::executable || entry.empty())
    return file_in_domain(context, part, implementation.file);
  if (entry.front() == '/') return entry;
  const auto folder = std::filesystem::path(context.plan.parts[part].package->file).parent_path();
  return file_in_domain(context, part, (folder / entry).string());
}

template <class T>
void add(CF::Properties& properties, const char* id, const T& value) {
  CORBA::Any any;
  any <<= value;
  properties.emplace_back(id, std::move(any));
}

CF::Properties execute_options(const DeploymentContext& context, std::size_t part) {
  const Implementation& implementation = *context.implementation_of(part);
  const DeploymentPart& planned = context.plan.parts[part];
  CF::Properties options;
  if (implementation.stack_size) add(options, "STACK_SIZE", *implementation.stack_size);
  if (implementation.priority) add(options, "PRIORITY", *implementation.priority);
  if (!planned.instantiation->cores.empty()) add(options, "CORE_AFFINITY", planned.instantiation->cores);
  if (implementation.code == CodeType::shared_library && !implementation.entry_point.empty())
    add(options, "ENTRY_POINT", implementation.entry_point);
  if (!planned.process.empty())
    add(options, "PROCESS_COLLOCATION_ID", planned.process + ":" + context.request.name);
  return options;
}

CF::Properties execute_parameters(const DeploymentContext& context, std::size_t part,
                                  const std::string& naming) {
  const DeploymentPart& planned = context.plan.parts[part];
  CF::Properties parameters;
  if (planned.is_sca41) {
    add(parameters, "COMPONENT_REGISTRY_IOR", context.registry->reference());
  } else {
    add(parameters, "NAMING_CONTEXT_IOR", naming);
    add(parameters, "NAME_BINDING", planned.binding);
  }
  add(parameters, "COMPONENT_IDENTIFIER", planned.id);
  if (!planned.direct_inputs.empty()) add(parameters, "DIRECT_INPUTS", planned.direct_inputs);
  const Instantiation& instantiation = *planned.instantiation;
  const PropertyFile properties = properties_of(*planned.package, context.implementation_of(part));
  for (const CF::DataType& each : exec_params(properties, instantiation.settings))
    set_property(parameters, each.id(), each.value());
  // A component of a factory that loads libraries gets its qualifiers in the same way.
  if (instantiation.factory) {
    const Assembly& assembly = context.request.assembly;
    const auto index = assembly.find(instantiation.id);
    for (const CF::DataType& each : factory_qualifiers(assembly, *index)) {
      if (const auto value = text_of(each.value()))
        set_property(parameters, each.id(), any_of("string", *value));
    }
  }
  const Assembly& assembly = context.request.assembly;
  if (&assembly.components[assembly.controller] != &instantiation) return parameters;
  for (const CF::DataType& given : context.request.configuration) {
    const SimpleProperty* const property = properties.find(given.id());
    const auto value = text_of(given.value());
    if (property != nullptr && property->exec_param && value)
      set_property(parameters, given.id(), any_of("string", property->canonical(*value)));
  }
  return parameters;
}

}  // namespace

void place_parts(DeploymentContext& context) {
  std::vector<CandidateDevice> candidates;
  for (const DeploymentDevice& device : context.devices) candidates.push_back(device.candidate);
  DeviceCapacities capacities(context);
  auto placed = place(context.plan.placement, candidates, capacities);
  if (!placed) throw DeploymentFailure(placed.error().message, CF::ErrorNumberType::CF_ENOSPC);
  context.placement = std::move(*placed);
  context.record.change_later([&](Application& record) {
    for (std::size_t p = 0; p < context.plan.parts.size(); ++p) {
      const Implementation* const implementation = context.implementation_of(p);
      record.components[p].device = context.device_of(p).candidate.id;
      context.add_device(record, context.device_of(p));
      record.components[p].implementation = implementation == nullptr ? "" : implementation->id;
    }
  });
}

void load_code(DeploymentContext& context) {
  const std::vector<Load> loads = Loads(context).collect();
  const auto files = context.domain.files();
  run_concurrently(loads.size(), [&](std::size_t i) {
    const Load& load = loads[i];
    const DeploymentDevice& device = context.device_of(load.part);
    try {
      const auto late = context.late_calls, undo = context.undo_calls;
      call_within(context.request.limits.load,
                  {"load() of device " + text_of(device),
                   [late, reference = device.reference, files, load] {
                     const auto loader = late.narrow<CF::LoadableDevice>(reference);
                     if (!loader) throw std::runtime_error("it is no CF::LoadableDevice");
                     loader->load(files, load.file, load.type);
                     return 0;
                   },
                   [undo, reference = device.reference, file = load.file](std::int32_t) {
                     undo.narrow<CF::LoadableDevice>(reference)->unload(file);
                   }});
    } catch (const std::exception&) {
      throw DeploymentFailure("device " + text_of(device) + " cannot load " + load.file + " of " +
                                  context.plan.parts[load.part].text() + ": " + printable_reason(),
                              CF::ErrorNumberType::CF_EIO);
    }
    context.record.change_later([&](Application& record) {
      record.loads.push_back({device.candidate.id, load.file});
    });
  });
  // Together: a file that a crash leaves loaded only keeps its place in the cache, and the device in use.
  context.record.store();
}

void execute_parts(DeploymentContext& context) {
  // The names of a former application whose removal has failed are not those of new components.
  context.domain.remove_naming_context(context.request.name);
  context.naming = context.domain.naming_context(context.request.name);
  if (!context.naming) throw DeploymentFailure("there is no naming context for the application");
  const std::string naming = context.domain.orb()->object_to_string(context.naming);
  const auto& parts = context.plan.parts;
  if (std::any_of(parts.begin(), parts.end(), [](const DeploymentPart& part) { return part.is_sca41; }))
    context.registry = std::make_unique<DeploymentRegistry>(context.plan, context.domain.orb(),
                                                            context.domain.registration_events());
  std::vector<std::size_t> executed;
  for (std::size_t p = 0; p < context.plan.parts.size(); ++p) {
    if (!context.plan.parts[p].factory) executed.push_back(p);
  }
  run_concurrently(executed.size(), [&](std::size_t i) {
    const std::size_t part = executed[i];
    const DeploymentDevice& device = context.device_of(part);
    std::int32_t process = -1;
    try {
      const auto late = context.late_calls, undo = context.undo_calls;
      process = call_within(context.request.limits.call,
                            {"execute() of device " + text_of(device),
                             [late, reference = device.reference, file = executed_file(context, part),
                              options = execute_options(context, part),
                              parameters = execute_parameters(context, part, naming)] {
                               const auto executor = late.narrow<CF::ExecutableDevice>(reference);
                               if (!executor) throw std::runtime_error("it is no CF::ExecutableDevice");
                               return executor->execute(file, options, parameters);
                             },
                             [undo, reference = device.reference](std::int32_t process_id) {
                               undo.narrow<CF::ExecutableDevice>(reference)->terminate(process_id);
                             }});
    } catch (const DeploymentFailure&) {
      throw;
    } catch (const std::exception&) {
      throw DeploymentFailure(context.text(part) + " cannot be executed: " + printable_reason(),
                              CF::ErrorNumberType::CF_ENOEXEC);
    }
    context.record.change([&](Application& record) { record.components[part].process = process; });
  });
}

}  // namespace orbweaver::sca
