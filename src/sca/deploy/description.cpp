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

}  // namespace

Result<void> check_description(const Assembly& assembly, std::size_t component,
                               const Description& description) {
  const SoftwarePackage& package = assembly.package_of(component);
  try {
    for (const auto& port : package.component.provides)
      check_port(assembly, component, description, port, true);
    for (const auto& port : package.component.uses) check_port(assembly, component, description, port, false);
    for (const SimpleProperty& declared : package.properties.simple) {
      for (const auto& property : description.properties) {
        if (property.id != declared.id) continue;
        const auto mismatch = declared.mismatch(property.type);
        if (!mismatch) continue;
        throw ProfileError(declared.where,
                           "property '" + declared.id + "' of component '" +
                               assembly.components[component].id + "' is " +
                               std::string(type_name(declared.type)) + " here, and " + *mismatch,
                           "correct the type here, or in the class");
      }
    }
  } catch (const ProfileError& error) {
    return error.error();
  }
  return {};
}

}  // namespace orbweaver::sca
