// orbweaver domain list|tree|show, orbweaver node list.
#include "base/printable.h"
#include "sca/control/call_error.h"
#include "sca/control/control_commands.h"
#include "sca/control/domain_tree.h"
#include "sca/control/nodes41.h"

namespace orbweaver::sca {
namespace {

using nlohmann::json;

/// The objects of a tree that have an id or name.
struct Matches {
  std::string wanted, text;
  json values = json::array();

  template <class Object>
  void add(const char* kind, const Object& object) {
    if (object.id != wanted && object.name != wanted) return;
    json value = to_json(object);
    value["kind"] = kind;
    values.push_back(std::move(value));
    text += to_text(object, 0);
    if (!object.profile.empty()) text += "  profile " + printable(object.profile) + "\n";
  }
};

/// Name of the domain manager of SCA 4.1 in the context of a domain.
constexpr const char* kDomainManager41 = "DomainManager41";

DomainTree tree_of(const DomainClient& client, const ControlOptions& options) {
  DomainTree tree = read_tree(client.domain(), options.domain);
  add_nodes41(tree.nodes, client.find_in_domain(kDomainManager41));
  return tree;
}

}  // namespace

Result<std::string> list_domains(const ControlOptions& options) {
  return execute([&] {
    const auto names = DomainClient(options).domain_names();
    if (options.json) return json_text(names);
    std::string text;
    for (const std::string& name : names) text += printable(name) + "\n";
    return text;
  });
}

Result<std::string> show_tree(const ControlOptions& options) {
  return execute([&] {
    const DomainClient client(options);
    const DomainTree tree = tree_of(client, options);
    return options.json ? json_text(to_json(tree)) : to_text(tree);
  });
}

Result<std::string> show_object(const ControlOptions& options, const ControlOperands& operands) {
  return execute([&] {
    const DomainClient client(options);
    const DomainTree tree = tree_of(client, options);
    Matches matches{operands.name, {}};
    for (const ReadNode& node : tree.nodes) {
      matches.add("node", node);
      for (const ReadDevice& device : node.devices) {
        if (device.id != operands.name && device.name != operands.name) continue;
        json value = to_json(node)["devices"][static_cast<std::size_t>(&device - node.devices.data())];
        value["kind"] = "device";
        value["node"] = node.id;
        matches.values.push_back(std::move(value));
        matches.text += to_text(device, 0) + "  profile " + printable(device.profile) + "\n  node " +
                        printable(node.name) + "\n";
      }
    }
    for (const ReadFactory& factory : tree.installed) matches.add("installed", factory);
    for (const ReadApplication& application : tree.applications) matches.add("application", application);
    if (matches.values.empty()) {
      throw Error{ErrorKind::unavailable, "the domain has no node, device or application '" + operands.name +
                                              "': `orbweaver domain tree` shows what it has"};
    }
    return options.json ? json_text(matches.values) : matches.text;
  });
}

Result<std::string> list_nodes(const ControlOptions& options) {
  return execute([&] {
    const DomainClient client(options);
    auto nodes = read_nodes(client.domain());
    add_nodes41(nodes, client.find_in_domain(kDomainManager41));
    json values = json::array();
    std::string text;
    for (const ReadNode& node : nodes) {
      values.push_back(to_json(node));
      text += to_text(node, 0);
    }
    return options.json ? json_text(values) : text;
  });
}

}  // namespace orbweaver::sca
