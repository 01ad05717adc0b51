// The step that makes the connections of an assembly.
#include <algorithm>
#include <map>
#include <tuple>

#include "FrameworkC.h"
#include "sca/deployment/concurrently.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/domain_finder.h"
#include "sca/deployment/event_channel_end.h"
#include "sca/deployment/known_interfaces.h"
#include "sca/deployment/profile_reference.h"

namespace orbweaver::sca {
namespace {

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

/// Whether an end is a port of a component of SCA 4.1. A uses port of such a component has no object: it is
/// connected by its name, at a CF::PortAccessor.
bool is_port_of_41(const DeploymentContext& context, const PortReference& end) {
  return end.kind == EndKind::component && !end.port.empty() &&
         context.components[context.plan.components[end.component]].is_sca41();
}

/// Whether a provides port is obtained from a CF::PortAccessor: its component has not registered it.
bool is_obtained(const DeploymentContext& context, const PortReference& provides) {
  return is_port_of_41(context, provides) &&
         !context.ports[context.plan.components[provides.component]].contains(provides.port);
}

/// Finds the objects at the ends of connections.
class Ends {
 public:
  explicit Ends(DeploymentContext& context) : context_(context) {}

  /// Adds the end of a connection that sends; returns its number. Equal ends have the same number, so that
  /// each port is fetched once, and uses ports of a component of SCA 4.1 that of the component. An end that
  /// is no component belongs to one connection: an event channel has a proxy for each consumer.
  std::size_t add_uses(const Connection& connection) {
    const PortReference& end = connection.uses;
    if (is_port_of_41(context_, end)) return add(end, connection, {}, "uses ports");
    return add(end, connection, end.port,
               end.kind == EndKind::component ? end.name : end.name + '\n' + connection.id);
  }
  /// Adds the end that receives. A port that a component of SCA 4.1, or another object, is asked for belongs
  /// to one connection.
  std::size_t add_provides(const Connection& connection) {
    const PortReference& end = connection.provides;
    if (is_obtained(context_, end)) return add(end, connection, end.port, connection.id);
    if (end.kind == EndKind::component || end.port.empty()) return add(end, connection, end.port, end.name);
    return add(end, connection, end.port, end.name + '\n' + connection.id);
  }
  void find_all() {
    run_concurrently(ends_.size(), [this](std::size_t i) { ends_[i].object = find(ends_[i]); });
  }
  /// Gives back the proxies of event channels and the ports of devices of SCA 4.1; for connections that are
  /// not recorded.
  void release() const noexcept {
    for (const End& end : ends_) {
      if (end.is_proxy && end.object) release_proxy(end.object);
      if (!end.accessor || end.reference != &end.connection->provides) continue;
      try {
        if (const auto ports = IDL::traits<CF::PortAccessor>::narrow(end.accessor))
          ports->disconnectPorts({{end.connection->id, end.port}});
      } catch (const std::exception&) {  // it has made none, or cannot be called
      }
    }
  }
  const ObjectRef& operator[](std::size_t number) const { return ends_[number].object; }
  /// The CF::PortAccessor of a port that is connected by its name, or was obtained from it: of a device or
  /// service of SCA 4.1. Nil for other ends.
  const ObjectRef& accessor(std::size_t number) const { return ends_[number].accessor; }

 private:
  struct End {
    const PortReference* reference;
    const Connection* connection;
    std::string port;  // empty: the object itself
    ObjectRef object;
    bool is_proxy = false;  // of an event channel
    ObjectRef accessor = nullptr;
  };

  std::size_t add(const PortReference& end, const Connection& connection, const std::string& port,
                  const std::string& name) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::tuple(end.kind, end.component, port, end.type, name), ends_.size());
    if (is_new) ends_.push_back({&end, &connection, port, nullptr});
    return found->second;
  }

  ObjectRef find(End& end) const {
    const PortReference& reference = *end.reference;
    if (reference.kind == EndKind::component) {
      const std::size_t part = context_.plan.components[reference.component];
      const ComponentObject& component = context_.components[part];
      if (end.port.empty()) return component.object();
      if (const auto known = context_.ports[part].find(end.port); known != context_.ports[part].end())
        return known->second;
      try {
        const auto port = component.port(end.port, end.connection->id);
        if (!port) throw std::runtime_error("it returned no reference");
        return port;
      } catch (const std::exception&) {
        context_.fail_call(part, "connected: its port '" + reference.port + "' is not available");
      }
    }
    try {
      const ObjectRef object = context_.calls.object(other_object(reference));
      if (!object) throw std::runtime_error("there is none");
      if (&reference == &end.connection->uses) {
        if (const ObjectRef proxy = proxy_of_channel(context_.calls, object)) {
          end.is_proxy = true;
          return proxy;
        }
      }
      if (reference.port.empty()) return object;
      // The object has the port, or is the port itself.
      if (const auto supplier = IDL::traits<CF::PortSupplier>::narrow(object)) {
        const auto port = supplier->getPort(reference.port);
        if (!port) throw std::runtime_error("getPort('" + reference.port + "') returned no reference");
        return port;
      }
      if (!IDL::traits<CF::PortAccessor>::narrow(object)) return object;
      end.accessor = object;
      if (&reference == &end.connection->uses) return object;
      const auto port = ComponentObject::sca41(object).port(reference.port, end.connection->id);
      if (!port) throw std::runtime_error("it has no provides port '" + reference.port + "'");
      return port;
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
      case EndKind::name: return domain.find_by_name(end.name, context_.request.name);
      case EndKind::reference: return object_in_profile(domain.orb(), context_.calls, end.name);
      case EndKind::domain_finder: return find_in_domain(domain, end.type, end.name);
      case EndKind::loading_device:
        return context_.device_of(context_.plan.components[end.component]).reference;
      case EndKind::component_device: return device_used_by(end);
      case EndKind::application_device: return device_used_by_application(end);
    }
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

/// Tells a component of Orbweaver how many streams its inputs get, unless it has been told. Others get no
/// such call.
void expect_streams(DeploymentContext& context, std::size_t part) {
  const DeploymentPart& planned = context.plan.parts[part];
  if (!planned.streams || !context.components[part] || context.own_components[part]) return;
  try {
    const auto component =
        IDL::traits<::orbweaver::framework::Observable>::narrow(context.components[part].object());
    if (component) component->expect_streams(expected_streams(planned));
  } catch (const std::exception&) {
    context.fail_call(part, "connected");
  }
}

/// Call in a catch block around a call that connects a uses port.
[[noreturn]] void fail_connection(const DeploymentContext& context, const Connection& connection) {
  if (connection.uses.kind == EndKind::component)
    context.fail_call(context.plan.components[connection.uses.component],
                      "connected: connection '" + connection.id + "' (" + connection.where.text() + ")");
  throw DeploymentFailure("connection '" + connection.id + "' cannot be made (" + connection.where.text() +
                          "): " + printable_reason());
}

/// Call in a catch block around a call that makes these connections, any of which may have failed.
[[noreturn]] void fail_connections(const DeploymentContext& context,
                                   const std::vector<const Connection*>& connections) {
  const Connection& first = *connections.front();
  if (connections.size() == 1) fail_connection(context, first);
  const std::string range = "'" + first.id + "' to '" + connections.back()->id + "'";
  if (first.uses.kind == EndKind::component)
    context.fail_call(context.plan.components[first.uses.component],
                      "connected: one of its connections, " + range + " (" + first.where.text() + ")");
  throw DeploymentFailure("one of the connections " + range + " cannot be made (" + first.where.text() +
                          "): " + printable_reason());
}

void connect(const DeploymentContext& context, const Connection& connection, const ObjectRef& uses,
             const ObjectRef& provides) {
  try {
    connect_ends(context.calls, uses, provides, connection.id);
  } catch (const std::exception&) {
    fail_connection(context, connection);
  }
}

/// Makes connections of a component or device of SCA 4.1 by one call.
void connect_by_name(const DeploymentContext& context,
                     const IDL::traits<CF::PortAccessor>::ref_type& accessor,
                     const std::vector<const Connection*>& connections,
                     const std::vector<ObjectRef>& provides) {
  CF::PortAccessor::Connections batch;
  for (std::size_t i = 0; i < connections.size(); ++i)
    batch.emplace_back(CF::PortAccessor::ConnectionIdType(connections[i]->id, connections[i]->uses.port),
                       provides[i]);
  try {
    accessor->connectUsesPorts(batch);
  } catch (const CF::PortAccessor::InvalidPort& e) {
    const std::string& id = e.invalidConnections().portConnectionId().connectionId();
    const auto invalid = std::find_if(connections.begin(), connections.end(),
                                      [&](const Connection* each) { return each->id == id; });
    fail_connection(context, invalid == connections.end() ? *connections.front() : **invalid);
  } catch (const std::exception&) {
    fail_connections(context, connections);
  }
}

/// Makes connections of a component by one call. Returns how many have been made, the first of them.
std::size_t connect_by_component(const DeploymentContext& context, framework::ObservableResource& component,
                                 const std::vector<const Connection*>& connections,
                                 const std::vector<ObjectRef>& provides) {
  framework::PortConnectionList batch;
  for (std::size_t i = 0; i < connections.size(); ++i)
    batch.emplace_back(connections[i]->uses.port, connections[i]->id, provides[i]);
  try {
    return std::min<std::size_t>(component.connect_ports(batch), connections.size());
  } catch (const std::exception&) {
    fail_connections(context, connections);
  }
}

/// What is stored of a connection before it is made.
DeployedConnection record_of(const DeploymentContext& context, const Connection& connection, const Ends& ends,
                             std::size_t uses, std::size_t provides) {
  const auto orb = context.domain.orb();
  const auto id_of = [&](const PortReference& end) {
    return context.plan.parts[context.plan.components[end.component]].id;
  };
  DeployedConnection record;
  record.id = connection.id;
  if (connection.uses.kind == EndKind::component) record.component = id_of(connection.uses);
  record.uses = orb->object_to_string(ends[uses]);
  record.provides = orb->object_to_string(ends[provides]);
  if (is_port_of_41(context, connection.uses) || ends.accessor(uses)) record.uses_port = connection.uses.port;
  if (is_obtained(context, connection.provides)) {
    record.provider = id_of(connection.provides);
  } else if (ends.accessor(provides)) {
    record.provider = orb->object_to_string(ends.accessor(provides));
  }
  if (!record.provider.empty()) record.provides_port = connection.provides.port;
  return record;
}

/// Gives connections of uses ports that are not those of components ids of this application, if another
/// application has a connection of their ids at the port: a device that several applications use. Whether
/// there are such ones.
bool rename_those_of_others(DeploymentContext& context, std::vector<Connection>& connections,
                            std::vector<DeployedConnection>& records) {
  bool has_renamed = false;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    if (!records[i].component.empty() ||
        !context.domain.others_have_connection(records[i], context.request.id))
      continue;
    connections[i].id = records[i].id = context.request.id + "/" + records[i].id;
    has_renamed = true;
  }
  return has_renamed;
}

}  // namespace

framework::ExpectedStreamsList expected_streams(const DeploymentPart& part) {
  framework::ExpectedStreamsList expected;
  if (!part.streams) return expected;
  for (const auto& [port, count] : *part.streams)
    expected.emplace_back(port, static_cast<std::uint32_t>(count));
  return expected;
}

void make_connections(DeploymentContext& context) {
  run_concurrently(context.plan.parts.size(), [&](std::size_t part) { expect_streams(context, part); });
  auto connections = context.request.assembly.connections;
  Ends ends(context);
  std::vector<std::pair<std::size_t, std::size_t>> numbers;
  // Connections that are made one after another: by the component that makes them all by one call, or by the
  // number of the uses end.
  std::map<std::pair<bool, std::size_t>, std::vector<std::size_t>> by_port;
  const auto own_component = [&](const PortReference& uses) -> framework::ObservableResource* {
    if (uses.kind != EndKind::component || uses.port.empty()) return nullptr;
    return context.own_components[context.plan.components[uses.component]].get();
  };
  for (std::size_t i = 0; i < connections.size(); ++i) {
    numbers.emplace_back(ends.add_uses(connections[i]), ends.add_provides(connections[i]));
    const bool is_own = own_component(connections[i].uses) != nullptr;
    by_port[{is_own, is_own ? connections[i].uses.component : numbers.back().first}].push_back(i);
  }
  try {
    ends.find_all();
    std::vector<DeployedConnection> records;
    for (std::size_t i = 0; i < connections.size(); ++i)
      records.push_back(record_of(context, connections[i], ends, numbers[i].first, numbers[i].second));
    rename_those_of_others(context, connections, records);
    // All are recorded before the first is made: to disconnect what has not been connected does no harm.
    const auto set = [&](Application& record) { record.connections = records; };
    // Connections between components end with them, which a domain manager that comes after this one ends.
    const bool are_inner = std::all_of(connections.begin(), connections.end(), [](const Connection& each) {
      return each.uses.kind == EndKind::component && each.provides.kind == EndKind::component;
    });
    are_inner ? context.record.change_later(set) : context.record.change(set);
    // Those of an application that is created at the same time may have been recorded meanwhile.
    if (!are_inner && rename_those_of_others(context, connections, records)) context.record.change(set);
  } catch (...) {
    ends.release();
    throw;
  }
  // The connections of a port, or of a component of SCA 4.1, are made in the order of the assembly.
  std::vector<std::vector<std::size_t>> ports;
  for (auto& [uses, list] : by_port) ports.push_back(std::move(list));
  std::sort(ports.begin(), ports.end());  // the first that fails is reported
  run_concurrently(ports.size(), [&](std::size_t p) {
    const PortReference& uses = connections[ports[p].front()].uses;
    const ObjectRef& accessor = ends.accessor(numbers[ports[p].front()].first);
    std::vector<const Connection*> batch;
    std::vector<ObjectRef> provides;
    for (const std::size_t i : ports[p]) {
      batch.push_back(&connections[i]);
      provides.push_back(ends[numbers[i].second]);
    }
    if (is_port_of_41(context, uses) || accessor) {
      connect_by_name(context,
                      accessor ? IDL::traits<CF::PortAccessor>::narrow(accessor)
                               : context.components[context.plan.components[uses.component]].port_accessor(),
                      batch, provides);
      return;
    }
    auto* const component = own_component(uses);
    const std::size_t made =
        component == nullptr ? 0 : connect_by_component(context, *component, batch, provides);
    for (std::size_t k = made; k < batch.size(); ++k)
      connect(context, *batch[k], ends[numbers[ports[p][k]].first], provides[k]);
  });
}

}  // namespace orbweaver::sca
