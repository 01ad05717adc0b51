#include "sca/node/node_processes.h"

#include <filesystem>
#include <optional>

#include "sca/deploy/platform_match.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;

Error invalid(const Location& where, const std::string& message) {
  return {ErrorKind::invalid, where.text() + ": " + message};
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
        platform_mismatch(candidate.systems, candidate.processors, "Linux", platform::machine_architecture());
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
    return ChosenImplementation{candidate.id, program.string()};
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
  add("DEVICE_MGR_IOR", options.manager);
  if (component.is_device) {
    add("PROFILE_NAME", *profile);
    add("DEVICE_ID", id);
    add("DEVICE_LABEL", component.name);
    if (!parent.empty()) add("Composite_DEVICE_IOR", parent);
  } else {
    add("SERVICE_NAME", component.name);
  }
  for (const SimpleProperty& property : package.properties.simple) {
    if (!property.exec_param) continue;
    std::optional<std::string> value = property.value;
    // Extensions: passed to whatever declares them.
    if (property.id == "NAMING_SERVICE") value = options.naming;
    if (property.id == "DOMAIN_NAME") value = options.domain;
    for (const PropertySetting& setting : component.settings) {
      if (setting.id == property.id) value = setting.value;
    }
    if (value) add(property.id, property.canonical(*value));
  }
  return arguments;
}

}  // namespace orbweaver::sca
