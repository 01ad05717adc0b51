#include "sca/profile/assembly.h"

#include <algorithm>

#include "sca/profile/check.h"
#include "sca/profile/extensions.h"
#include "sca/profile/sad_reader.h"

namespace orbweaver::sca {

void set_dependency(std::vector<DeviceRequirement>& list, const DeviceRequirement& requirement) {
  for (DeviceRequirement& each : list) {
    if (each.id != requirement.id) continue;
    each.value = requirement.value;
    return;
  }
  list.push_back(requirement);
}
namespace {

std::optional<std::size_t> index_of(const std::vector<Instantiation>& list, std::string_view id) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].id == id) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> Assembly::find(std::string_view component_id) const {
  return index_of(components, component_id);
}
std::optional<std::size_t> Assembly::find_factory(std::string_view factory_id) const {
  return index_of(factories, factory_id);
}

AssemblyProperty Assembly::property(const std::string& property_id) const {
  if (const auto found = external_property_indices.find(property_id);
      found != external_property_indices.end())
    return external_properties[found->second];
  return {property_id, controller, property_id};
}

Result<Assembly> load_assembly(const std::string& path, const std::string& root, AssemblyUse use,
                               ProfileScope scope, bool* lacks_definition) {
  Findings findings;
  Profiles profiles(root, Profiles::CodeFiles::may_be_missing, findings, scope);
  profiles.check(path, ProfileKind::assembly);
  if (lacks_definition != nullptr && findings.undefined_properties() > 0) *lacks_definition = true;
  if (const std::size_t mistakes = findings.mistakes(); mistakes > 0) {
    const std::string others = mistakes == 1 ? ""
                                             : " (the first of " + std::to_string(mistakes) +
                                                   " mistakes: `orbweaver check` lists them)";
    return Error{ErrorKind::invalid, findings.first_mistake() + others};
  }
  try {
    Assembly assembly = SadFiles(root, profiles, use).read(path);
    check_assembly(assembly, use);
    auto warnings = findings.warning_lines();
    if (use == AssemblyUse::domain)
      std::erase_if(warnings, [](auto& line) { return line.find(kOnlyInDomain) != std::string::npos; });
    assembly.warnings.insert(assembly.warnings.begin(), warnings.begin(), warnings.end());
    return assembly;
  } catch (const ProfileError& error) {
    return error.error();
  }
}

}  // namespace orbweaver::sca
