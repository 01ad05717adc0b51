// The tree of a domain as text and as JSON.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "sca/control/domain_tree.h"

namespace orbweaver::sca {
namespace {

using nlohmann::json;

/// A line: "node radio (DCE:…): what". The id stands for a missing name.
std::string line(std::size_t indent, const char* kind, const ReadObject& object, const std::string& what) {
  const std::string name = object.name.empty() ? object.id : object.name;
  std::string text = std::string(indent, ' ') + kind + (name.empty() ? "" : " " + name);
  if (!object.id.empty() && object.id != name) text += " (" + object.id + ")";
  const std::string& rest = object.problem.empty() ? what : object.problem;
  return printable(text + (rest.empty() ? "" : ": " + rest)) + "\n";
}

/// A line "id = value"; a value of several lines follows its id, of which the first kMostLines are printed.
std::string property_text(const ReadProperty& property, std::size_t indent) {
  constexpr std::size_t kMostLines = 100, kMostText = 200;
  const std::string& value = property.text;
  const std::string blanks(indent, ' ');
  if (value.find('\n') == std::string::npos)
    return blanks + printable(property.id + " = " + value, kMostText) + "\n";
  std::string text = blanks + printable(property.id + ":", kMostText) + "\n";
  std::size_t lines = 0, begin = 0;
  for (; begin < value.size() && lines < kMostLines; ++lines) {
    const std::size_t end = std::min(value.find('\n', begin), value.size());
    text += blanks + "  " + printable(std::string_view(value).substr(begin, end - begin), kMostText) + "\n";
    begin = end + 1;
  }
  return begin < value.size() ? text + blanks + "  …\n" : text;
}

json head(const ReadObject& object) {
  json value = {{"id", object.id}, {"name", object.name}, {"profile", object.profile}};
  if (!object.problem.empty()) value["problem"] = object.problem;
  return value;
}

json to_json(const ReadDevice& device) {
  json value = head(device);
  value["admin_state"] = device.admin;
  value["operational_state"] = device.operational;
  value["usage_state"] = device.usage;
  value["part_of"] = device.part_of;
  value["properties"] = json::object();
  for (const ReadProperty& each : device.properties) value["properties"][each.id] = each.value;
  return value;
}

template <class List>
json list_json(const List& list) {
  json values = json::array();
  for (const auto& each : list) values.push_back(to_json(each));
  return values;
}

/// The devices of a node, each followed by its parts. Each is written once, whatever they tell: the ids of
/// other programs need not be unique, and may form circles.
class DeviceTree {
 public:
  explicit DeviceTree(const ReadNode& node) : devices_(node.devices), is_written_(node.devices.size()) {
    for (std::size_t i = 0; i < devices_.size(); ++i) parts_[devices_[i].part_of].push_back(i);
  }

  std::string text(std::size_t indent) {
    write_parts({}, indent);
    for (std::size_t i = 0; i < devices_.size(); ++i) write(i, indent);  // those within circles
    return std::move(text_);
  }

 private:
  /// Limit of the levels, which are written recursively; what is below is written at the top.
  static constexpr std::size_t kMaxIndent = 200;

  void write_parts(const std::string& of, std::size_t indent) {
    const auto parts = parts_.find(of);
    if (parts == parts_.end() || indent > kMaxIndent) return;
    for (const std::size_t i : parts->second) write(i, indent);
  }
  void write(std::size_t i, std::size_t indent) {
    if (is_written_[i]) return;
    is_written_[i] = true;
    text_ += to_text(devices_[i], indent);
    if (!devices_[i].id.empty()) write_parts(devices_[i].id, indent + 2);
  }

  const std::vector<ReadDevice>& devices_;
  std::map<std::string, std::vector<std::size_t>> parts_;  // indices, by the id of what they are part of
  std::vector<bool> is_written_;
  std::string text_;
};

}  // namespace

json to_json(const ReadNode& node) {
  json value = head(node);
  value["devices"] = list_json(node.devices);
  value["services"] = node.services;
  return value;
}

json to_json(const ReadFactory& factory) { return head(factory); }

json to_json(const ReadApplication& application) {
  json value = head(application);
  value["state"] = application.state;
  value["failure"] = application.failure;
  value["redeploy"] = application.redeploy;
  value["components"] = json::array();
  for (const ReadComponent& each : application.components) {
    value["components"].push_back({{"id", each.id},
                                   {"device", each.device},
                                   {"implementation", each.implementation},
                                   {"name", each.name},
                                   {"process", each.process}});
  }
  return value;
}

json to_json(const DomainTree& tree) {
  return {{"name", tree.name},
          {"id", tree.id},
          {"profile", tree.profile},
          {"nodes", list_json(tree.nodes)},
          {"installed", list_json(tree.installed)},
          {"applications", list_json(tree.applications)}};
}

std::string to_text(const ReadDevice& device, std::size_t indent) {
  std::string text =
      line(indent, "device", device, device.admin + ", " + device.operational + ", " + device.usage);
  for (const ReadProperty& each : device.properties) text += property_text(each, indent + 2);
  return text;
}

std::string to_text(const ReadNode& node, std::size_t indent) {
  std::string text = line(indent, "node", node, {});
  text += DeviceTree(node).text(indent + 2);
  for (const std::string& service : node.services)
    text += std::string(indent + 2, ' ') + "service " + printable(service) + "\n";
  return text;
}

std::string to_text(const ReadFactory& factory, std::size_t indent) {
  return line(indent, "installed", factory, factory.profile);
}

std::string to_text(const ReadApplication& application, std::size_t indent) {
  const std::string& state = application.state;
  std::string text = line(indent, "application", application,
                          state + (application.redeploy ? ", redeploy" : "") +
                              (application.failure.empty() ? "" : ", " + application.failure));
  for (const ReadComponent& each : application.components) {
    std::string what = "component " + each.id;
    if (!each.device.empty()) what += " on " + each.device;
    if (each.process != 0) what += ", process " + std::to_string(each.process);
    if (!each.implementation.empty()) what += ", implementation " + each.implementation;
    text += std::string(indent + 2, ' ') + printable(what) + "\n";
  }
  return text;
}

std::string to_text(const DomainTree& tree) {
  std::string text =
      printable("domain " + tree.name + (tree.id == tree.name ? "" : " (" + tree.id + ")")) + "\n";
  for (const ReadNode& node : tree.nodes) text += to_text(node, 2);
  for (const ReadFactory& factory : tree.installed) text += to_text(factory, 2);
  for (const ReadApplication& application : tree.applications) text += to_text(application, 2);
  return text;
}

}  // namespace orbweaver::sca
