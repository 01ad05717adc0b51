#include "sca/profile/inner_assembly.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sca/profile/sad_parts.h"

namespace orbweaver::sca {
namespace {

/// Adds one inner assembly to an outer one.
class Addition {
 public:
  Addition(Assembly& outer, const Assembly& inner, const Element& element, AssemblyUse use)
      : outer_(outer), inner_(inner), element_(element), use_(use), id_(element.attribute("id")),
        first_component_(outer.components.size()), first_factory_(outer.factories.size()) {}

  InnerAssembly make() {
    check_limits();
    packages();
    for (const Instantiation& each : inner_.components) outer_.components.push_back(renamed(each));
    for (const Instantiation& each : inner_.factories) outer_.factories.push_back(renamed(each));
    for (const Connection& each : inner_.connections) connection(each);
    for (const HostPlacement& each : inner_.hosts) host(each);
    for (UsedDevice each : inner_.devices) {
      each.id = name(each.id);
      outer_.devices.push_back(std::move(each));
    }
    properties();
    device_assignments();
    execution_affinities();
    dependencies();
    check_text();
    return {&inner_, first_component_};
  }

 private:
  /// The name in the outer assembly. Its text is counted: names become longer at each level.
  std::string name(const std::string& text) const {
    std::string result = inner_id(id_, text);
    outer_.text_bytes += result.size();
    return result;
  }

  void check(std::uintmax_t count, std::uintmax_t limit, const std::string& of_what) const {
    if (count > limit)
      element_.fail("with assembly '" + id_ + "', there are more than " + std::to_string(limit) + of_what,
                    "split the assembly");
  }

  void check_limits() {
    check(outer_.components.size() + outer_.factories.size() + inner_.components.size() +
              inner_.factories.size(),
          kMaxComponents, " components");
    check(outer_.connections.size() + inner_.connections.size(), kMaxConnections, " connections");
    check(used_devices(outer_) + used_devices(inner_), kMaxUsedDevices, " <usesdevice> and <usesdeviceref>");
    outer_.text_bytes += inner_.text_bytes;
    check_text();
  }

  void check_text() const {
    check(outer_.text_bytes, kMaxAssemblyTextBytes,
          " bytes of SADs, and of ids in inner ones, each counted for every instantiation");
  }

  /// A package that the outer assembly has already is not added again.
  void packages() {
    for (const SoftwarePackage& package : inner_.packages) {
      const auto same = std::find_if(outer_.packages.begin(), outer_.packages.end(),
                                     [&](auto& other) { return other.file == package.file; });
      packages_.push_back(static_cast<std::size_t>(same - outer_.packages.begin()));
      if (same == outer_.packages.end()) outer_.packages.push_back(package);
    }
    outer_.dependencies.insert(inner_.dependencies.begin(), inner_.dependencies.end());
    const auto add_new = [](std::vector<std::string>& list, const std::vector<std::string>& added) {
      for (const std::string& each : added) {
        if (std::find(list.begin(), list.end(), each) == list.end()) list.push_back(each);
      }
    };
    add_new(outer_.warnings, inner_.warnings);
    add_new(outer_.inner_files, {inner_.file});
    add_new(outer_.inner_files, inner_.inner_files);
  }

  Instantiation renamed(Instantiation part) const {
    part.id = name(part.id);
    part.name = name(part.name);
    part.naming = name(part.naming);
    part.package = packages_[part.package];
    if (!part.process.empty()) part.process = name(part.process);
    if (part.factory) {
      part.factory->id = name(part.factory->id);
      part.factory->factory += first_factory_;
    }
    return part;
  }

  void connection(Connection connection) {
    connection.id = name(connection.id);
    for (PortReference* const end : {&connection.uses, &connection.provides}) {
      end->component += first_component_;
      if (end->kind == EndKind::application_device) end->name = name(end->name);
    }
    outer_.connections.push_back(std::move(connection));
  }

  void host(HostPlacement host) {
    host.name = name(host.name);
    for (std::size_t& component : host.components) component += first_component_;
    for (std::size_t& factory : host.factories) factory += first_factory_;
    for (std::string& device : host.devices) device = name(device);
    outer_.hosts.push_back(std::move(host));
  }

  void properties() {
    const auto list = element_.find_child("componentproperties");
    if (!list) return;
    std::map<std::size_t, std::vector<PropertySetting>> values;  // by index of the component
    for (PropertySetting& setting : read_settings(*list)) {
      AssemblyProperty property = inner_.property(setting.id);
      setting.id = std::move(property.property);
      values[first_component_ + property.component].push_back(std::move(setting));
    }
    for (auto& [component, settings] : values) replace_settings(outer_.components[component], settings);
  }

  /// Two external properties may be one of the component: then the last value applies.
  static void replace_settings(Instantiation& component, std::vector<PropertySetting>& values) {
    std::set<std::string, std::less<>> ids;
    std::vector<PropertySetting> kept;
    for (auto* const list : {&values, &component.settings}) {
      for (auto setting = list->rbegin(); setting != list->rend(); ++setting) {
        if (ids.insert(setting->id).second) kept.push_back(std::move(*setting));
      }
    }
    component.settings.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
    take_direct_inputs(component);
  }

  /// The component or resource factory that an assignment names.
  Instantiation& assigned(const Element& assignment) {
    const std::string id = assignment.attribute("componentid");
    if (const auto component = inner_.find(id)) return outer_.components[first_component_ + *component];
    if (const auto factory = inner_.find_factory(id)) return outer_.factories[first_factory_ + *factory];
    assignment.fail("assembly '" + id_ + "' has no component '" + id + "'",
                    "name a componentinstantiation of its SAD");
  }

  void device_assignments() {
    const auto list = element_.find_child("deviceassignments");
    if (!list) return;
    for (const Element& each : list->children("deviceassignment")) {
      Instantiation& component = assigned(each);
      if (component.factory && !outer_.loads_libraries(component.factory->factory))
        each.fail("component '" + component.id + "' is created on the device of resource factory '" +
                      component.factory->id + "'",
                  "assign the factory to a device");
      component.device = each.attribute("assignedDeviceid");
    }
  }

  void execution_affinities() {
    const auto list = element_.find_child("executionaffinityassignments");
    if (!list) return;
    for (const Element& each : list->children("executionaffinityassignment")) {
      Instantiation& component = assigned(each);
      if (const std::string process = each.attribute("processcollocation"); !process.empty()) {
        component.process = process;
        check_process(each, component, outer_.packages[component.package]);
      }
      if (const std::string cores = read_cores(each); !cores.empty()) component.cores = cores;
    }
  }

  void dependencies() {
    for (const DeviceRequirement& each : read_dependencies(element_)) {
      for (std::size_t i = first_component_; i < outer_.components.size(); ++i)
        set_dependency(outer_.components[i].dependencies, each);
      for (std::size_t i = first_factory_; i < outer_.factories.size(); ++i)
        set_dependency(outer_.factories[i].dependencies, each);
    }
  }

  Assembly& outer_;
  const Assembly& inner_;
  const Element& element_;
  const AssemblyUse use_;
  const std::string id_;
  const std::size_t first_component_, first_factory_;
  std::vector<std::size_t> packages_;  // indices into outer_.packages, by those of inner_
};

void check_ids(const Assembly& assembly) {
  std::map<std::string, const Location*> ids;
  const auto check = [&](const std::string& id, const Location& where) {
    const auto [first, is_new] = ids.emplace(id, &where);
    if (!is_new)
      throw ProfileError(where, "a second id '" + id + "'; the first is in " + first->second->text(),
                         "rename one: ids in an inner assembly follow the id of its instantiation and ':'");
  };
  for (const Instantiation& each : assembly.components) check(each.id, each.where);
  for (const Instantiation& each : assembly.factories) check(each.id, each.where);
  ids.clear();
  for (const Connection& each : assembly.connections) check(each.id, each.where);
}

}  // namespace

InnerAssembly add_inner_assembly(Assembly& outer, const Assembly& inner, const Element& instantiation,
                                 AssemblyUse use) {
  return Addition(outer, inner, instantiation, use).make();
}

PortReference external_port(const InnerAssembly& inner, const std::string& name) {
  for (const AssemblyPort& each : inner.assembly->external_ports) {
    if (each.name != name) continue;
    PortReference port = each.port;
    port.component += inner.first_component;
    return port;
  }
  return {};
}

void check_inner_assemblies(const Assembly& assembly) {
  if (assembly.inner_files.empty()) return;
  check_ids(assembly);
  std::map<std::tuple<std::size_t, std::string, std::size_t, std::string>, const Location*> connected;
  for (const Connection& each : assembly.connections) {
    const PortReference &from = each.uses, &to = each.provides;
    if (from.kind != EndKind::component || to.kind != EndKind::component || to.port.empty()) continue;
    const auto [first, is_new] =
        connected.emplace(std::tuple(from.component, from.port, to.component, to.port), &each.where);
    if (!is_new)
      throw ProfileError(each.where, "these two ports are connected already (" + first->second->text() + ")",
                         "remove one of the two connections: each packet would arrive twice");
  }
}

std::string inner_id(std::string_view assembly, std::string_view id) {
  return std::string(assembly) + ":" + std::string(id);
}

}  // namespace orbweaver::sca
