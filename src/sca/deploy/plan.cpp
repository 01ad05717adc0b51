#include "sca/deploy/plan.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "platform/process.h"
#include "sca/deploy/platform_match.h"
#include "sca/deploy/start_order.h"
#include "sca/profile/check.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

class Planner {
 public:
  Planner(const Assembly& assembly, const DeployOptions& options) : assembly_(assembly), options_(options) {}

  Plan make() {
    place();
    for (std::size_t i = 0; i < assembly_.components.size(); ++i) implement(i);
    for (std::size_t i = 0; i < assembly_.components.size(); ++i) set_properties(i);
    apply_overrides();
    for (const Connection& c : assembly_.connections) count_fan_in(c);
    plan_.start_order = start_order(assembly_);
    return std::move(plan_);
  }

 private:
  /// Assigns components to processes, numbered in the order of the assembly.
  void place() {
    std::map<std::string, std::size_t> named;
    for (std::size_t i = 0; i < assembly_.components.size(); ++i) {
      const std::string& collocation = assembly_.components[i].process;
      std::size_t process = plan_.processes.size();
      if (!collocation.empty()) process = named.emplace(collocation, process).first->second;
      if (process == plan_.processes.size()) plan_.processes.emplace_back();
      plan_.processes[process].components.push_back(i);
      PlannedComponent planned;
      planned.component = i;
      planned.process = process;
      plan_.components.push_back(std::move(planned));
    }
  }

  void implement(std::size_t i) {
    const SoftwarePackage& package = assembly_.package_of(i);
    PlannedComponent& planned = plan_.components[i];
    PlannedProcess& process = plan_.processes[planned.process];
    const bool alone = process.components.size() == 1;
    const auto with = [&](CodeType code) -> const Implementation* {
      for (const Implementation& candidate : package.implementations) {
        if (candidate.code == code && !platform_mismatch(candidate, options_.system, options_.processor))
          return &candidate;
      }
      return nullptr;
    };
    // A component that is alone in its process runs as an executable if possible: no loader is needed, and ps
    // shows its name.
    const Implementation* chosen = alone ? with(CodeType::executable) : nullptr;
    if (chosen == nullptr) chosen = with(CodeType::shared_library);
    if (chosen == nullptr && !alone && with(CodeType::executable) != nullptr) {
      throw ProfileError(
          assembly_.components[i].where,
          "'" + assembly_.components[i].id + "' is placed in one process with others, but " + package.file +
              " has no SharedLibrary that runs here",
          "add an <implementation> with code of type SharedLibrary, or leave out processcollocation");
    }
    if (chosen == nullptr) fail_no_implementation(package);
    check_code(*chosen);
    process.is_host = chosen->code == CodeType::shared_library;
    if (process.is_host) {
      process.program = options_.host_program;
      planned.module = std::filesystem::absolute(chosen->file).string();
      planned.entry_point = chosen->entry_point;
    } else {
      process.program = std::filesystem::absolute(chosen->file).string();
    }
  }

  [[noreturn]] void fail_no_implementation(const SoftwarePackage& package) const {
    std::string found;
    for (const Implementation& candidate : package.implementations) {
      const auto mismatch = platform_mismatch(candidate, options_.system, options_.processor);
      found += (found.empty() ? "" : "; ") +
               (candidate.where.line != package.implementations.front().where.line
                    ? "line " + std::to_string(candidate.where.line) + ": "
                    : "") +
               "implementation '" + candidate.id + "' " + mismatch.value_or("does not fit");
    }
    throw ProfileError(package.implementations.front().where, found,
                       "add an <implementation> for " + options_.system + " " + options_.processor +
                           ", or correct <os> and <processor>");
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
      if (value) set(i, property, *value);
    }
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
        settings.push_back({property.id, std::string(type_name(property.type)), value});
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
      set(*component, check_setting(assembly_, *component, o.property, o.value, where), o.value);
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

Result<Plan> make_plan(const Assembly& assembly, const DeployOptions& options) {
  try {
    return Planner(assembly, options).make();
  } catch (const ProfileError& error) {
    return error.error();
  }
}

}  // namespace orbweaver::sca
