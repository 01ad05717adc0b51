#include <algorithm>
#include <map>
#include <utility>

#include "sca/profile/edition.h"
#include "sca/profile/inner_assembly.h"
#include "sca/profile/log_level.h"
#include "sca/profile/profile_readers.h"
#include "sca/profile/sad_parts.h"
#include "sca/profile/sad_reader.h"

namespace orbweaver::sca {
namespace {

/// Reads what a deployment needs of an assembly that has been checked. Throws ProfileError for what is not
/// supported yet.
class SadReader {
 public:
  SadReader(const std::string& path, SadFiles& files, bool is_inner)
      : SadReader(path, files.profiles().text(path), files, is_inner) {}

  SadReader(const std::string& path, const std::string& text, SadFiles& files, bool is_inner)
      : xml_(path, text), assembly_files_(files), use_(files.use()), is_inner_(is_inner) {
    assembly_.file = path;
    assembly_.text_bytes = text.size();
  }

  Assembly read() {
    const Element root = xml_.root();
    const auto id = root.find_attribute("id");
    const auto name = root.find_attribute("name");
    assembly_.id = id.value_or(name.value_or(""));
    assembly_.name = name.value_or(assembly_.id);
    assembly_.description = child_text(root, "description");
    component_files(*root.find_child("componentfiles"));
    partitioning(*root.find_child("partitioning"));
    dependencies(root);
    resolve_factories();
    controllers(*root.find_child("assemblycontroller"));
    if (const auto connections = root.find_child("connections")) this->connections(*connections);
    if (use_ != AssemblyUse::run) devices(root);
    if (use_ != AssemblyUse::run || is_inner_) external_parts(root);
    return std::move(assembly_);
  }

 private:
  [[noreturn]] void not_supported(const Element& element, const std::string& what,
                                  const std::string& advice) const {
    fail_not_supported(element, what, advice, use_);
  }

  void component_files(const Element& files) {
    std::map<const SoftwarePackage*, std::size_t> package_indices;  // into assembly_.packages
    for (const Element& element : files.children("componentfile")) {
      const std::string name = element.find_child("localfile")->attribute("name");
      const std::string path = resolve_file(assembly_.file, name, assembly_files_.root());
      const std::string id = element.attribute("id");
      const SoftwarePackage* const package = assembly_files_.profiles().find_package(path);
      if (package == nullptr) {
        inner_files_.emplace(id, path);
        continue;
      }
      // Several componentfiles may name one file, also by different paths.
      const auto [known, is_new] = package_indices.emplace(package, assembly_.packages.size());
      packages_.emplace(id, known->second);
      if (is_new) add_package(assembly_, element, *package, assembly_files_);
    }
  }

  void partitioning(const Element& parts) {
    for (const Element& part : parts.children()) {
      if (part.name() == "componentplacement") placement(part);
      if (part.name() == "assemblyplacement") inner_assemblies(part);
      const std::size_t components = assembly_.components.size(), factories = assembly_.factories.size();
      for (const Element& inner : part.children("componentplacement")) placement(inner);
      // `orbweaver run` has one host, so that every hostcollocation is satisfied.
      if (part.name() == "hostcollocation" && use_ != AssemblyUse::run)
        host_placement(part, components, factories);
    }
    if (assembly_.components.empty())
      parts.fail("the assembly has no component", "add a <componentplacement>");
  }

  /// The <deploymentdependencies> of the assembly, for components that have no own ones of the same property.
  void dependencies(const Element& root) {
    for (const DeviceRequirement& dependency : read_dependencies(root)) {
      for (auto* const list : {&assembly_.components, &assembly_.factories}) {
        for (Instantiation& component : *list) {
          const auto& own = component.dependencies;
          if (std::none_of(own.begin(), own.end(), [&](auto& each) { return each.id == dependency.id; }))
            component.dependencies.push_back(dependency);
        }
      }
    }
  }

  /// The components of a hostcollocation are those that have been added since.
  void host_placement(const Element& part, std::size_t component, std::size_t factory) {
    HostPlacement host;
    host.name = part.attribute("name").empty() ? part.attribute("id") : part.attribute("name");
    for (; component < assembly_.components.size(); ++component) host.components.push_back(component);
    for (; factory < assembly_.factories.size(); ++factory) host.factories.push_back(factory);
    assembly_.hosts.push_back(std::move(host));
    for (const Element& device : part.children("usesdeviceref")) {
      check_used_devices(device, assembly_);
      assembly_.hosts.back().devices.push_back(device.attribute("refid"));
    }
  }

  void inner_assemblies(const Element& place) {
    const std::string& path =
        inner_files_.find(place.find_child("componentfileref")->attribute("refid"))->second;
    const Assembly& inner = assembly_files_.inner(path, place);
    for (const Element& element : place.children("assemblyinstantiation")) {
      check_id(element);
      inner_assemblies_.emplace(element.attribute("id"), add_inner_assembly(assembly_, inner, element, use_));
    }
  }

  void placement(const Element& place) {
    const std::size_t package =
        packages_.find(place.find_child("componentfileref")->attribute("refid"))->second;
    for (const Element& element : place.children("componentinstantiation")) instantiation(element, package);
  }

  void check_id(const Element& element) const {
    const std::string id = element.attribute("id");
    if (use_ == AssemblyUse::run && id.find_first_of("=. \t\r\n/") != std::string::npos) {
      element.fail("'" + id + "' cannot be a component's id", "leave out blanks and the characters = . /");
    }
  }

  void instantiation(const Element& element, std::size_t package) {
    Instantiation result;
    result.where = element.where();
    result.package = package;
    result.id = element.attribute("id");
    check_id(element);
    if (assembly_.components.size() + assembly_.factories.size() == kMaxComponents) {
      element.fail("more than " + std::to_string(kMaxComponents) + " components", "split the assembly");
    }
    result.name = child_text(element, "usagename");
    if (result.name.empty()) result.name = result.id;
    result.process = element.attribute("processcollocation");
    result.naming = result.id;
    if (const auto find = element.find_child("findcomponent")) find_component(*find, result);
    if (const auto factory = element.find_child("componentfactoryref"))
      created_by(*factory, "componentfactoryproperties", result);
    if (const auto properties = element.find_child("componentproperties"))
      result.settings = read_settings(*properties);
    if (const auto order = element.find_attribute("startorder"); order && use_ == AssemblyUse::domain)
      result.start_order = static_cast<std::uint32_t>(number_of(*order).value_or(0));
    result.cores = read_cores(element);
    if (result.cores.empty()) result.cores = read_affinity(element);
    result.dependencies = read_dependencies(element);
    result.device_requires = read_requires(element, "devicerequires");
    result.log_level = log_level(element, result);
    take_direct_inputs(result);
    check_placement(element, result);
    (is_factory(assembly_.packages[package].component) ? assembly_.factories : assembly_.components)
        .push_back(std::move(result));
  }

  /// Of its settings, which precede that of <loggingconfig>. A component may have properties of these names.
  std::string log_level(const Element& element, const Instantiation& instantiation) const {
    const PropertyFile& properties = assembly_.packages[instantiation.package].properties;
    for (const PropertySetting& setting : instantiation.settings) {
      if (!is_log_level(setting.id) || properties.contains(setting.id)) continue;
      if (auto level = log_level_of(setting.value)) return std::move(*level);
    }
    const auto log = element.find_child("loggingconfig");
    return log ? log_level_of(log->attribute("level")).value_or("") : "";
  }

  void find_component(const Element& find, Instantiation& result) {
    if (const auto name = find.find_child("namingservice")) result.naming = name->attribute("name");
    const auto reference = find.find_child("componentresourcefactoryref");
    if (reference) created_by(*reference, "resourcefactoryproperties", result);
  }

  void created_by(const Element& factory, const char* qualifiers, Instantiation& result) {
    result.factory = FactoryReference{
        factory.attribute("refid"), 0, {}, factory.where(), factory.name() == "componentfactoryref"};
    if (const auto properties = factory.find_child(qualifiers))
      result.factory->qualifiers = read_settings(*properties);
  }

  /// Checks that one element only places the component in a process.
  void check_placement(const Element& element, const Instantiation& instantiation) const {
    const ComponentDescriptor& component = assembly_.packages[instantiation.package].component;
    if (is_factory(component) && instantiation.factory)
      element.fail(
          "'" + instantiation.id + "' is a " + factory_kind(component) + ", and no factory can create it",
          "let it be found by <namingservice>");
    check_process(element, instantiation, assembly_.packages[instantiation.package]);
  }

  /// Finds the factory of each component, which may follow it in the file. Those of inner assemblies have
  /// been found.
  void resolve_factories() {
    for (Instantiation& component : assembly_.components) {
      if (!component.factory) continue;
      if (const auto factory = assembly_.find_factory(component.factory->id))
        component.factory->factory = *factory;
      else
        component.factory.reset();  // AssemblyUse::check: its package has no SCD
    }
  }

  /// The first controller may be a component, or the controller of an inner assembly as all others.
  void controllers(const Element& list) {
    bool is_first = true;
    for (const Element& reference : list.children()) {
      const bool is_main = std::exchange(is_first, false);
      std::vector<std::size_t> others;
      if (reference.name() == "assemblyinstantiationref") {
        const InnerAssembly& inner = inner_assembly(reference);
        others.push_back(inner.assembly->controller);
        others.insert(others.end(), inner.assembly->other_controllers.begin(),
                      inner.assembly->other_controllers.end());
        for (std::size_t& controller : others) controller += inner.first_component;
      } else {
        others.push_back(component(reference));
      }
      if (is_main) assembly_.controller = others.front();
      assembly_.other_controllers.insert(assembly_.other_controllers.end(),
                                         others.begin() + (is_main ? 1 : 0), others.end());
    }
  }

  const InnerAssembly& inner_assembly(const Element& reference) const {
    return inner_assemblies_.find(reference.attribute("refid"))->second;
  }

  std::size_t component(const Element& reference) const {
    const std::string id = reference.attribute("refid");
    const auto found = assembly_.find(id);
    if (!found)
      reference.fail("'" + id + "' is a factory, which has no ports and cannot be started",
                     "name a component");
    return *found;
  }

  void connections(const Element& list) {
    std::size_t number = 0;
    for (const Element& element : list.children("connectinterface")) {
      ++number;
      if (assembly_.connections.size() == kMaxConnections) {
        element.fail("more than " + std::to_string(kMaxConnections) + " connections", "split the assembly");
      }
      if (element.find_child("findby") && use_ == AssemblyUse::run)
        not_supported(element, "a connection to the outside (<findby>)",
                      "connect to a component of the assembly");
      Connection connection;
      connection.where = element.where();
      connection.id = element.find_attribute("id").value_or("connection " + std::to_string(number));
      connection.uses = endpoint(*element.find_child("usesport"));
      for (const char* const side : {"providesport", "componentsupportedinterface", "findby"}) {
        if (const auto provides = element.find_child(side)) connection.provides = endpoint(*provides);
      }
      assembly_.connections.push_back(std::move(connection));
    }
  }

  PortReference endpoint(const Element& side) const {
    UnresolvedEnd result = read_end(side, use_);
    if (!result.component) return std::move(result.end);
    if (result.component->name() == "assemblyinstantiationref")
      return external_port(inner_assembly(*result.component), result.end.port);
    result.end.component = component(*result.component);
    return std::move(result.end);
  }

  void devices(const Element& root) {
    for (const Element& list : root.children("usesdevicedependencies")) {
      for (const Element& device : list.children("usesdevice")) {
        check_used_devices(device, assembly_);
        assembly_.devices.push_back(read_used_device(device));
      }
    }
  }

  /// Reads what a domain, or an outer assembly, uses.
  void external_parts(const Element& root) {
    if (const auto list = root.find_child("externalports")) {
      for (const Element& element : list->children("port")) {
        if (assembly_.external_ports.size() == kMaxExternalPorts)
          element.fail("more than " + std::to_string(kMaxExternalPorts) + " external ports",
                       "split the assembly");
        const std::string name = element.attribute("externalname");
        assembly_.external_ports.push_back(
            {name.empty() ? read_identifier(element) : name, endpoint(element)});
      }
    }
    if (const auto list = root.find_child("externalproperties")) {
      for (const Element& element : list->children("property")) {
        if (assembly_.external_properties.size() == kMaxExternalProperties)
          element.fail("more than " + std::to_string(kMaxExternalProperties) + " external properties",
                       "split the assembly");
        AssemblyProperty property = property_of(element);
        property.id = element.find_attribute("externalpropid").value_or(element.attribute("propid"));
        assembly_.external_property_indices.emplace(property.id, assembly_.external_properties.size());
        assembly_.external_properties.push_back(std::move(property));
      }
    }
  }

  /// The property that an element of <externalproperties> names.
  AssemblyProperty property_of(const Element& element) const {
    const std::string id = element.attribute("propid"), owner = element.attribute("comprefid");
    if (const auto inner = inner_assemblies_.find(owner); inner != inner_assemblies_.end()) {
      AssemblyProperty property = inner->second.assembly->property(id);
      property.component += inner->second.first_component;
      return property;
    }
    const auto component = assembly_.find(owner);
    if (!component) element.fail("'" + owner + "' is no component that is configured");
    return {id, *component, id};
  }

  XmlFile xml_;
  SadFiles& assembly_files_;
  const AssemblyUse use_;
  const bool is_inner_;
  std::map<std::string, std::size_t, std::less<>> packages_;            // by id of the componentfile
  std::map<std::string, std::string, std::less<>> inner_files_;         // the same
  std::map<std::string, InnerAssembly, std::less<>> inner_assemblies_;  // by id of the instantiation
  Assembly assembly_;
};

}  // namespace

Assembly SadFiles::read(const std::string& path) {
  Assembly assembly = SadReader(path, *this, false).read();
  check_inner_assemblies(assembly);
  return assembly;
}

const Assembly& SadFiles::inner(const std::string& path, const Element& placement) {
  const auto [entry, is_new] = inner_.try_emplace(path);
  if (is_new) {
    // Profiles has found deeper ones, unless a file has changed since.
    if (++depth_ >= kMaxAssemblyDepth)
      placement.fail("assemblies are nested more than " + std::to_string(kMaxAssemblyDepth) + " deep");
    entry->second = std::make_unique<const Assembly>(SadReader(path, *this, true).read());
    --depth_;
  } else if (!entry->second) {
    placement.fail("'" + path + "' contains itself, through this file", "remove one of the references");
  }
  return *entry->second;
}

}  // namespace orbweaver::sca
