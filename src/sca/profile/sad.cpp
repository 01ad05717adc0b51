#include <algorithm>
#include <filesystem>
#include <map>

#include "sca/profile/assembly.h"
#include "sca/profile/check.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

class SadReader {
 public:
  SadReader(const std::string& path, const std::string& root_folder)
      : xml_(path, "softwareassembly"), root_folder_(root_folder) {
    assembly_.file = path;
  }

  Assembly read() {
    const Element root =
        xml_.root().allow({"id", "name", "version", "sca_version"},
                          {"description", "componentfiles", "partitioning", "assemblycontroller",
                           "connections", "externalports", "deploymentdependencies", "deploymentprefs"});
    // 2.2.2 identifies an assembly by its id, 4.1 by its name.
    const auto id = root.find_attribute("id");
    const auto name = root.find_attribute("name");
    if (!id && !name) root.fail("the assembly has neither id nor name", "add id=\"…\" and name=\"…\"");
    assembly_.id = id.value_or(name.value_or(""));
    assembly_.name = name.value_or(assembly_.id);
    if (const auto text = root.find_child("description")) assembly_.description = text->raw_text();
    component_files(root.child("componentfiles"));
    partitioning(root.child("partitioning"));
    resolve_factories();
    const Element controller = root.child("assemblycontroller").allow({}, {"componentinstantiationref"});
    assembly_.controller = component(controller.child("componentinstantiationref"));
    if (const auto connections = root.find_child("connections")) this->connections(*connections);
    return std::move(assembly_);
  }

 private:
  void component_files(const Element& files) {
    for (const Element& element : files.allow({}, {"componentfile"}).children()) {
      element.allow({"id", "type"}, {"localfile"});
      const std::string id = element.attribute("id");
      const Element local = element.child("localfile").allow({"name"}, {});
      const std::string name = local.attribute("name");
      const std::string path = resolve_file(assembly_.file, name, root_folder_);
      std::error_code ignored;
      if (!std::filesystem::exists(path, ignored)) {
        local.fail("the file '" + name + "' does not exist (looked for " + path + ")",
                   "correct the name: it is relative to this file's folder");
      }
      if (!files_.emplace(id, assembly_.packages.size()).second)
        element.fail("a second componentfile '" + id + "'", "rename one");
      assembly_.packages.push_back(read_software_package(path, root_folder_));
    }
    if (files_.empty()) files.fail("no componentfile is listed", "list the SPD of each component");
  }

  void partitioning(const Element& parts) {
    for (const Element& part :
         parts.allow({}, {"componentplacement", "hostcollocation", "assemblyplacement"}).children()) {
      if (part.name() == "componentplacement") {
        placement(part);
      } else if (part.name() == "hostcollocation") {
        // There is one host, so every hostcollocation is satisfied.
        for (const Element& inner : part.allow({"id", "name"}, {"componentplacement"}).children())
          placement(inner);
      } else {
        part.fail("<assemblyplacement> is not supported", "place the components of the inner assembly here");
      }
    }
    if (assembly_.components.empty())
      parts.fail("the assembly has no component", "add a <componentplacement>");
  }

  void placement(const Element& place) {
    place.allow({}, {"componentfileref", "componentinstantiation"});
    const Element reference = place.child("componentfileref").allow({"refid"}, {});
    const auto package = files_.find(reference.attribute("refid"));
    if (package == files_.end()) {
      std::vector<std::string> known;
      for (const auto& [id, index] : files_) known.push_back(id);
      reference.fail("there is no componentfile '" + reference.attribute("refid") + "'",
                     "the assembly lists " + one_of(known));
    }
    const auto elements = place.children("componentinstantiation");
    if (elements.empty()) place.fail("the placement has no instantiation", "add a <componentinstantiation>");
    for (const Element& element : elements) instantiation(element, package->second);
  }

  void instantiation(const Element& element, std::size_t package) {
    element.allow({"id", "processcollocation"}, {"usagename", "componentproperties", "findcomponent",
                                                 "coreaffinity", "componentfactoryref"});
    Instantiation result;
    result.where = element.where();
    result.package = package;
    result.id = element.attribute("id");
    if (result.id.find_first_of("=. \t\r\n/") != std::string::npos) {
      element.fail("'" + result.id + "' cannot be a component's id",
                   "leave out blanks and the characters = . /");
    }
    if (assembly_.find(result.id) || assembly_.find_factory(result.id))
      element.fail("a second componentinstantiation '" + result.id + "'", "ids are unique: rename one");
    if (assembly_.components.size() + assembly_.factories.size() == kMaxComponents) {
      element.fail("more than " + std::to_string(kMaxComponents) + " components", "split the assembly");
    }
    const auto usage = element.find_child("usagename");
    result.name = usage ? usage->text() : result.id;
    if (const auto process = element.find_attribute("processcollocation")) {
      if (process->empty())
        element.fail("processcollocation is empty",
                     "give the components of one process the same value, or leave it out");
      result.process = *process;
    }
    result.naming = result.id;
    if (const auto find = element.find_child("findcomponent")) find_component(*find, result);
    if (const auto factory = element.find_child("componentfactoryref")) {
      factory->fail("component factories of SCA 4.1 are not supported",
                    "use a resource factory: <findcomponent><componentresourcefactoryref>");
    }
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
    find.allow({}, {"namingservice", "componentresourcefactoryref"});
    const auto reference = find.find_child("componentresourcefactoryref");
    if (!reference) {
      result.naming = find.child("namingservice").allow({"name"}, {}).attribute("name");
      return;
    }
    if (find.find_child("namingservice"))
      find.fail("a component is found by a resource factory or by <namingservice>, not by both",
                "remove one");
    reference->allow({"refid"}, {"resourcefactoryproperties"});
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
      if (!component.factory) continue;
      const std::string& id = component.factory->id;
      if (const auto found = assembly_.find_factory(id)) {
        component.factory->factory = *found;
        continue;
      }
      std::vector<std::string> known;
      for (const auto& factory : assembly_.factories) known.push_back(factory.id);
      const auto other = assembly_.find(id);
      throw ProfileError(component.factory->where,
                         other ? "component '" + id + "' is not a resource factory: the type in " +
                                     assembly_.package_of(*other).component.file + " is resource"
                               : "there is no resource factory '" + id + "'",
                         known.empty() ? "the assembly has none: add a <componentplacement> of one"
                                       : "the assembly has " + one_of(known));
    }
  }

  static void settings(const Element& properties, std::vector<PropertySetting>& result) {
    for (const Element& element : properties.children()) {
      if (element.name() != "simpleref") {
        element.fail("<" + std::string(element.name()) + "> is not supported in <" +
                         std::string(properties.name()) + ">",
                     "only <simpleref> is");
      }
      element.allow({"refid", "value"}, {});
      const auto value = element.find_attribute("value");
      if (!value) element.fail("<simpleref> needs the attribute 'value'", "add value=\"…\"");
      result.push_back({element.attribute("refid"), *value, element.where()});
    }
  }

  std::size_t component(const Element& reference) const {
    const std::string id = reference.allow({"refid"}, {}).attribute("refid");
    const auto found = assembly_.find(id);
    if (!found && assembly_.find_factory(id))
      reference.fail("'" + id + "' is a resource factory, which has no ports and cannot be started",
                     "name a component");
    if (!found) {
      std::vector<std::string> known;
      for (const auto& c : assembly_.components) known.push_back(c.id);
      reference.fail("there is no component '" + id + "'", "the assembly has " + one_of(known));
    }
    return *found;
  }

  void connections(const Element& list) {
    for (const Element& element : list.allow({}, {"connectinterface"}).children()) {
      element.allow({"id"}, {"usesport", "providesport", "componentsupportedinterface", "findby"});
      if (assembly_.connections.size() == kMaxConnections) {
        element.fail("more than " + std::to_string(kMaxConnections) + " connections", "split the assembly");
      }
      Connection connection;
      connection.where = element.where();
      connection.id = element.find_attribute("id").value_or("connection " +
                                                            std::to_string(assembly_.connections.size() + 1));
      connection.uses = endpoint(element.child("usesport"), "usesidentifier");
      if (const auto supported = element.find_child("componentsupportedinterface")) {
        connection.provides = endpoint(*supported, "supportedidentifier");
        connection.interface = std::move(connection.provides.port);
        connection.provides.port.clear();
      } else {
        if (element.find_child("findby"))
          element.fail("connections to the outside (<findby>) are not supported",
                       "connect to a component of the assembly");
        connection.provides = endpoint(element.child("providesport"), "providesidentifier");
      }
      assembly_.connections.push_back(std::move(connection));
    }
  }

  /// Reads one end of a connection. SCA 2.2.2 names the identifier element after the side (`identifier`), 4.1
  /// names it <identifier>.
  PortReference endpoint(const Element& side, const char* identifier) const {
    for (const Element& child : side.children()) {
      const auto name = child.name();
      if (name != identifier && name != "identifier" && name != "componentinstantiationref") {
        child.fail("<" + std::string(name) + "> is not supported here",
                   "name a component of the assembly by <componentinstantiationref>");
      }
    }
    const auto newer = side.find_child("identifier");
    const Element word = newer ? *newer : side.child(identifier);
    return {component(side.child("componentinstantiationref")), word.text()};
  }

  XmlFile xml_;
  std::string root_folder_;
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
  try {
    Assembly assembly = SadReader(path, root).read();
    check_assembly(assembly);
    return assembly;
  } catch (const ProfileError& error) {
    return error.error();
  }
}

}  // namespace orbweaver::sca
