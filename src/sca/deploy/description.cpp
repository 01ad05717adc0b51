#include "sca/deploy/description.h"

#include <algorithm>

#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

std::string ports_of(const Description& description, bool provides) {
  std::vector<std::string> names;
  for (const auto& port : description.ports) {
    if (port.provides == provides) names.push_back(port.name);
  }
  const std::string what = provides ? "inputs" : "outputs";
  return names.empty() ? "the class has no " + what : "the class has the " + what + " " + one_of(names);
}

void check_port(const Assembly& assembly, std::size_t component, const Description& description,
                const PortDeclaration& declared, bool provides) {
  const auto& scd = assembly.package_of(component).component;
  const std::string subject = "component '" + assembly.components[component].id + "'";
  const auto found = std::find_if(description.ports.begin(), description.ports.end(),
                                  [&](auto& port) { return port.name == declared.name; });
  if (found == description.ports.end()) {
    throw ProfileError(declared.where,
                       subject + " has no port '" + declared.name + "', though its SCD declares it here",
                       ports_of(description, provides) + ": correct one of the two");
  }
  if (found->provides != provides) {
    throw ProfileError(declared.where,
                       "port '" + declared.name + "' of " + subject + " is a" +
                           (provides ? "n output in its class, and a provides port here"
                                     : "n input in its class, and a uses port here"),
                       "correct one of the two");
  }
  // A provided interface may derive from the declared one; a called interface may be a base of the declared
  // one.
  const bool fits =
      provides ? scd.is_a(found->repid, declared.repid) : scd.is_a(declared.repid, found->repid);
  if (!fits) {
    throw ProfileError(declared.where,
                       "port '" + declared.name + "' of " + subject + " is " + found->repid +
                           " in its class, and its SCD says " + declared.repid,
                       "correct the repid here, or the type of the port in the class");
  }
}

/// Whether the framework gives the property to components (SCA 2.2.2, 3.1.3.3.3.2.5, and 4.1): a PRF may
/// declare it, and no class needs it.
bool is_set_by_framework(const std::string& id) {
  return is_framework_qualifier(id) || id == "NAMING_CONTEXT_IOR" || id == "NAME_BINDING" ||
         id == "COMPONENT_IDENTIFIER" || id == "COMPONENT_REGISTRY_IOR";
}

/// A property that configure(), query() or the command line names must exist (SCA 2.2.2:
/// InvalidConfiguration, UnknownProperties).
void check_property(const Assembly& assembly, std::size_t component, const Description& description,
                    const SimpleProperty& declared) {
  const std::string subject = "component '" + assembly.components[component].id + "'";
  const auto found = std::find_if(description.properties.begin(), description.properties.end(),
                                  [&](auto& property) { return property.id == declared.id; });
  if (found == description.properties.end()) {
    if ((!declared.exec_param && !declared.configurable) || is_set_by_framework(declared.id)) return;
    std::vector<std::string> ids;
    for (const auto& property : description.properties) ids.push_back(property.id);
    throw ProfileError(
        declared.where, subject + " has no property '" + declared.id + "', though its PRF declares it here",
        (ids.empty() ? "the class has no properties" : "the class has the properties " + one_of(ids)) +
            ": correct one of the two");
  }
  if (const auto mismatch = declared.mismatch(found->type)) {
    throw ProfileError(declared.where,
                       "property '" + declared.id + "' of " + subject + " is " +
                           std::string(type_name(declared.type)) + " here, and " + *mismatch,
                       "correct the type here, or in the class");
  }
}

}  // namespace

Result<void> check_description(const Assembly& assembly, std::size_t component,
                               const Description& description) {
  const SoftwarePackage& package = assembly.package_of(component);
  try {
    for (const auto& port : package.component.provides)
      check_port(assembly, component, description, port, true);
    for (const auto& port : package.component.uses) check_port(assembly, component, description, port, false);
    for (const auto& property : package.properties.simple)
      check_property(assembly, component, description, property);
  } catch (const ProfileError& error) {
    return error.error();
  }
  return {};
}

}  // namespace orbweaver::sca
