#include "sca/profile/node_configuration.h"

#include <algorithm>
#include <map>

#include "sca/profile/profile_readers.h"
#include "sca/profile/sad_parts.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

std::string in_lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// The numbers of "0,2".
std::vector<int> numbers_of(const std::string& list) {
  std::vector<int> numbers;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    numbers.push_back(std::stoi(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  return numbers;
}

/// Reads a DCD that has been checked. Throws ProfileError for what a node cannot do.
class NodeReader {
 public:
  NodeReader(const std::string& path, const std::string& root_folder, const Profiles& profiles)
      : xml_(path, profiles.text(path)), root_folder_(root_folder), profiles_(profiles) {
    node_.file = path;
  }

  NodeConfiguration read() {
    const Element root = xml_.root();
    node_.id = root.attribute("id");
    node_.name = root.find_attribute("name").value_or(node_.id);
    node_.description = child_text(root, "description");
    const Element manager = *root.find_child("devicemanagersoftpkg");
    node_.manager = package(manager);
    if (const auto properties = manager.find_child("componentproperties"))
      settings(*properties, node_.manager_settings);
    if (const auto files = root.find_child("componentfiles")) component_files(*files);
    if (const auto parts = root.find_child("partitioning")) {
      for (const Element& each : parts->children("componentplacement")) placement(each);
    }
    check_parents();
    if (const auto list = root.find_child("connections")) connections(*list);
    domain(*root.find_child("domainmanager"));
    if (const auto names = root.find_child("filesystemnames")) {
      for (const Element& each : names->children("filesystemname"))
        node_.file_systems.push_back({each.attribute("mountname"), each.attribute("deviceid")});
    }
    return std::move(node_);
  }

 private:
  const SoftwarePackage& package(const Element& reference) const {
    const std::string name = reference.find_child("localfile")->attribute("name");
    const auto* const found = profiles_.find_package(resolve_file(node_.file, name, root_folder_));
    if (found == nullptr) reference.fail("'" + name + "' is no software package", "name an SPD");
    return *found;
  }

  void component_files(const Element& files) {
    for (const Element& element : files.children("componentfile")) {
      files_.emplace(element.attribute("id"), node_.packages.size());
      node_.packages.push_back(package(element));
    }
  }

  void settings(const Element& properties, std::vector<PropertySetting>& result) {
    for (const Element& element : properties.children()) {
      const std::string id = element.attribute("refid");
      if (element.name() == "simpleref") {
        result.push_back({id, element.attribute("value"), element.where()});
      } else {
        node_.warnings.push_back(element.where().text() + ": the value of '" + id +
                                 "' has no effect: a device manager has simple properties only");
      }
    }
  }

  void placement(const Element& place) {
    const std::size_t index = files_.find(place.find_child("componentfileref")->attribute("refid"))->second;
    for (const Element& element : place.children("componentinstantiation")) {
      if (node_.components.size() == kMaxNodeComponents)
        element.fail("the node has more than " + std::to_string(kMaxNodeComponents) +
                         " devices and services, the limit of one node",
                     "distribute them over several DCDs");
      NodeComponent component;
      component.where = element.where();
      component.id = element.attribute("id");
      component.name = child_text(element, "usagename");
      if (component.name.empty()) component.name = component.id;
      component.package = index;
      if (const auto parent = place.find_child("compositepartofdevice"))
        component.parent = parent->attribute("refid");
      if (const auto host = place.find_child("deployondevice")) component.host = host->attribute("refid");
      if (const auto properties = element.find_child("componentproperties"))
        component.settings = read_settings(*properties);
      for (const Element& core : element.children("coreaffinity"))
        component.cores.push_back(std::stoi(core.text()));
      if (component.cores.empty()) component.cores = numbers_of(read_affinity(element));
      component.deployer_requires = read_requires(element, "deployerrequires");
      const SoftwarePackage& spd = node_.packages[index];
      const std::string type = in_lower_case(spd.component.type);
      component.is_device = !spd.has_component || type.find("device") != std::string::npos;
      node_.components.push_back(std::move(component));
    }
  }

  /// A device that were its own ancestor could not be started: a parent is started before its children.
  void check_parents() const {
    for (const NodeComponent& component : node_.components) {
      const NodeComponent* ancestor = &component;
      for (std::size_t steps = 0; ancestor != nullptr && !ancestor->parent.empty(); ++steps) {
        if (steps == node_.components.size())
          throw ProfileError(component.where, "'" + component.id + "' is part of itself",
                             "correct <compositepartofdevice>");
        ancestor = node_.find(ancestor->parent);
      }
    }
  }

  void connections(const Element& list) {
    for (const Element& element : list.children("connectinterface")) {
      NodeConnection connection;
      connection.where = element.where();
      connection.id =
          element.find_attribute("id").value_or("connection " + std::to_string(node_.connections.size() + 1));
      connection.uses = endpoint(*element.find_child("usesport"), "usesidentifier");
      if (const auto provides = element.find_child("providesport")) {
        connection.provides = endpoint(*provides, "providesidentifier");
      } else if (const auto supported = element.find_child("componentsupportedinterface")) {
        connection.provides = endpoint(*supported, "supportedidentifier");
        connection.provides.port.clear();
      } else {
        found_by(*element.find_child("findby"), connection.provides);
      }
      node_.connections.push_back(std::move(connection));
    }
  }

  static NodeEndpoint endpoint(const Element& side, const char* identifier) {
    NodeEndpoint end;
    const auto newer = side.find_child("identifier");
    end.port = newer ? newer->text() : child_text(side, identifier);
    end.reference = side.attribute("stringifiedobjectref");
    const Element what = side.children().back();
    if (what.name() == "findby") {
      found_by(what, end);
    } else if (what.name() == "domainfinder") {
      finder(what, end);
    } else if (what.name() == "componentinstantiationref") {
      end.component = what.attribute("refid");
    } else {
      what.fail("<" + std::string(what.name()) + "> has no meaning in a node", "name a device or service");
    }
    return end;
  }

  static void found_by(const Element& element, NodeEndpoint& end) {
    const Element what = element.children().front();
    if (what.name() == "namingservice") {
      end.naming = what.attribute("name");
    } else if (what.name() == "domainfinder") {
      finder(what, end);
    } else {
      end.reference = what.text();
    }
  }

  static void finder(const Element& element, NodeEndpoint& end) {
    end.finder = element.attribute("type");
    end.found = element.attribute("name");
  }

  void domain(const Element& manager) {
    if (const auto naming = manager.find_child("namingservice")) {
      node_.domain = naming->attribute("name");
    } else if (const auto reference = manager.find_child("stringifiedobjectref")) {
      node_.domain_reference = reference->text();
    } else {
      node_.domain = manager.attribute("name");
    }
    if (node_.domain.empty() && node_.domain_reference.empty())
      manager.fail("the name of the domain manager is empty",
                   "give the name to which it is bound, such as radio/radio");
  }

  XmlFile xml_;
  std::string root_folder_;
  const Profiles& profiles_;
  std::map<std::string, std::size_t, std::less<>> files_;
  NodeConfiguration node_;
};

}  // namespace

const NodeComponent* NodeConfiguration::find(std::string_view component_id) const {
  const auto found = std::find_if(components.begin(), components.end(),
                                  [&](auto& component) { return component.id == component_id; });
  return found == components.end() ? nullptr : &*found;
}

Result<NodeConfiguration> load_node(const std::string& path, const std::string& root) {
  Findings findings;
  Profiles profiles(root, Profiles::CodeFiles::may_be_missing, findings);
  profiles.check(path, ProfileKind::device_configuration);
  if (const std::size_t mistakes = findings.mistakes(); mistakes > 0) {
    const std::string others = mistakes == 1 ? ""
                                             : " (the first of " + std::to_string(mistakes) +
                                                   " mistakes: `orbweaver check` lists them)";
    return Error{ErrorKind::invalid, findings.first_mistake() + others};
  }
  try {
    NodeConfiguration node = NodeReader(path, root, profiles).read();
    const auto warnings = findings.warning_lines();
    node.warnings.insert(node.warnings.begin(), warnings.begin(), warnings.end());
    return node;
  } catch (const ProfileError& error) {
    return error.error();
  }
}

}  // namespace orbweaver::sca
