#include "sca/deploy/plan.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "platform/process.h"
#include "sca/deploy/platform_match.h"
#include "sca/deploy/start_order.h"
#include "sca/profile/check.h"
#include "sca/profile/edition.h"
#include "sca/profile/property_values.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

class Planner {
 public:
  Planner(const Assembly& assembly, const DeployOptions& options) : assembly_(assembly), options_(options) {}

  Plan make() {
    place_factories();
    place();
    for (std::size_t i = 0; i < assembly_.components.size(); ++i) implement(i);
    for (std::size_t i = 0; i < assembly_.components.size(); ++i) set_properties(i);
    apply_overrides();
    for (const Connection& c : assembly_.connections) count_fan_in(c);
    for (std::size_t i = 0; i < assembly_.components.size(); ++i) {
      select_direct_inputs(i);
      if (assembly_.components[i].factory) add_qualifiers(i);
    }
    for (std::size_t f = 0; f < assembly_.factories.size(); ++f) {
      if (assembly_.loads_libraries(f)) list_libraries(f);
    }
    plan_.start_order = start_order(assembly_);
    return std::move(plan_);
  }

 private:
  /// Gives each factory a process. They have the first numbers.
  void place_factories() {
    for (std::size_t f = 0; f < assembly_.factories.size(); ++f) {
      PlannedFactory planned;
      planned.process = plan_.processes.size();
      PlannedProcess process;
      process.factory = f;
      const SoftwarePackage& package = assembly_.package_of_factory(f);
      const Implementation* const chosen = find_implementation(package, CodeType::executable);
      if (chosen == nullptr)
        fail_no_implementation(package,
                               "is a library, and a " + factory_kind(package.component) + " is a program");
      if (is_host_program(*chosen)) {
        process.program = options_.host_program;
      } else {
        check_code(*chosen);
        process.program = std::filesystem::absolute(chosen->file).string();
      }
      for (const SimpleProperty& property : package.properties.simple) {
        auto value = property.value;
        for (const PropertySetting& setting : assembly_.factories[f].settings) {
          if (setting.id == property.id) value = setting.value;
        }
        if (property.exec_param && value && !property.is_none(*value))
          planned.exec_params.emplace_back(property.id, property.canonical(*value));
      }
      plan_.processes.push_back(std::move(process));
      plan_.factories.push_back(std::move(planned));
    }
  }

  /// Whether the implementation is orbweaver-host, which profiles name without its folder.
  static bool is_host_program(const Implementation& implementation) {
    std::error_code ignored;
    return std::filesystem::path(implementation.file).filename() == "orbweaver-host" &&
           !std::filesystem::exists(implementation.file, ignored);
  }

  /// Assigns components to processes, numbered in the order of the assembly.
  void place() {
    std::map<std::string, std::size_t> named;
    for (std::size_t i = 0; i < assembly_.components.size(); ++i) {
      const std::string& collocation = assembly_.components[i].process;
      std::size_t process = plan_.processes.size();
      if (const auto& factory = assembly_.components[i].factory)
        process = plan_.factories[factory->factory].process;
      else if (!collocation.empty())
        process = named.emplace(collocation, process).first->second;
      if (process == plan_.processes.size()) plan_.processes.emplace_back();
      plan_.processes[process].components.push_back(i);
      PlannedComponent planned;
      planned.component = i;
      planned.process = process;
      plan_.components.push_back(std::move(planned));
    }
  }

  const Implementation* find_implementation(const SoftwarePackage& package, CodeType code) const {
    for (const Implementation& candidate : package.implementations) {
      if (candidate.code == code &&
          !platform_mismatch(candidate.systems, candidate.processors, options_.platform))
        return &candidate;
    }
    return nullptr;
  }

  void implement(std::size_t i) {
    const SoftwarePackage& package = assembly_.package_of(i);
    const Instantiation& component = assembly_.components[i];
    PlannedComponent& planned = plan_.components[i];
    PlannedProcess& process = plan_.processes[planned.process];
    if (component.factory && !assembly_.loads_libraries(component.factory->factory)) return;
    const bool alone = !component.factory && process.components.size() == 1;
    // A component that is alone in its process runs as an executable if possible: no loader is needed, and ps
    // shows its name.
    const Implementation* chosen = alone ? find_implementation(package, CodeType::executable) : nullptr;
    if (chosen == nullptr) chosen = find_implementation(package, CodeType::shared_library);
    if (chosen == nullptr && !alone && find_implementation(package, CodeType::executable) != nullptr) {
      throw ProfileError(
          component.where,
          component.factory
              ? "'" + component.id + "' is created by " +
                    factory_kind(assembly_.package_of_factory(component.factory->factory).component) + " '" +
                    component.factory->id + "', which loads libraries, but " + package.file +
                    " has no SharedLibrary that runs here"
              : "'" + component.id + "' is placed in one process with others, but " + package.file +
                    " has no SharedLibrary that runs here",
          std::string("add an <implementation> with code of type SharedLibrary, or leave out ") +
              (!component.factory            ? "processcollocation"
               : component.factory->is_sca41 ? "componentfactoryref"
                                             : "componentresourcefactoryref"));
    }
    if (chosen == nullptr) fail_no_implementation(package);
    check_code(*chosen);
    if (chosen->code == CodeType::shared_library) {
      process.is_host = !component.factory;
      if (process.is_host) process.program = options_.host_program;
      planned.module = std::filesystem::absolute(chosen->file).string();
      planned.entry_point = chosen->entry_point;
    } else {
      process.program = std::filesystem::absolute(chosen->file).string();
    }
  }

  [[noreturn]] void fail_no_implementation(const SoftwarePackage& package,
                                           const std::string& fallback = "does not fit") const {
    std::string found;
    for (const Implementation& candidate : package.implementations) {
      const auto mismatch = platform_mismatch(candidate.systems, candidate.processors, options_.platform);
      found += (found.empty() ? "" : "; ") +
               (candidate.where.line != package.implementations.front().where.line
                    ? "line " + std::to_string(candidate.where.line) + ": "
                    : "") +
               "implementation '" + candidate.id + "' " + mismatch.value_or(fallback);
    }
    throw ProfileError(package.implementations.front().where, found,
                       "add an <implementation> for " + options_.platform.system + " " +
                           options_.platform.processor + ", or correct <os> and <processor>");
  }

  static void check_code(const Implementation& chosen) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(chosen.file, ignored)) {
      throw ProfileError(
          chosen.where,
          "the code of implementation '" + chosen.id + "' is missing (looked for " + chosen.file + ")",
          "build it, or correct the name: it is relative to this file's folder");
    }
    if (chosen.code == CodeType::executable && !platform::is_executable(chosen.file)) {
      throw ProfileError(
          chosen.where,
          "the program of implementation '" + chosen.id + "' is not executable (" + chosen.file + ")",
          "set its permissions: chmod +x " + chosen.file);
    }
  }

  void set_properties(std::size_t i) {
    const Instantiation& component = assembly_.components[i];
    for (const SimpleProperty& property : assembly_.package_of(i).properties.simple) {
      auto value = property.value;
      for (const PropertySetting& setting : component.settings) {
        if (setting.id == property.id) value = setting.value;
      }
      if (options_.realtime && property.id == "realtime" && property.type == PropertyType::boolean)
        value = "true";
      if (value && !property.is_none(*value)) set(i, property, *value);
    }
    const PropertyFile& properties = assembly_.package_of(i).properties;
    const auto add = [&](const auto& list) {
      for (const auto& property : list) {
        if (!property.configurable || property.read_only) continue;
        if (auto value = configured_value(property, component.settings))
          plan_.components[i].configuration.push_back(
              {property.id, declared_type(property), std::move(*value)});
      }
    };
    add(properties.sequences);
    add(properties.structs);
  }

  /// Sets the property as exec param, configure() value or both, as its kinds require.
  void set(std::size_t i, const SimpleProperty& property, const std::string& text) {
    const std::string value = property.canonical(text);
    if (property.exec_param) {
      auto& params = plan_.components[i].exec_params;
      const auto found =
          std::find_if(params.begin(), params.end(), [&](auto& p) { return p.first == property.id; });
      if (found == params.end())
        params.emplace_back(property.id, value);
      else
        found->second = value;
    }
    if (property.configurable && !property.read_only) {
      auto& settings = plan_.components[i].configuration;
      const auto found =
          std::find_if(settings.begin(), settings.end(), [&](auto& s) { return s.id == property.id; });
      if (found == settings.end())
        settings.push_back({property.id, declared_type(property), value});
      else
        found->value = value;
    }
  }

  void apply_overrides() {
    for (const Override& o : options_.overrides) {
      const Location where{"--set " + o.component + "." + o.property};
      const auto component = find_component(o.component);
      if (!component) {
        std::vector<std::string> known;
        for (const auto& c : assembly_.components) known.push_back(c.id);
        throw ProfileError(where, "there is no component '" + o.component + "'",
                           "the assembly has " + one_of(known));
      }
      set(*component,
          check_setting(assembly_.components[*component], assembly_.package_of(*component), o.property,
                        o.value, where),
          o.value);
    }
  }

  /// Finds a component by id, or by usage name if exactly one component has it.
  std::optional<std::size_t> find_component(const std::string& name) const {
    if (const auto found = assembly_.find(name)) return found;
    std::optional<std::size_t> only;
    for (std::size_t i = 0; i < assembly_.components.size(); ++i) {
      if (assembly_.components[i].name != name) continue;
      if (only) return std::nullopt;
      only = i;
    }
    return only;
  }

  void count_fan_in(const Connection& connection) {
    if (connection.provides.port.empty()) return;
    auto& fan_in = plan_.components[connection.provides.component].fan_in;
    const auto found = std::find_if(fan_in.begin(), fan_in.end(),
                                    [&](auto& f) { return f.first == connection.provides.port; });
    if (found != fan_in.end()) {
      ++found->second;
    } else {
      fan_in.emplace_back(connection.provides.port, 1);
    }
  }

  /// Sets the arguments of createResource(): values of the properties of kind factoryparam and, for a factory
  /// that loads libraries, what a host gets on its command line.
  void add_qualifiers(std::size_t i) {
    const FactoryReference& reference = *assembly_.components[i].factory;
    PlannedComponent& planned = plan_.components[i];
    const auto add = [&](const auto& list) {
      for (const auto& property : list) {
        if (!property.factory_param || is_framework_qualifier(property.id)) continue;
        if (find_qualifier(assembly_, i, property.id) != &property) continue;  // the factory declares it, too
        if (auto value = configured_value(property, reference.qualifiers))
          planned.qualifiers.push_back({property.id, declared_type(property), std::move(*value)});
      }
    };
    for (const SoftwarePackage* package :
         {&assembly_.package_of_factory(reference.factory), &assembly_.package_of(i)}) {
      add(package->properties.simple);
      add(package->properties.sequences);
      add(package->properties.structs);
    }
    if (!assembly_.loads_libraries(reference.factory)) return;
    const auto add_text = [&](std::string_view id, const std::string& value) {
      planned.qualifiers.push_back({std::string(id), {PropertyForm::simple, {"string"}, {}}, value});
    };
    add_text(kComponentLibrary, planned.module);
    if (!planned.entry_point.empty()) add_text(kComponentEntryPoint, planned.entry_point);
    add_text(kStreamsExpected, streams_expected(planned));
    if (!planned.direct_inputs.empty()) add_text(kDirectInputs, direct_inputs(planned));
    for (const auto& [id, value] : planned.exec_params) {
      const auto same = [&, &id = id](const Setting& other) { return other.id == id; };
      if (std::none_of(planned.qualifiers.begin(), planned.qualifiers.end(), same)) add_text(id, value);
    }
  }

  void select_direct_inputs(std::size_t i) {
    for (const std::string& port : assembly_.components[i].direct_inputs) {
      const auto from_elsewhere = [&](const Connection& c) {
        return c.provides.component == i && c.provides.port == port &&
               plan_.components[c.uses.component].process != plan_.components[i].process;
      };
      if (std::none_of(assembly_.connections.begin(), assembly_.connections.end(), from_elsewhere))
        plan_.components[i].direct_inputs.push_back(port);
    }
  }

  /// Tells the factory the libraries that it may load.
  void list_libraries(std::size_t factory) {
    PlannedFactory& planned = plan_.factories[factory];
    std::set<std::string> libraries;
    for (const std::size_t i : plan_.processes[planned.process].components)
      libraries.insert(plan_.components[i].module);
    std::string text;
    for (const std::string& library : libraries) text += (text.empty() ? "" : "\n") + library;
    planned.exec_params.emplace_back("COMPONENT_LIBRARIES", text);
  }

  const Assembly& assembly_;
  const DeployOptions& options_;
  Plan plan_;
};

}  // namespace

Result<Override> parse_override(const std::string& text) {
  const auto equals = text.find('=');
  const auto dot = text.substr(0, equals).rfind('.');
  if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 == equals) {
    return Error{ErrorKind::invalid,
                 "--set " + text +
                     ": this is not of the form component.property=value; write, for instance, "
                     "--set channel_1.snr_db=12"};
  }
  return Override{text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1)};
}

std::string streams_expected(const PlannedComponent& component) {
  std::string text;
  for (const auto& [port, count] : component.fan_in)
    text += (text.empty() ? "" : ",") + port + "=" + std::to_string(count);
  return text;
}

std::string direct_inputs(const PlannedComponent& component) {
  std::string text;
  for (const std::string& port : component.direct_inputs) text += (text.empty() ? "" : ",") + port;
  return text;
}

Result<Plan> make_plan(const Assembly& assembly, const DeployOptions& options) {
  try {
    return Planner(assembly, options).make();
  } catch (const ProfileError& error) {
    return error.error();
  }
}

}  // namespace orbweaver::sca
