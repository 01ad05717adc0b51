#include "sca/node/node_processes.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "sca/deploy/platform_match.h"
#include "sca/device/execute_options.h"
#include "sca/device/machine.h"
#include "sca/profile/edition.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

Error invalid(const Location& where, const std::string& message) {
  return {ErrorKind::invalid, where.text() + ": " + message};
}

/// The options STACK_SIZE and PRIORITY, as those of CF::ExecutableDevice::execute.
Result<void> read_limits(const Implementation& implementation, platform::ProcessLimits& limits) {
  const std::string subject = "of implementation '" + implementation.id + "'";
  if (implementation.stack_size) {
    if (*implementation.stack_size < kMinStackBytes || *implementation.stack_size > kMaxStackBytes)
      return invalid(implementation.where, "the <stacksize> " + subject + ", " +
                                               std::to_string(*implementation.stack_size) +
                                               ", is not from 65536 to 1073741824 bytes; correct it");
    limits.stack_bytes = *implementation.stack_size;
  }
  const std::uint32_t priority = implementation.priority.value_or(0);
  const int permitted = read_machine().real_time_priority;
  if (priority > static_cast<std::uint32_t>(std::max(permitted, 0)))
    return invalid(implementation.where,
                   "the <priority> " + subject + ", " + std::to_string(priority) +
                       ", is above the real-time priority that processes of this user can have, " +
                       std::to_string(permitted) +
                       "; raise the limit (RLIMIT_RTPRIO), or remove the element");
  limits.real_time_priority = static_cast<int>(priority);
  return {};
}

bool has_parts(const NodeConfiguration& node, const NodeComponent& component) {
  return std::any_of(node.components.begin(), node.components.end(),
                     [&](const NodeComponent& each) { return each.parent == component.id; });
}

}  // namespace

Result<ChosenImplementation> choose_implementation(const SoftwarePackage& package,
                                                   const std::string& program_folder) {
  std::string why = "the package has no <implementation>";
  for (const Implementation& candidate : package.implementations) {
    if (candidate.code != CodeType::executable) {
      why = "implementation '" + candidate.id + "' is no program";
      continue;
    }
    const auto mismatch =
        platform_mismatch(candidate.systems, candidate.processors,
                          {"Linux", platform::kernel_release(), platform::machine_architecture()});
    if (mismatch) {
      why = "implementation '" + candidate.id + "' " + *mismatch;
      continue;
    }
    std::error_code ignored;
    fs::path program = fs::absolute(candidate.file);
    // Orbweaver's own device, which profiles name without its folder.
    if (program.filename() == "orbweaver-device" && !fs::exists(program, ignored))
      program = fs::path(program_folder) / program.filename();
    if (!fs::is_regular_file(program, ignored))
      return invalid(candidate.where, "the code of implementation '" + candidate.id +
                                          "' is missing (looked for " + program.string() +
                                          "); build it, or correct the name");
    if (!platform::is_executable(program.string()))
      return invalid(candidate.where, "the program of implementation '" + candidate.id +
                                          "' is not executable; set its permissions: chmod +x " +
                                          program.string());
    ChosenImplementation chosen{candidate.id, program.string(), {}};
    if (auto read = read_limits(candidate, chosen.limits); !read) return read.take_error();
    return chosen;
  }
  return invalid(package.where, why + "; add an <implementation> with code of type Executable for Linux " +
                                    platform::machine_architecture());
}

Result<std::string> name_in_folder(const std::string& path, const std::string& folder) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  const fs::path root = error ? fs::path() : fs::canonical(folder, error);
  if (error) return Error{ErrorKind::invalid, path + ": " + error.message()};
  const fs::path relative = file.lexically_relative(root);
  if (relative.empty() || *relative.begin() == "..")
    return Error{ErrorKind::invalid, path + " is not in the folder of the node's file system, " +
                                         root.string() + ": name a folder above it with --root"};
  return "/" + relative.string();
}

Result<std::vector<std::string>> arguments_of(const NodeConfiguration& node, const NodeComponent& component,
                                              const std::string& id, const std::string& parent,
                                              const NodeProcessOptions& options) {
  const SoftwarePackage& package = node.package_of(component);
  const auto profile = name_in_folder(package.file, options.root);
  if (!profile) return Error{ErrorKind::invalid, profile.error().message};
  std::vector<std::string> arguments = options.orb;
  const auto add = [&](const std::string& name, const std::string& value) {
    arguments.insert(arguments.end(), {name, value});
  };
  if (package.has_component && is_platform_component41(package.component)) {
    add("COMPONENT_REGISTRY_IOR", options.registry);
    add("COMPONENT_IDENTIFIER", component.is_device ? id : component.name);
    add("PROFILE_NAME", *profile);
    if (component.is_device) add("DEVICE_LABEL", component.name);
  } else if (component.is_device) {
    add("DEVICE_MGR_IOR", options.manager);
    add("PROFILE_NAME", *profile);
    add("DEVICE_ID", id);
    add("DEVICE_LABEL", component.name);
    if (!parent.empty()) add("Composite_DEVICE_IOR", parent);
  } else {
    add("DEVICE_MGR_IOR", options.manager);
    add("SERVICE_NAME", component.name);
  }
  for (const SimpleProperty& property : package.properties.simple) {
    if (!property.exec_param) continue;
    std::optional<std::string> value = property.value;
    // Extensions: passed to whatever declares them.
    if (property.id == "NAMING_SERVICE") value = options.naming;
    if (property.id == "DOMAIN_NAME") value = options.domain;
    if (property.id == "HAS_PARTS") value = has_parts(node, component) ? "true" : "false";
    for (const PropertySetting& setting : component.settings) {
      if (setting.id == property.id) value = setting.value;
    }
    if (value && !property.is_none(*value)) add(property.id, property.canonical(*value));
  }
  return arguments;
}

}  // namespace orbweaver::sca
