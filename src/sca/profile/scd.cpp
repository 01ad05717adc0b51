#include <algorithm>

#include "sca/profile/component.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

const PortDeclaration* find(const std::vector<PortDeclaration>& ports, std::string_view name) {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](auto& p) { return p.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

std::string repository_id(const Element& element) {
  std::string repid = element.attribute("repid");
  if (!repid.starts_with("IDL:") || repid.find(':', 4) == std::string::npos) {
    element.fail("'" + repid + "' is not a repository id", "it looks like IDL:module/Interface:1.0");
  }
  return repid;
}

PortDeclaration read_port(const Element& element, const char* name_attribute) {
  element.allow({"repid", name_attribute}, {"porttype"});
  for (const Element& type : element.children()) {
    const std::string word = type.allow({"type"}, {}).attribute("type");
    if (word != "data" && word != "control" && word != "responses" && word != "test") {
      type.fail("'" + word + "' is not a type of port", "it can be data, control, responses or test");
    }
  }
  return {element.attribute(name_attribute), repository_id(element), element.where()};
}

void read_ports(const Element& ports, ComponentDescriptor& scd) {
  for (const Element& element : ports.allow({}, {"provides", "uses"}).children()) {
    const bool provides = element.name() == "provides";
    PortDeclaration port = read_port(element, provides ? "providesname" : "usesname");
    // getPort() has one name space for provides and uses ports.
    const PortDeclaration* other = scd.find_provides(port.name);
    if (other == nullptr) other = scd.find_uses(port.name);
    if (other != nullptr) {
      element.fail("a second port '" + port.name + "'",
                   "the first is in line " + std::to_string(other->where.line) + ": rename one");
    }
    (provides ? scd.provides : scd.uses).push_back(std::move(port));
  }
}

void read_interfaces(const Element& interfaces, ComponentDescriptor& scd) {
  for (const Element& element : interfaces.allow({}, {"interface"}).children()) {
    element.allow({"repid", "name"}, {"inheritsinterface"});
    InterfaceDeclaration interface { repository_id(element), element.attribute("name"), {}, element.where() };
    for (const Element& base : element.children())
      interface.inherits.push_back(repository_id(base.allow({"repid"}, {})));
    scd.interfaces.push_back(std::move(interface));
  }
}

}  // namespace

const PortDeclaration* ComponentDescriptor::find_provides(std::string_view name) const {
  return find(provides, name);
}
const PortDeclaration* ComponentDescriptor::find_uses(std::string_view name) const {
  return find(uses, name);
}

bool ComponentDescriptor::is_a(std::string_view derived, std::string_view base) const {
  // Breadth-first search without repetition, so it ends even if an interface inherits from itself.
  std::vector<std::string_view> known{derived};
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == base) return true;
    for (const auto& interface : interfaces) {
      if (interface.repid != known[i]) continue;
      for (const auto& up : interface.inherits) {
        if (std::find(known.begin(), known.end(), up) == known.end()) known.push_back(up);
      }
    }
  }
  return false;
}

void check_property_file_type(const Element& element) {
  if (const std::string type = element.find_attribute("type").value_or("PRF"); type != "PRF")
    element.fail("a property file of type '" + type + "' cannot be read", "the type can only be PRF");
}

ComponentDescriptor read_component_descriptor(const std::string& path) {
  const XmlFile file(path, "softwarecomponent");
  const Element root = file.root().allow({}, {"corbaversion", "componentrepid", "componenttype",
                                              "componentfeatures", "interfaces", "propertyfile"});
  ComponentDescriptor scd;
  scd.file = path;
  scd.repid = repository_id(root.child("componentrepid").allow({"repid"}, {}));
  scd.type = root.child("componenttype").text();
  if (scd.type != "resource" && scd.type != "resourcefactory") {
    root.child("componenttype")
        .fail("a component of type '" + scd.type + "' cannot be deployed",
              "only 'resource' and 'resourcefactory' can");
  }
  const Element features = root.child("componentfeatures").allow({}, {"supportsinterface", "ports"});
  for (const Element& element : features.children("supportsinterface")) {
    scd.supports.push_back(repository_id(element.allow({"repid", "supportsname"}, {})));
  }
  read_ports(features.child("ports"), scd);
  read_interfaces(root.child("interfaces"), scd);
  if (const auto properties = root.find_child("propertyfile")) {
    properties->allow({"type"}, {"localfile"});
    check_property_file_type(*properties);
    scd.property_file = properties->child("localfile").allow({"name"}, {}).attribute("name");
  }
  return scd;
}

}  // namespace orbweaver::sca
