#include <algorithm>
#include <map>

#include "sca/profile/assembly.h"
#include "sca/profile/check.h"
#include "sca/profile/edition.h"
#include "sca/profile/extensions.h"
#include "sca/profile/profile_readers.h"
#include "sca/profile/sad_parts.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

std::string joined_by_and(const std::vector<std::string>& names) {
  std::string text = some_of(names);
  if (const auto last = text.rfind(" or "); last != std::string::npos) text.replace(last, 4, " and ");
  return text;
}

/// Reads what a deployment needs of an assembly that has been checked. Throws ProfileError for what is not
/// supported yet.
class SadReader {
 public:
  SadReader(const std::string& path, const std::string& root_folder, const Profiles& profiles,
            AssemblyUse use)
      : xml_(path), root_folder_(root_folder), profiles_(profiles), use_(use) {
    assembly_.file = path;
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
    resolve_factories();
    assembly_.controller = component(root.find_child("assemblycontroller")->children().front());
    if (const auto connections = root.find_child("connections")) this->connections(*connections);
    if (use_ == AssemblyUse::domain) domain_parts(root);
    return std::move(assembly_);
  }

 private:
  [[noreturn]] void not_supported(const Element& element, const std::string& what,
                                  const std::string& advice) const {
    fail_not_supported(element, what, advice, use_);
  }

  void component_files(const Element& files) {
    for (const Element& element : files.children("componentfile")) {
      const std::string name = element.find_child("localfile")->attribute("name");
      const std::string path = resolve_file(assembly_.file, name, root_folder_);
      const SoftwarePackage* const package = profiles_.find_package(path);
      if (package == nullptr)
        not_supported(element, "an assembly in an assembly", "place its components here");
      files_.emplace(element.attribute("id"), assembly_.packages.size());
      assembly_.packages.push_back(*package);
      restrict(element, assembly_.packages.back());
    }
  }

  /// Removes from a package what is not supported, and warns.
  void restrict(const Element& element, SoftwarePackage& package) {
    if (!package.has_component)
      not_supported(element, "a package without an SCD (" + package.file + ")", "remove its component");
    const std::string& type = package.component.type;
    if (type != "resource" && type != "resourcefactory" && !is_sca41(package.component))
      not_supported(element, "a component of type '" + type + "' (" + package.component.file + ")",
                    "only 'resource', 'resourcefactory' and 'applicationcomponent' can be deployed");
    std::string reason = "the package has no <implementation>";
    std::erase_if(package.implementations, [&](const Implementation& implementation) {
      const bool is_code =
          implementation.code == CodeType::executable || implementation.code == CodeType::shared_library;
      const std::string& unsupported =
          use_ == AssemblyUse::run ? implementation.unsupported : implementation.unsupported_in_domain;
      if (is_code && unsupported.empty()) return false;
      reason = is_code ? unsupported : "code of type KernelModule or Driver";
      return true;
    });
    if (package.implementations.empty())
      not_supported(element, package.file + ": " + reason, "remove it, or add an implementation without it");
    for (const Implementation& implementation : package.implementations) add_dependencies(implementation, 0);
    if (use_ == AssemblyUse::run) keep_simple_properties(package);
  }

  /// Adds the packages that an implementation depends on. Profiles rejects packages that contain themselves.
  void add_dependencies(const Implementation& implementation, int depth) {
    constexpr int kMaxDepth = 64;
    for (const PackageDependency& each : implementation.dependencies) {
      if (depth == kMaxDepth || assembly_.dependencies.contains(each.file)) continue;
      const SoftwarePackage* const package = profiles_.find_package(each.file);
      if (package == nullptr) continue;
      assembly_.dependencies.emplace(each.file, *package);
      for (const Implementation& inner : package->implementations) add_dependencies(inner, depth + 1);
    }
  }

  /// Removes the properties that `orbweaver run` does not set, and warns.
  void keep_simple_properties(SoftwarePackage& package) {
    std::vector<std::string> ignored;
    const auto add = [&](const auto& property) {
      if (property.can_be_set()) ignored.push_back(property.id);
    };
    for (const auto& each : package.properties.sequences) add(each);
    for (const auto& each : package.properties.structs) add(each);
    std::erase_if(package.properties.simple, [&](const SimpleProperty& property) {
      const bool is_foreign = property.is_complex || property.type == PropertyType::utc_time;
      if (is_foreign) add(property);
      return is_foreign;
    });
    if (!ignored.empty())
      assembly_.warnings.push_back(
          package.where.text() + ": the defaults of " + joined_by_and(ignored) +
          " are not passed to the component: `orbweaver run` sets only simple properties");
  }

  void partitioning(const Element& parts) {
    for (const Element& part : parts.children()) {
      if (part.name() == "componentplacement") placement(part);
      if (part.name() == "assemblyplacement")
        not_supported(part, "<assemblyplacement>", "place the components of the inner assembly here");
      const std::size_t components = assembly_.components.size(), factories = assembly_.factories.size();
      for (const Element& inner : part.children("componentplacement")) placement(inner);
      // `orbweaver run` has one host, so that every hostcollocation is satisfied.
      if (part.name() == "hostcollocation" && use_ == AssemblyUse::domain)
        host_placement(part, components, factories);
    }
    if (assembly_.components.empty())
      parts.fail("the assembly has no component", "add a <componentplacement>");
  }

  /// The components of a hostcollocation are those that have been added since.
  void host_placement(const Element& part, std::size_t component, std::size_t factory) {
    HostPlacement host;
    host.name = part.attribute("name").empty() ? part.attribute("id") : part.attribute("name");
    for (; component < assembly_.components.size(); ++component) host.components.push_back(component);
    for (; factory < assembly_.factories.size(); ++factory) host.factories.push_back(factory);
    assembly_.hosts.push_back(std::move(host));
  }

  void placement(const Element& place) {
    const std::size_t package = files_.find(place.find_child("componentfileref")->attribute("refid"))->second;
    for (const Element& element : place.children("componentinstantiation")) instantiation(element, package);
  }

  void instantiation(const Element& element, std::size_t package) {
    Instantiation result;
    result.where = element.where();
    result.package = package;
    result.id = element.attribute("id");
    if (use_ == AssemblyUse::run && result.id.find_first_of("=. \t\r\n/") != std::string::npos) {
      element.fail("'" + result.id + "' cannot be a component's id",
                   "leave out blanks and the characters = . /");
    }
    if (assembly_.components.size() + assembly_.factories.size() == kMaxComponents) {
      element.fail("more than " + std::to_string(kMaxComponents) + " components", "split the assembly");
    }
    result.name = child_text(element, "usagename");
    if (result.name.empty()) result.name = result.id;
    result.process = element.attribute("processcollocation");
    result.naming = result.id;
    if (const auto find = element.find_child("findcomponent")) find_component(*find, result);
    if (const auto factory = element.find_child("componentfactoryref"))
      not_supported(*factory, "a component factory of SCA 4.1",
                    "use a resource factory: <findcomponent><componentresourcefactoryref>");
    if (const auto properties = element.find_child("componentproperties"))
      result.settings = read_settings(*properties, use_);
    if (const auto order = element.find_attribute("startorder"); order && use_ == AssemblyUse::domain)
      result.start_order = static_cast<std::uint32_t>(number_of(*order).value_or(0));
    for (const Element& core : element.children("coreaffinity"))
      result.cores += (result.cores.empty() ? "" : ",") + core.text();
    take_direct_inputs(result);
    check_placement(element, result);
    const bool is_factory = assembly_.packages[package].component.is_resource_factory();
    (is_factory ? assembly_.factories : assembly_.components).push_back(std::move(result));
  }

  /// Moves the setting DIRECT_INPUTS, which belongs to no PRF, to a member of its own.
  static void take_direct_inputs(Instantiation& result) {
    const auto setting = std::find_if(result.settings.begin(), result.settings.end(),
                                      [](auto& other) { return other.id == kDirectInputs; });
    if (setting == result.settings.end()) return;
    const std::string& list = setting->value;
    constexpr const char* kBlanks = " \t\r\n";
    const bool is_empty = list.find_first_not_of(kBlanks) == std::string::npos;
    for (std::size_t begin = 0; !is_empty && begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      std::string name = list.substr(begin, end - begin);
      name.erase(0, name.find_first_not_of(kBlanks));
      name.erase(name.find_last_not_of(kBlanks) + 1);
      auto& names = result.direct_inputs;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
      begin = end + 1;
    }
    result.direct_inputs_where = setting->where;
    result.settings.erase(setting);
  }

  void find_component(const Element& find, Instantiation& result) {
    if (const auto name = find.find_child("namingservice")) result.naming = name->attribute("name");
    const auto reference = find.find_child("componentresourcefactoryref");
    if (!reference) return;
    result.factory = FactoryReference{reference->attribute("refid"), 0, {}, reference->where()};
    if (const auto properties = reference->find_child("resourcefactoryproperties"))
      result.factory->qualifiers = read_settings(*properties, use_);
  }

  /// Checks that one element only places the component in a process.
  void check_placement(const Element& element, const Instantiation& instantiation) const {
    const bool is_factory = assembly_.packages[instantiation.package].component.is_resource_factory();
    if (is_factory && instantiation.factory)
      element.fail("'" + instantiation.id + "' is a resource factory, and no factory can create it",
                   "let it be found by <namingservice>");
    if (instantiation.process.empty()) return;
    if (is_factory)
      element.fail("'" + instantiation.id + "' is a resource factory, which has a process of its own",
                   "leave out processcollocation");
    if (instantiation.factory)
      element.fail("'" + instantiation.id + "' is created in the process of resource factory '" +
                       instantiation.factory->id + "'",
                   "leave out processcollocation");
  }

  /// Finds the factory of each component, which may follow it in the file.
  void resolve_factories() {
    for (Instantiation& component : assembly_.components) {
      if (component.factory) component.factory->factory = *assembly_.find_factory(component.factory->id);
    }
  }

  std::size_t component(const Element& reference) const {
    if (reference.name() == "assemblyinstantiationref")
      not_supported(reference, "an assembly in an assembly", "name a component");
    const std::string id = reference.attribute("refid");
    const auto found = assembly_.find(id);
    if (!found)
      reference.fail("'" + id + "' is a resource factory, which has no ports and cannot be started",
                     "name a component");
    return *found;
  }

  void connections(const Element& list) {
    for (const Element& element : list.children("connectinterface")) {
      if (assembly_.connections.size() == kMaxConnections) {
        element.fail("more than " + std::to_string(kMaxConnections) + " connections", "split the assembly");
      }
      if (element.find_child("findby") && use_ == AssemblyUse::run)
        not_supported(element, "a connection to the outside (<findby>)",
                      "connect to a component of the assembly");
      Connection connection;
      connection.where = element.where();
      connection.id = element.find_attribute("id").value_or("connection " +
                                                            std::to_string(assembly_.connections.size() + 1));
      connection.uses = endpoint(*element.find_child("usesport"));
      for (const char* const side : {"providesport", "componentsupportedinterface", "findby"}) {
        if (const auto provides = element.find_child(side)) connection.provides = endpoint(*provides);
      }
      assembly_.connections.push_back(std::move(connection));
    }
  }

  PortReference endpoint(const Element& side) const {
    UnresolvedEnd result = read_end(side, use_);
    if (result.component) result.end.component = component(*result.component);
    return std::move(result.end);
  }

  /// Reads the parts that only a domain uses.
  void domain_parts(const Element& root) {
    for (const Element& list : root.children("usesdevicedependencies")) {
      for (const Element& device : list.children("usesdevice")) {
        std::string unsupported;
        assembly_.devices.push_back(read_used_device(device, unsupported));
        if (!unsupported.empty()) not_supported(device, unsupported, "use <propertyref>");
      }
    }
    if (const auto list = root.find_child("externalports")) {
      for (const Element& element : list->children("port")) {
        AssemblyPort port{element.attribute("externalname"), endpoint(element)};
        if (port.name.empty())
          port.name = port.port.port.empty() ? child_text(element, "supportedidentifier") : port.port.port;
        assembly_.external_ports.push_back(std::move(port));
      }
    }
    if (const auto list = root.find_child("externalproperties")) {
      for (const Element& element : list->children("property")) {
        const std::string id = element.attribute("propid");
        const auto owner = assembly_.find(element.attribute("comprefid"));
        if (!owner)
          element.fail("'" + element.attribute("comprefid") + "' is no component that is configured");
        assembly_.external_properties.push_back(
            {element.find_attribute("externalpropid").value_or(id), *owner, id});
      }
    }
  }

  XmlFile xml_;
  std::string root_folder_;
  const Profiles& profiles_;
  const AssemblyUse use_;
  std::map<std::string, std::size_t, std::less<>> files_;
  Assembly assembly_;
};

}  // namespace

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

Result<Assembly> load_assembly(const std::string& path, const std::string& root, AssemblyUse use) {
  Findings findings;
  Profiles profiles(root, Profiles::CodeFiles::may_be_missing, findings);
  profiles.check(path, ProfileKind::assembly);
  if (const std::size_t mistakes = findings.mistakes(); mistakes > 0) {
    const std::string others = mistakes == 1 ? ""
                                             : " (the first of " + std::to_string(mistakes) +
                                                   " mistakes: `orbweaver check` lists them)";
    return Error{ErrorKind::invalid, findings.first_mistake() + others};
  }
  try {
    Assembly assembly = SadReader(path, root, profiles, use).read();
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
