// The step that makes the connections of an assembly.
#include <map>
#include <tuple>

#include "FrameworkC.h"
#include "sca/deployment/concurrently.h"
#include "sca/deployment/deployment_context.h"

namespace orbweaver::sca {
namespace {

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

/// Finds the objects at the ends of connections.
class Ends {
 public:
  explicit Ends(DeploymentContext& context) : context_(context) {}

  /// Adds an end; returns its number. Equal ends have the same number, so that each port is fetched once.
  std::size_t add(const PortReference& end, const Connection& connection) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::tuple(end.kind, end.component, end.port, end.type, end.name), ends_.size());
    if (is_new) ends_.push_back({&end, &connection, nullptr});
    return found->second;
  }
  void find_all() {
    run_concurrently(ends_.size(), [this](std::size_t i) { ends_[i].object = find(ends_[i]); });
  }
  const ObjectRef& operator[](std::size_t number) const { return ends_[number].object; }

 private:
  struct End {
    const PortReference* reference;
    const Connection* connection;
    ObjectRef object;
  };

  ObjectRef find(const End& end) const {
    const PortReference& reference = *end.reference;
    if (reference.kind == EndKind::component) {
      const std::size_t part = context_.plan.components[reference.component];
      if (reference.port.empty()) return context_.resources[part];
      try {
        const auto port = context_.resources[part]->getPort(reference.port);
        if (!port) throw std::runtime_error("getPort returned no reference");
        return port;
      } catch (const std::exception&) {
        context_.fail_call(part, "connected: its port '" + reference.port + "' is not available");
      }
    }
    try {
      const ObjectRef object = context_.calls.object(other_object(reference));
      if (!object) throw std::runtime_error("there is none");
      if (reference.port.empty()) return object;
      // The object has the port, or is the port itself.
      if (const auto supplier = IDL::traits<CF::PortSupplier>::narrow(object)) {
        const auto port = supplier->getPort(reference.port);
        if (!port) throw std::runtime_error("getPort('" + reference.port + "') returned no reference");
        return port;
      }
      return object;
    } catch (const std::exception&) {
      throw DeploymentFailure("connection '" + end.connection->id + "' cannot be made (" +
                              end.connection->where.text() + "): " + text_of_end(reference) + ": " +
                              printable_reason());
    }
  }

  ObjectRef other_object(const PortReference& end) const {
    DeploymentDomain& domain = context_.domain;
    switch (end.kind) {
      case EndKind::component: break;
      case EndKind::name: return domain.find_by_name(end.name);
      case EndKind::reference: return domain.orb()->string_to_object(end.name);
      case EndKind::domain_finder: return found_by_domain(end);
      case EndKind::loading_device:
        return context_.device_of(context_.plan.components[end.component]).reference;
      case EndKind::component_device: return device_used_by(end);
      case EndKind::application_device: return device_used_by_application(end);
    }
    return nullptr;
  }

  ObjectRef found_by_domain(const PortReference& end) const {
    DeploymentDomain& domain = context_.domain;
    if (end.type == "filemanager" || end.type == "filesystem") return domain.files();
    if (end.type == "log") return domain.find_log(end.name);
    if (end.type == "eventchannel") return domain.event_channel(end.name);
    if (end.type == "namingservice") return domain.find_by_name("");
    if (end.type == "application") return domain.find_application(end.name);
    if (end.type == "domainmanager") return domain.domain_manager();
    if (end.type == "servicename") return domain.find_service(end.name);
    if (end.type == "servicetype") return domain.find_service_of_type(end.name);
    return nullptr;
  }

  ObjectRef device_used_by(const PortReference& end) const {
    const std::size_t part = context_.plan.components[end.component];
    const DeploymentPart& planned = context_.plan.parts[part];
    if (planned.factory) return nullptr;
    const ComponentNeeds& needs = context_.plan.placement.components[planned.placed];
    const PlacedComponent& placed = context_.placement.components[planned.placed];
    std::size_t number = 0;
    for (const auto* const uses : {&needs.uses, &needs.implementations[placed.implementation].uses}) {
      for (const DeviceUse& use : *uses) {
        if (use.id == end.name) return context_.devices[placed.used[number]].reference;
        ++number;
      }
    }
    return nullptr;
  }

  ObjectRef device_used_by_application(const PortReference& end) const {
    const auto& uses = context_.plan.placement.uses;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i].id == end.name) return context_.devices[context_.placement.used[i]].reference;
    }
    return nullptr;
  }

  std::string text_of_end(const PortReference& end) const {
    const auto component = [&] {
      return context_.plan.parts[context_.plan.components[end.component]].text();
    };
    switch (end.kind) {
      case EndKind::component: return component();
      case EndKind::name: return "the object '" + end.name + "' of the naming service";
      case EndKind::reference: return "the object of <stringifiedobjectref>";
      case EndKind::domain_finder:
        return end.type + (end.name.empty() ? "" : " '" + end.name + "'") + " of the domain";
      case EndKind::loading_device: return "the device that loaded " + component();
      case EndKind::component_device: return "the device '" + end.name + "' that " + component() + " uses";
      case EndKind::application_device: return "the device '" + end.name + "' that the application uses";
    }
    return {};
  }

  DeploymentContext& context_;
  std::map<std::tuple<EndKind, std::size_t, std::string, std::string, std::string>, std::size_t> numbers_;
  std::vector<End> ends_;
};

/// Tells a component of Orbweaver how many streams its inputs get. Others get no such call.
void expect_streams(DeploymentContext& context, std::size_t part) {
  using ::orbweaver::framework::ObservableResource;
  const auto& streams = context.plan.parts[part].streams;
  if (!streams || !context.resources[part]) return;
  ::orbweaver::framework::ExpectedStreamsList expected;
  for (const auto& [port, count] : *streams) expected.emplace_back(port, static_cast<std::uint32_t>(count));
  try {
    const auto component = context.calls.narrow<ObservableResource>(context.resources[part]);
    if (component) component->expect_streams(expected);
  } catch (const std::exception&) {
    context.fail_call(part, "connected");
  }
}

void connect(DeploymentContext& context, const Connection& connection, const ObjectRef& uses,
             const ObjectRef& provides) {
  try {
    const auto port = context.calls.narrow<CF::Port>(uses);
    if (!port) throw std::runtime_error("the uses port is no CF::Port");
    port->connectPort(provides, connection.id);
  } catch (const std::exception&) {
    if (connection.uses.kind == EndKind::component)
      context.fail_call(context.plan.components[connection.uses.component],
                        "connected: connection '" + connection.id + "' (" + connection.where.text() + ")");
    throw DeploymentFailure("connection '" + connection.id + "' cannot be made (" + connection.where.text() +
                            "): " + printable_reason());
  }
}

}  // namespace

void make_connections(DeploymentContext& context) {
  run_concurrently(context.plan.parts.size(), [&](std::size_t part) { expect_streams(context, part); });
  const auto& connections = context.request.assembly.connections;
  Ends ends(context);
  std::vector<std::pair<std::size_t, std::size_t>> numbers;
  std::map<std::size_t, std::vector<std::size_t>> by_port;  // connections by the number of the uses end
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const Connection& c = connections[i];
    const std::size_t uses = ends.add(c.uses, c), provides = ends.add(c.provides, c);
    numbers.emplace_back(uses, provides);
    by_port[uses].push_back(i);
  }
  ends.find_all();
  // All are recorded before the first is made: to disconnect what has not been connected does no harm.
  const auto orb = context.domain.orb();
  context.record.change([&](Application& record) {
    for (std::size_t i = 0; i < connections.size(); ++i) {
      const PortReference& uses = connections[i].uses;
      const bool has_component = uses.kind == EndKind::component;
      record.connections.push_back(
          {connections[i].id,
           has_component ? context.plan.parts[context.plan.components[uses.component]].id : std::string(),
           orb->object_to_string(ends[numbers[i].first]), orb->object_to_string(ends[numbers[i].second])});
    }
  });
  // The connections of a port are made in the order of the assembly.
  std::vector<std::vector<std::size_t>> ports;
  for (auto& [uses, list] : by_port) ports.push_back(std::move(list));
  run_concurrently(ports.size(), [&](std::size_t p) {
    for (const std::size_t i : ports[p])
      connect(context, connections[i], ends[numbers[i].first], ends[numbers[i].second]);
  });
}

}  // namespace orbweaver::sca
