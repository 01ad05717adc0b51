#include <algorithm>
#include <map>

#include "sca/profile/component.h"
#include "sca/profile/profile_readers.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

const PortDeclaration* find(const std::vector<PortDeclaration>& ports, std::string_view name) {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](auto& p) { return p.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

class ScdReader {
 public:
  ScdReader(const Element& root, Profiles& profiles) : root_(root), profiles_(profiles) {}

  ComponentDescriptor read() {
    scd_.file = root_.file().path();
    if (const auto id = root_.find_child("componentrepid")) scd_.repid = repository_id(*id);
    scd_.type = child_text(root_, "componenttype");
    const auto type = root_.find_child("componenttype");
    if (type && scd_.type.empty())
      profiles_.mistake(type->where(), "<componenttype> is empty", "write resource, device or another type");
    if (const auto features = root_.find_child("componentfeatures")) {
      for (const Element& element : features->children("supportsinterface")) {
        scd_.supports.push_back(repository_id(element));
        scd_.supports_names.push_back(element.attribute("supportsname"));
      }
      if (const auto ports = features->find_child("ports")) read_ports(*ports);
    }
    if (const auto interfaces = root_.find_child("interfaces")) read_interfaces(*interfaces);
    if (const auto file = root_.find_child("propertyfile")) {
      if (const auto properties = profiles_.properties(*file)) scd_.properties = *properties;
    }
    check_edition();
    return std::move(scd_);
  }

 private:
  std::string repository_id(const Element& element) {
    std::string repid = element.attribute("repid");
    const bool is_one = repid.starts_with("IDL:") && repid.find(':', 4) != std::string::npos;
    if (!is_one && element.find_attribute("repid"))
      profiles_.mistake(element.where(), "'" + repid + "' is not a repository id",
                        "it looks like IDL:module/Interface:1.0");
    return repid;
  }

  void read_ports(const Element& ports) {
    // REDHAWK's bidirectional ports are both a provides and a uses port.
    std::map<std::string, std::size_t, std::less<>> provides, uses;
    for (const Element& element : ports.children()) {
      const bool is_provides = element.name() == "provides";
      if (!is_provides && element.name() != "uses") continue;
      const char* const attribute = is_provides ? "providesname" : "usesname";
      PortDeclaration port{element.attribute(attribute), repository_id(element), element.where()};
      if (port.name.empty()) {
        if (element.find_attribute(attribute))
          profiles_.mistake(port.where, std::string("the attribute '") + attribute + "' is empty",
                            "give it a value");
        continue;
      }
      if (const auto most = element.find_attribute("maxconnections")) check_count(element, *most);
      const auto [first, is_new] = (is_provides ? provides : uses).emplace(port.name, port.where.line);
      if (!is_new) {
        profiles_.mistake(port.where, "a second port '" + port.name + "'",
                          "the first is in line " + std::to_string(first->second) + ": rename one");
        continue;
      }
      (is_provides ? scd_.provides : scd_.uses).push_back(std::move(port));
    }
  }

  void check_count(const Element& element, const std::string& text) {
    const auto count = number_of(text);
    if (!count || *count < 0 || text.find_first_not_of("0123456789") != std::string::npos)
      profiles_.mistake(element.where(), "maxconnections cannot be '" + text + "'",
                        "give a number, such as 1");
  }

  void read_interfaces(const Element& interfaces) {
    for (const Element& element : interfaces.children("interface")) {
      InterfaceDeclaration interface {
        repository_id(element), element.attribute("name"), {}, element.where()
      };
      for (const Element& base : element.children("inheritsinterface"))
        interface.inherits.push_back(repository_id(base));
      scd_.interfaces.push_back(std::move(interface));
    }
  }

  /// SCA 2.2.2 requires corbaversion. SCA 4.1 does not have it, and requires maxconnections.
  void check_edition() {
    if (root_.find_child("corbaversion")) return;
    const auto features = root_.find_child("componentfeatures");
    const auto ports = features ? features->find_child("ports") : std::nullopt;
    if (!ports) return;
    const auto list = ports->children();
    const bool is_41 = !list.empty() && std::all_of(list.begin(), list.end(), [](const Element& port) {
      return port.find_attribute("maxconnections").has_value();
    });
    const auto id = root_.find_child("componentrepid");
    if (!is_41 && !list.empty())
      profiles_.mistake((id ? *id : root_).where(), "<softwarecomponent> needs a <corbaversion> before this",
                        "add <corbaversion>, or for SCA 4.1 maxconnections at each port");
  }

  const Element root_;
  Profiles& profiles_;
  ComponentDescriptor scd_;
};

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

ComponentDescriptor read_component(const Element& root, Profiles& profiles) {
  return ScdReader(root, profiles).read();
}

}  // namespace orbweaver::sca
