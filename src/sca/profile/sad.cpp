#include <algorithm>
#include <map>

#include "sca/profile/assembly.h"
#include "sca/profile/check.h"
#include "sca/profile/profile_readers.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

std::string joined_by_and(const std::vector<std::string>& names) {
  std::string text = some_of(names);
  if (const auto last = text.rfind(" or "); last != std::string::npos) text.replace(last, 4, " and ");
  return text;
}

/// Reads what `orbweaver run` needs of an assembly that has been checked. Throws ProfileError for what it
/// does not support yet.
class SadReader {
 public:
  SadReader(const std::string& path, const std::string& root_folder, const Profiles& profiles)
      : xml_(path), root_folder_(root_folder), profiles_(profiles) {
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
    return std::move(assembly_);
  }

 private:
  [[noreturn]] static void not_supported(const Element& element, const std::string& what,
                                         const std::string& advice) {
    element.fail(what + " is not supported by `orbweaver run` yet", advice);
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
    if (type != "resource" && type != "resourcefactory")
      not_supported(element, "a component of type '" + type + "' (" + package.component.file + ")",
                    "only 'resource' and 'resourcefactory' can be deployed");
    std::string reason = "the package has no <implementation>";
    std::erase_if(package.implementations, [&](const Implementation& implementation) {
      const bool is_code =
          implementation.code == CodeType::executable || implementation.code == CodeType::shared_library;
      if (is_code && implementation.unsupported.empty()) return false;
      reason = is_code ? implementation.unsupported : "code of type KernelModule or Driver";
      return true;
    });
    if (package.implementations.empty())
      not_supported(element, package.file + ": " + reason, "remove it, or add an implementation without it");
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
      // There is one host, so every hostcollocation is satisfied.
      for (const Element& inner : part.children("componentplacement")) placement(inner);
    }
    if (assembly_.components.empty())
      parts.fail("the assembly has no component", "add a <componentplacement>");
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
    if (result.id.find_first_of("=. \t\r\n/") != std::string::npos) {
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
      settings(*properties, result.settings);
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

  static void find_component(const Element& find, Instantiation& result) {
    if (const auto name = find.find_child("namingservice")) result.naming = name->attribute("name");
    const auto reference = find.find_child("componentresourcefactoryref");
    if (!reference) return;
    result.factory = FactoryReference{reference->attribute("refid"), 0, {}, reference->where()};
    if (const auto properties = reference->find_child("resourcefactoryproperties"))
      settings(*properties, result.factory->qualifiers);
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

  static void settings(const Element& properties, std::vector<PropertySetting>& result) {
    for (const Element& element : properties.children()) {
      if (element.name() != "simpleref")
        not_supported(element,
                      "<" + std::string(element.name()) + "> in <" + std::string(properties.name()) + ">",
                      "only <simpleref> is");
      result.push_back({element.attribute("refid"), element.attribute("value"), element.where()});
    }
  }

  std::size_t component(const Element& reference) const {
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
      if (element.find_child("findby"))
        not_supported(element, "a connection to the outside (<findby>)",
                      "connect to a component of the assembly");
      Connection connection;
      connection.where = element.where();
      connection.id = element.find_attribute("id").value_or("connection " +
                                                            std::to_string(assembly_.connections.size() + 1));
      connection.uses = endpoint(*element.find_child("usesport"), "usesidentifier");
      if (const auto supported = element.find_child("componentsupportedinterface")) {
        connection.provides = endpoint(*supported, "supportedidentifier");
        connection.provides.port.clear();
      } else {
        connection.provides = endpoint(*element.find_child("providesport"), "providesidentifier");
      }
      assembly_.connections.push_back(std::move(connection));
    }
  }

  /// Reads one end of a connection. SCA 2.2.2 names the identifier element after the side (`identifier`), 4.1
  /// names it <identifier>.
  PortReference endpoint(const Element& side, const char* identifier) const {
    const Element other = side.children().back();
    if (other.name() != "componentinstantiationref")
      not_supported(other, "<" + std::string(other.name()) + "> in a connection",
                    "name a component of the assembly by <componentinstantiationref>");
    const auto newer = side.find_child("identifier");
    return {component(other), newer ? newer->text() : child_text(side, identifier)};
  }

  XmlFile xml_;
  std::string root_folder_;
  const Profiles& profiles_;
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

Result<Assembly> load_assembly(const std::string& path, const std::string& root) {
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
    Assembly assembly = SadReader(path, root, profiles).read();
    check_assembly(assembly);
    const auto warnings = findings.warning_lines();
    assembly.warnings.insert(assembly.warnings.begin(), warnings.begin(), warnings.end());
    return assembly;
  } catch (const ProfileError& error) {
    return error.error();
  }
}

}  // namespace orbweaver::sca
