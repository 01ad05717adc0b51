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
    if (assembly_.find(result.id))
      element.fail("a second componentinstantiation '" + result.id + "'", "ids are unique: rename one");
    if (assembly_.components.size() == kMaxComponents) {
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
    if (const auto find = element.find_child("findcomponent")) {
      find->allow({}, {"namingservice", "componentresourcefactoryref"});
      if (find->find_child("componentresourcefactoryref"))
        find->fail("resource factories are not supported", "let the component be found by <namingservice>");
      result.naming = find->child("namingservice").allow({"name"}, {}).attribute("name");
    }
    if (const auto factory = element.find_child("componentfactoryref"))
      factory->fail("component factories are not supported", "remove it");
    if (const auto properties = element.find_child("componentproperties")) settings(*properties, result);
    assembly_.components.push_back(std::move(result));
  }

  static void settings(const Element& properties, Instantiation& result) {
    for (const Element& element : properties.children()) {
      if (element.name() != "simpleref") {
        element.fail("<" + std::string(element.name()) + "> is not supported in <componentproperties>",
                     "only <simpleref> is");
      }
      element.allow({"refid", "value"}, {});
      const auto value = element.find_attribute("value");
      if (!value) element.fail("<simpleref> needs the attribute 'value'", "add value=\"…\"");
      result.settings.push_back({element.attribute("refid"), *value, element.where()});
    }
  }

  std::size_t component(const Element& reference) const {
    const std::string id = reference.allow({"refid"}, {}).attribute("refid");
    const auto found = assembly_.find(id);
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

std::optional<std::size_t> Assembly::find(std::string_view component_id) const {
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (components[i].id == component_id) return i;
  }
  return std::nullopt;
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
