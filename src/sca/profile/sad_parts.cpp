#include "sca/profile/sad_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sca/profile/edition.h"
#include "sca/profile/profile_readers.h"

namespace orbweaver::sca {
namespace {

std::vector<std::string> values_in(const Element& reference) {
  std::vector<std::string> all;
  const auto values = reference.find_child("values");
  if (!values) return all;
  for (const Element& value : values->children("value")) all.push_back(value.text());
  return all;
}

PropertySetting read_setting(const Element& element) {
  PropertySetting setting{element.attribute("refid"), element.attribute("value"), element.where()};
  setting.values = values_in(element);
  const auto members = [](const Element& structure) {
    std::vector<PropertySetting> settings;
    for (const Element& member : structure.children()) settings.push_back(read_setting(member));
    return settings;
  };
  if (element.name() == "structref") setting.structs.push_back(members(element));
  for (const Element& value : element.children("structvalue")) setting.structs.push_back(members(value));
  return setting;
}

/// Reads a <findby> or the elements in it.
PortReference found_object(const Element& findby) {
  PortReference end;
  if (const auto name = findby.find_child("namingservice")) {
    end.kind = EndKind::name;
    end.name = name->attribute("name");
  } else if (const auto reference = findby.find_child("stringifiedobjectref")) {
    end.kind = EndKind::reference;
    end.name = reference->text();
  } else if (const auto finder = findby.find_child("domainfinder")) {
    end.kind = EndKind::domain_finder;
    end.type = finder->attribute("type");
    end.name = finder->attribute("name");
  }
  return end;
}

/// Throws ProfileError if a list that every component may get would become too long.
void check_number(const Element& element, const std::vector<DeviceRequirement>& list) {
  if (list.size() == kMaxDependencies)
    element.fail("more than " + std::to_string(kMaxDependencies) + " entries", "leave some out");
}

/// A number of up to six digits.
std::optional<unsigned> whole_number(std::string_view text) {
  if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  unsigned number = 0;
  for (const char digit : text) number = number * 10 + static_cast<unsigned>(digit - '0');
  return number;
}

}  // namespace

void fail_not_supported(const Element& element, const std::string& what, const std::string& advice,
                        AssemblyUse use) {
  element.fail(what + (use == AssemblyUse::run ? " is not supported by `orbweaver run` yet"
                                               : " is not supported by `orbweaver domain` yet"),
               advice);
}

UnresolvedEnd read_end(const Element& side, AssemblyUse use) {
  if (side.name() == "findby") return {found_object(side), std::nullopt};
  UnresolvedEnd result;
  const Element other = side.children().back();
  const bool is_inner = other.name() == "assemblyinstantiationref";
  if (use == AssemblyUse::run && !is_inner && other.name() != "componentinstantiationref")
    fail_not_supported(other, "<" + std::string(other.name()) + "> in a connection",
                       "name a component of the assembly by <componentinstantiationref>", use);
  PortReference& end = result.end;
  if (other.name() == "findby") {
    end = found_object(other);
  } else if (other.name() == "domainfinder") {
    end = found_object(side);
  } else if (other.name() == "deviceusedbyapplication") {
    end.kind = EndKind::application_device;
    end.name = other.attribute("usesrefid");
  } else {
    result.component = other;
    if (other.name() == "devicethatloadedthiscomponentref") end.kind = EndKind::loading_device;
    if (other.name() == "deviceusedbythiscomponentref") {
      end.kind = EndKind::component_device;
      end.name = other.attribute("usesrefid");
    }
  }
  if (const std::string text = side.attribute("stringifiedobjectref"); !text.empty()) {
    result.component.reset();
    end = {};
    end.kind = EndKind::reference;
    end.name = text;
  }
  // A supported interface of a component is one of the object itself, and not a port.
  const bool is_object =
      side.find_child("supportedidentifier") || side.name() == "componentsupportedinterface";
  if (is_inner || !is_object) end.port = read_identifier(side);
  return result;
}

std::string read_identifier(const Element& side) {
  for (const char* const name :
       {"usesidentifier", "providesidentifier", "supportedidentifier", "identifier"}) {
    if (const auto identifier = side.find_child(name)) return identifier->text();
  }
  return {};
}

void take_direct_inputs(Instantiation& component) {
  const auto setting = std::find_if(component.settings.begin(), component.settings.end(),
                                    [](auto& other) { return other.id == kDirectInputs; });
  if (setting == component.settings.end()) return;
  component.direct_inputs.clear();
  const std::string& list = setting->value;
  constexpr const char* kBlanks = " \t\r\n";
  const bool is_empty = list.find_first_not_of(kBlanks) == std::string::npos;
  for (std::size_t begin = 0; !is_empty && begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string name = list.substr(begin, end - begin);
    name.erase(0, name.find_first_not_of(kBlanks));
    name.erase(name.find_last_not_of(kBlanks) + 1);
    auto& names = component.direct_inputs;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    begin = end + 1;
  }
  component.direct_inputs_where = setting->where;
  component.settings.erase(setting);
}

std::string read_cores(const Element& element) {
  std::string cores;
  std::set<std::string> known;
  for (const Element& core : element.children("coreaffinity")) {
    const auto [number, is_new] = known.insert(core.text());
    if (is_new) cores += (cores.empty() ? "" : ",") + *number;
  }
  return cores;
}

AffinityDirective affinity_directive(const Element& affinity) {
  AffinityDirective directive;
  for (const Element& each : affinity.children("simpleref")) {
    const std::string id = each.attribute("refid");
    if (id == "affinity::exec_directive_class") directive.kind = each.attribute("value");
    if (id == "affinity::exec_directive_value") directive.value = each.attribute("value");
  }
  return directive;
}

std::string read_affinity(const Element& element) {
  constexpr std::size_t kMaxCores = 1024;
  const auto affinity = element.find_child("affinity");
  if (!affinity) return {};
  const AffinityDirective directive = affinity_directive(*affinity);
  const std::string& value = directive.value;
  if (directive.kind != kAppliedAffinity) return {};
  const auto fail = [&] {
    affinity->fail("'" + value + "' is no list of processors", "write numbers and ranges, such as 0-1,3");
  };
  std::set<unsigned> cores;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const std::string part = value.substr(begin, end - begin);
    const auto dash = part.find('-');
    const auto first = whole_number(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : whole_number(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= kMaxCores) fail();
    for (unsigned core = *first; core <= *last; ++core) cores.insert(core);
    begin = end + 1;
  }
  std::string list;
  for (const unsigned core : cores) list += (list.empty() ? "" : ",") + std::to_string(core);
  return list;
}

std::vector<DeviceRequirement> read_dependencies(const Element& element) {
  std::vector<DeviceRequirement> dependencies;
  if (const auto list = element.find_child("deploymentdependencies")) {
    for (const Element& each : list->children("propertyref")) {
      check_number(*list, dependencies);
      set_dependency(dependencies, {each.attribute("refid"), each.attribute("value")});
    }
  }
  return dependencies;
}

std::vector<DeviceRequirement> read_requires(const Element& element, const char* name) {
  std::vector<DeviceRequirement> required;
  if (const auto list = element.find_child(name)) {
    for (const Element& each : list->children()) {
      check_number(*list, required);
      const char* const id = each.name() == "simpleref" ? "refid" : "id";
      set_dependency(required, {each.attribute(id), each.attribute("value")});
    }
  }
  return required;
}

void check_process(const Element& element, const Instantiation& instantiation,
                   const SoftwarePackage& package) {
  if (instantiation.process.empty()) return;
  if (is_factory(package.component))
    element.fail("'" + instantiation.id + "' is a " + factory_kind(package.component) +
                     ", which has a process of its own",
                 "leave out processcollocation");
  if (instantiation.factory)
    element.fail("'" + instantiation.id + "' is created in the process of " +
                     (instantiation.factory->is_sca41 ? "component factory '" : "resource factory '") +
                     instantiation.factory->id + "'",
                 "leave out processcollocation");
}

std::size_t used_devices(const Assembly& assembly) {
  std::size_t count = assembly.devices.size();
  for (const HostPlacement& host : assembly.hosts) count += host.devices.size();
  return count;
}

void check_used_devices(const Element& element, const Assembly& assembly) {
  if (used_devices(assembly) < kMaxUsedDevices) return;
  element.fail("more than " + std::to_string(kMaxUsedDevices) + " <usesdevice> and <usesdeviceref>",
               "split the assembly");
}

std::vector<PropertySetting> read_settings(const Element& properties) {
  std::vector<PropertySetting> settings;
  for (const Element& element : properties.children()) {
    settings.push_back(read_setting(element));
  }
  return settings;
}

}  // namespace orbweaver::sca
