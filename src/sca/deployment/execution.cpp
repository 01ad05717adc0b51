// The steps that place, load and execute components.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>

#include "sca/cf/call_error.h"
#include "sca/deployment/concurrently.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/device_capacities.h"
#include "sca/deployment/device_host.h"
#include "sca/deployment/late_calls.h"
#include "sca/deployment/property_values.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using LoadType = CF::LoadableDevice::LoadType;

/// A call of a device that has failed. In a catch block around it.
struct OrderFailure : std::runtime_error {
  OrderFailure(const std::string& message, CF::ErrorNumberType error)
      : std::runtime_error(message), number(error) {}
  CF::ErrorNumberType number;
  bool may_be_performed = DeploymentContext::may_be_performed();
};

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
      const std::vector<const Implementation*> packages = context_.packages_of(p);
      for (auto each = packages.rbegin(); each != packages.rend(); ++each) add(p, **each);
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

  const DeploymentContext& context_;
  std::vector<Load> loads_;
  std::set<std::pair<std::string, std::string>> paths_;  // device and path
};

/// The parts that devices execute.
std::vector<std::size_t> executed_parts(const DeploymentContext& context) {
  std::vector<std::size_t> executed;
  for (std::size_t p = 0; p < context.plan.parts.size(); ++p)
    if (!context.plan.parts[p].factory) executed.push_back(p);
  return executed;
}

/// Sets the orders to execute parts on devices of Orbweaver. They are recorded with those to load, before
/// there is anything to undo: such a device tells that it has not performed them.
void set_early_executions(const DeploymentContext& context, Application& record, int unconfirmed) {
  for (const std::size_t part : executed_parts(context))
    if (is_orbweaver_device(context.device_of(part))) record.components[part].unconfirmed = unconfirmed;
}

/// Orders `count` calls, of which a domain manager that comes after this one is to know: `add` adds entries
/// to the record that are not confirmed, which are stored before the first call; null: they have been.
/// `durability`: what they have to survive.
/// `order(i)` makes call i, and confirms its entry. `remove` removes that of a call that has not been made,
/// or was rejected.
void order_all(DeploymentContext& context, std::size_t count, Durability durability,
               const std::function<void(Application&)>& add, const std::function<void(std::size_t)>& order,
               const std::function<void(Application&, std::size_t)>& remove) {
  std::vector<char> may_be_performed(count);
  try {
    if (add) context.record.change(add, durability);
    run_concurrently(count, [&](std::size_t i) {
      may_be_performed[i] = 1;
      try {
        order(i);
      } catch (const OrderFailure& failure) {
        may_be_performed[i] = failure.may_be_performed;
        throw DeploymentFailure(failure.what(), failure.number);
      }
    });
  } catch (...) {
    context.record.change_later([&](Application& record) {
      for (std::size_t i = 0; i < count; ++i)
        if (!may_be_performed[i]) remove(record, i);
    });
    throw;
  }
}

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

/// The numbers of "0,2".
std::vector<std::uint32_t> numbers_of(const std::string& list) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (const auto number = number_of(list.substr(begin, end - begin)))
      numbers.push_back(static_cast<std::uint32_t>(*number));
    begin = end + 1;
  }
  return numbers;
}

/// The files of the packages that a part depends on, or one that shares its process: that of all of them
/// finds its libraries by what it is started with.
CF::StringSequence dependencies_of(const DeploymentContext& context, std::size_t part) {
  CF::StringSequence files;
  const std::string& process = context.plan.parts[part].process;
  for (std::size_t p = 0; p < context.plan.parts.size(); ++p) {
    if (p != part && (process.empty() || context.plan.parts[p].process != process)) continue;
    for (const Implementation* const each : context.packages_of(p)) {
      std::string file = file_in_domain(context, p, each->file);
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
    }
  }
  return files;
}

CF::Properties execute_options(const DeploymentContext& context, std::size_t part) {
  const Implementation& implementation = *context.implementation_of(part);
  const DeploymentPart& planned = context.plan.parts[part];
  CF::Properties options;
  if (implementation.stack_size) add(options, "STACK_SIZE", *implementation.stack_size);
  if (implementation.priority) add(options, "PRIORITY", *implementation.priority);
  if (const std::string& cores = planned.instantiation->cores; !cores.empty()) {
    // 4.1 has it as a sequence of numbers; our devices take both, and a device of 2.2.2 may know the text.
    context.device_of(part).is_sca41 ? add(options, "CORE_AFFINITY", CF::ULongSeq(numbers_of(cores)))
                                     : add(options, "CORE_AFFINITY", cores);
  }
  if (implementation.code == CodeType::shared_library && !implementation.entry_point.empty())
    add(options, "ENTRY_POINT", implementation.entry_point);
  // The id, too: what is left of an earlier application of the name keeps a process of its own.
  if (!planned.process.empty())
    add(options, "PROCESS_COLLOCATION",
        planned.process + ":" + context.request.name + ":" + context.request.id);
  if (is_orbweaver_device(context.device_of(part))) {
    // Such devices limit an application to what it has allocated under its id.
    add(options, "APPLICATION", context.request.id);
  }
  if (takes_dependencies(context.device_of(part))) {
    if (const CF::StringSequence files = dependencies_of(context, part); !files.empty())
      add(options, "DEPENDENCIES", files);
  }
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
  // A process that several components share has been started before the others are known.
  if (const std::string& level = planned.instantiation->log_level;
      !level.empty() && planned.process.empty() && is_orbweaver(planned.package->component))
    add(parameters, "-ORBLog", level);
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

/// Makes what executed parts register with.
void make_registries(DeploymentContext& context) {
  // The names of a former application whose removal has failed are not those of new components.
  context.naming = context.domain.new_naming_context(context.request.name);
  if (!context.naming) throw DeploymentFailure("there is no naming context for the application");
  const auto& parts = context.plan.parts;
  if (std::any_of(parts.begin(), parts.end(), [](const DeploymentPart& part) { return part.is_sca41; }))
    context.registry = std::make_unique<DeploymentRegistry>(context.plan, context.domain.orb(),
                                                            context.domain.registration_events());
}

}  // namespace

Durability durability_of_orders(const DeploymentContext& context) {
  std::set<const DeploymentDevice*> devices;
  for (const std::size_t part : executed_parts(context)) devices.insert(&context.device_of(part));
  const bool are_here = std::all_of(devices.begin(), devices.end(), [&](const DeploymentDevice* device) {
    return durability_of_orders(*device, context.domain.orb()) == Durability::process;
  });
  return are_here ? Durability::process : Durability::machine;
}

void place_parts(DeploymentContext& context) {
  std::vector<CandidateDevice> candidates;
  for (const DeploymentDevice& device : context.devices) candidates.push_back(device.candidate);
  DeviceCapacities capacities(context);
  capacities.expect(context.plan.placement, candidates);
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
  const auto id_of = [&](const Load& load) { return context.device_of(load.part).candidate.id; };
  const auto entry_of = [&](Application& record, std::size_t i) {
    return std::find_if(record.loads.begin(), record.loads.end(), [&](const DeployedLoad& each) {
      return each.device == id_of(loads[i]) && each.file == loads[i].file;
    });
  };
  const auto add = [&](Application& record) {
    for (const Load& load : loads) record.loads.push_back({id_of(load), load.file, kUnconfirmed});
    set_early_executions(context, record, kUnconfirmed);
  };
  const auto order = [&](std::size_t i) {
    const Load& load = loads[i];
    const DeploymentDevice& device = context.device_of(load.part);
    try {
      const auto late = context.late_calls, undo = context.undo_calls;
      call_within(context.request.limits.load,
                  {context.request.id, "load() of device " + text_of(device),
                   [late, device, files, load] {
                     late.device(device.reference, device.is_sca41).load(files, load.file, load.type);
                     return 0;
                   },
                   [undo, device, file = load.file](std::int32_t) {
                     undo.device(device.reference, device.is_sca41).unload(file);
                   },
                   device.candidate.id});
    } catch (const std::exception&) {
      throw OrderFailure("device " + text_of(device) + " cannot load " + load.file + " of " +
                             context.plan.parts[load.part].text() + ": " + printable_reason(),
                         CF::ErrorNumberType::CF_EIO);
    }
    // The orders of the next step store it: a crash before leaves an order that is not confirmed.
    context.record.change_later([&](Application& record) { entry_of(record, i)->unconfirmed = 0; });
  };
  try {
    order_all(context, loads.size(), durability_of_orders(context), add, order,
              [&](Application& record, std::size_t i) { record.loads.erase(entry_of(record, i)); });
  } catch (...) {
    context.record.change_later([&](Application& record) { set_early_executions(context, record, 0); });
    throw;
  }
}

void execute_parts(DeploymentContext& context) {
  try {
    make_registries(context);
  } catch (...) {
    context.record.change_later([&](Application& record) { set_early_executions(context, record, 0); });
    throw;
  }
  const std::string naming = context.domain.orb()->object_to_string(context.naming);
  const std::vector<std::size_t> executed = executed_parts(context);
  std::function<void(Application&)> add = [&](Application& record) {
    for (const std::size_t part : executed) record.components[part].unconfirmed = kUnconfirmed;
  };
  const auto is_early = [&](std::size_t part) { return is_orbweaver_device(context.device_of(part)); };
  if (std::all_of(executed.begin(), executed.end(), is_early)) add = nullptr;
  const auto order = [&](std::size_t i) {
    const std::size_t part = executed[i];
    const DeploymentDevice& device = context.device_of(part);
    const auto since = std::chrono::steady_clock::now();
    // Of the call, which may be performed after this function has returned.
    const auto made = std::make_shared<Executed>();
    try {
      const auto late = context.late_calls, undo = context.undo_calls;
      call_within(
          context.request.limits.call,
          {context.request.id, "execute() of device " + text_of(device),
           [late, device, made, file = executed_file(context, part), options = execute_options(context, part),
            parameters = execute_parameters(context, part, naming)] {
             *made = late.device(device.reference, device.is_sca41).execute(file, options, parameters);
             return 0;
           },
           [undo, device, made](std::int32_t) {
             undo.device(device.reference, device.is_sca41).terminate(*made);
           },
           device.candidate.id});
    } catch (const DeploymentFailure& failure) {
      throw OrderFailure(failure.what(), failure.number);
    } catch (const std::exception&) {
      throw OrderFailure(context.text(part) + " cannot be executed: " + printable_reason(),
                         CF::ErrorNumberType::CF_ENOEXEC);
    }
    context.domain.process_started(device.candidate.id, made->process, since);
    const auto confirm = [&](Application& record) {
      record.components[part].process = made->process;
      record.components[part].execution = made->execution;
      record.components[part].unconfirmed = 0;
    };
    // A device that tells its processes is asked for them after a crash.
    is_early(part) ? context.record.change_later(confirm) : context.record.change(confirm);
  };
  order_all(context, executed.size(), Durability::machine, add, order,
            [&](Application& record, std::size_t i) { record.components[executed[i]].unconfirmed = 0; });
  context.record.store();
}

}  // namespace orbweaver::sca
