#include "sca/profile/check.h"

#include <algorithm>
#include <set>

#include "sca/profile/edition.h"
#include "sca/profile/sad_reader.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

void check_names(const Assembly& assembly) {
  std::set<std::string> bound;
  for (const auto* list : {&assembly.components, &assembly.factories}) {
    for (const auto& component : *list) {
      if (!component.factory && !bound.insert(component.naming).second) {
        throw ProfileError(component.where, "two components are bound as '" + component.naming + "'",
                           "give each a name of its own in <namingservice>");
      }
    }
  }
}

/// Fills in the interface of the uses port, which the SCD of the component declares.
void complete(const Assembly& assembly, Connection& connection) {
  if (connection.uses.kind != EndKind::component) return;
  const auto* const uses =
      assembly.package_of(connection.uses.component).component.find_uses(connection.uses.port);
  if (uses != nullptr) connection.interface = uses->repid;
}

/// Warns about properties that are never set and outputs that are not connected.
void warn_about_no_effect(Assembly& assembly) {
  const auto warn = [&](const Location& where, const std::string& text) {
    assembly.warnings.push_back(where.text() + ": " + text);
  };
  for (const SoftwarePackage& package : assembly.packages) {
    for (const SimpleProperty& property : package.properties.simple) {
      // check_factories() warns about properties of kind factoryparam.
      if (property.exec_param || property.configurable || property.factory_param) continue;
      warn(property.where, "property '" + property.id + "' has no effect: it is of kind " +
                               one_of(property.other_kinds) + ", and only execparam and configure are set");
    }
  }
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    for (const PortDeclaration& port : assembly.package_of(i).component.uses) {
      const bool connected =
          std::any_of(assembly.connections.begin(), assembly.connections.end(),
                      [&](auto& c) { return c.uses.component == i && c.uses.port == port.name; });
      if (connected) continue;
      warn(assembly.components[i].where, "port '" + port.name + "' of component '" +
                                             assembly.components[i].id +
                                             "' is not connected: its packets are dropped and counted");
    }
  }
}

}  // namespace

const SimpleProperty& check_setting(const Instantiation& component, const SoftwarePackage& package,
                                    const std::string& id, const std::string& value, const Location& where) {
  const auto& properties = package.properties;
  const auto* property = properties.find(id);
  if (property == nullptr) {
    if (id == kDirectInputs) {
      throw ProfileError(where, "'" + id + "' cannot be set here, or is set twice",
                         "set it once, by <simpleref refid=\"" + id +
                             "\" value=\"PORT,PORT\"/> in the <componentproperties> of '" + component.id +
                             "' in the SAD");
    }
    std::vector<std::string> known;
    for (const auto& p : properties.simple) {
      if (p.can_be_set()) known.push_back(p.id);
    }
    if (!is_factory(package.component)) known.emplace_back(kDirectInputs);
    throw ProfileError(where, "component '" + component.id + "' has no property '" + id + "'",
                       known.empty() ? "it has none" : "it has " + one_of(known));
  }
  if (!property->can_be_set()) {
    throw ProfileError(
        where,
        property->configurable
            ? "property '" + id + "' is readonly, and of kind configure: it can only be queried"
            : "property '" + id + "' cannot be set: its kind is not execparam or configure",
        property->factory_param
            ? std::string("set a property of kind factoryparam in ") +
                  (component.factory && component.factory->is_sca41 ? "<componentfactoryproperties>"
                                                                    : "<resourcefactoryproperties>")
            : "correct its mode and kind: see " + property->where.text());
  }
  if (const auto problem = property->problem(value)) {
    throw ProfileError(where, "'" + value + "' cannot be the value of '" + id + "'", "it " + *problem);
  }
  return *property;
}

void check_assembly(Assembly& assembly, AssemblyUse use) {
  // A domain adds a suffix to the names of components.
  if (use == AssemblyUse::run) check_names(assembly);
  for (Connection& connection : assembly.connections) complete(assembly, connection);
  check_factories(assembly);
  check_loops(assembly);
  if (use == AssemblyUse::run) warn_about_no_effect(assembly);
}

void check_whole_assemblies(Profiles& profiles) {
  std::set<std::string> reported;  // an assembly may be checked by itself and in another one
  for (const std::string& path : profiles.whole_assemblies()) {
    try {
      Assembly assembly = SadFiles(profiles.root(), profiles, AssemblyUse::check).read(path);
      check_assembly(assembly, AssemblyUse::check);
    } catch (const ProfileError& error) {
      if (reported.insert(error.message).second) profiles.mistake(error.where, error.found, error.advice);
    }
  }
}

}  // namespace orbweaver::sca
