// The tree of a domain as text and as JSON.
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

/// The devices that are part of `parent` (empty: of none), each followed by its parts.
std::string parts_text(const ReadNode& node, const std::string& parent, std::size_t indent) {
  std::string text;
  for (const ReadDevice& device : node.devices) {
    if (device.part_of != parent) continue;
    text += to_text(device, indent);
    if (!device.id.empty()) text += parts_text(node, device.id, indent + 2);
  }
  return text;
}

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
  for (const ReadProperty& each : device.properties)
    text += std::string(indent + 2, ' ') + printable(each.id + " = " + each.text, 200) + "\n";
  return text;
}

std::string to_text(const ReadNode& node, std::size_t indent) {
  std::string text = line(indent, "node", node, {});
  text += parts_text(node, {}, indent + 2);
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
                          state + (application.failure.empty() ? "" : ", " + application.failure));
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
