#include "sca/profile/check.h"

#include <algorithm>
#include <set>

#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

std::string names(const std::vector<PortDeclaration>& ports) {
  if (ports.empty()) return "it declares none";
  std::vector<std::string> all;
  for (const auto& port : ports) all.push_back(port.name);
  return "it declares " + one_of(all);
}

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
  std::set<std::string> ids;
  for (const auto& connection : assembly.connections) {
    if (!ids.insert(connection.id).second) {
      throw ProfileError(connection.where, "a second connection '" + connection.id + "'",
                         "ids are unique: rename one");
    }
  }
}

void check_connection(const Assembly& assembly, Connection& connection) {
  const auto& user = assembly.components[connection.uses.component];
  const auto& provider = assembly.components[connection.provides.component];
  const auto& from = assembly.package_of(connection.uses.component).component;
  const auto& to = assembly.package_of(connection.provides.component).component;

  const auto* uses = from.find_uses(connection.uses.port);
  if (uses == nullptr) {
    const bool turned = from.find_provides(connection.uses.port) != nullptr;
    throw ProfileError(connection.where,
                       "component '" + user.id + "' has no uses port '" + connection.uses.port + "'" +
                           (turned ? " (it is a provides port)" : ""),
                       turned ? "swap its two ends" : names(from.uses) + " (" + from.file + ")");
  }
  if (connection.provides.port.empty()) {
    const std::string& required = connection.interface;
    const bool supported =
        std::any_of(to.supports.begin(), to.supports.end(), [&](auto& s) { return to.is_a(s, required); });
    if (!supported) {
      throw ProfileError(
          connection.where, "component '" + provider.id + "' does not support " + required,
          to.supports.empty() ? "its SCD lists no supportsinterface" : "it supports " + one_of(to.supports));
    }
    if (!to.is_a(required, uses->repid)) {
      throw ProfileError(connection.where,
                         "port '" + uses->name + "' of '" + user.id + "' calls " + uses->repid + ", and " +
                             required + " does not derive from it",
                         "connect it to an object of that interface");
    }
    connection.interface = uses->repid;
    return;
  }
  const auto* provides = to.find_provides(connection.provides.port);
  if (provides == nullptr) {
    const bool turned = to.find_uses(connection.provides.port) != nullptr;
    throw ProfileError(connection.where,
                       "component '" + provider.id + "' has no provides port '" + connection.provides.port +
                           "'" + (turned ? " (it is a uses port)" : ""),
                       turned ? "swap its two ends" : names(to.provides) + " (" + to.file + ")");
  }
  if (!to.is_a(provides->repid, uses->repid)) {
    throw ProfileError(connection.where,
                       "port '" + uses->name + "' of '" + user.id + "' calls " + uses->repid +
                           ", but port '" + provides->name + "' of '" + provider.id + "' is " +
                           provides->repid,
                       "connect ports of one interface; if the second inherits from the first, list it as "
                       "<inheritsinterface> in " +
                           to.file);
  }
  connection.interface = uses->repid;
}

void check_fan(const Assembly& assembly) {
  std::set<std::pair<std::pair<std::size_t, std::string>, std::pair<std::size_t, std::string>>> pairs;
  for (const auto& c : assembly.connections) {
    if (!pairs.insert({{c.uses.component, c.uses.port}, {c.provides.component, c.provides.port}}).second) {
      throw ProfileError(c.where, "these two ports are connected already",
                         "remove one of the two connections: each packet would arrive twice");
    }
  }
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
    if (!package.component.is_resource_factory()) known.emplace_back(kDirectInputs);
    throw ProfileError(where, "component '" + component.id + "' has no property '" + id + "'",
                       known.empty() ? "it has none" : "it has " + one_of(known));
  }
  if (!property->can_be_set()) {
    throw ProfileError(
        where,
        property->configurable
            ? "property '" + id + "' is readonly, and of kind configure: it can only be queried"
            : "property '" + id + "' cannot be set: its kind is not execparam or configure",
        property->factory_param ? "set a property of kind factoryparam in <resourcefactoryproperties>"
                                : "correct its mode and kind: see " + property->where.text());
  }
  if (const auto problem = property->problem(value)) {
    throw ProfileError(where, "'" + value + "' cannot be the value of '" + id + "'", "it " + *problem);
  }
  return *property;
}

void check_set_once(const std::vector<PropertySetting>& settings) {
  std::set<std::string> set;
  for (const auto& setting : settings) {
    if (!set.insert(setting.id).second)
      throw ProfileError(setting.where, "property '" + setting.id + "' is set twice", "remove one of them");
  }
}

void check_assembly(Assembly& assembly) {
  check_names(assembly);
  for (Connection& connection : assembly.connections) check_connection(assembly, connection);
  check_fan(assembly);
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const Instantiation& component = assembly.components[i];
    for (const auto& setting : component.settings)
      check_setting(component, assembly.package_of(i), setting.id, setting.value, setting.where);
    check_set_once(component.settings);
  }
  check_factories(assembly);
  check_loops(assembly);
  warn_about_no_effect(assembly);
}

}  // namespace orbweaver::sca
