#include "sca/cf222/node_connections.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "CF41C.h"
#include "base/printable.h"
#include "sca/cf222/remote_calls.h"
#include "sca/cf222/service_search.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/domain_finder.h"
#include "sca/deployment/event_channel_end.h"
#include "sca/deployment/profile_reference.h"

namespace orbweaver::sca {
namespace {

/// Whether an end is the service of an interface.
bool is_service_of_type(const NodeEndpoint& end) {
  return end.naming.empty() && end.reference.empty() && end.component.empty() && end.finder == "servicetype";
}

/// The problem of a connection to a service of a type. `owner`: of its end, "service NAME".
std::string no_answer_of(const std::string& owner) {
  return owner + " did not answer whether it has the interface";
}

}  // namespace

NodeConnections::NodeConnections(const DomainParts& parts, DeploymentDomain& domain)
    : parts_(parts), domain_(domain), calls_(parts.orb, kAttributeLimit) {}

void NodeConnections::add(const std::string& node, const NodeProfileRef& profile) {
  if (!profile) return;
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.node == node && !entry.is_removed) return;
  for (const NodeConnection& each : profile->configuration.connections) {
    Entry entry;
    entry.node = node;
    entry.profile = profile;
    entry.connection = &each;
    entries_.push_back(std::move(entry));
  }
}

void NodeConnections::connect(const std::string& node) {
  connect_if([&](const Entry& entry) { return entry.problem.empty() || entry.node == node; });
}

void NodeConnections::connect_to_others() {
  connect_if([](const Entry& entry) { return entry.may_find_other; });
}

void NodeConnections::connect_if(const std::function<bool(const Entry&)>& is_due) {
  std::vector<Entry*> waiting;
  {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) {
      if (!is_due(entry)) continue;
      if (entry.state == State::connecting) entry.is_repeated = true;
      if (entry.state != State::waiting) continue;
      entry.state = State::connecting;
      entry.may_find_other = false;
      waiting.push_back(&entry);
    }
  }
  for (Entry* const entry : waiting) connect(*entry);
}

void NodeConnections::connect(Entry& entry) {
  while (true) {
    const std::string problem = make(entry);
    std::optional<Entry> undone;
    bool is_repeated = false;
    {
      const std::lock_guard lock(mutex_);
      const auto is_lost = [&](const End& end) {
        return !end.owner.empty() &&
               std::find(entry.lost.begin(), entry.lost.end(), end.owner) != entry.lost.end();
      };
      const bool is_made = static_cast<bool>(entry.uses.object);
      if (is_made && (entry.is_removed || is_lost(entry.uses) || is_lost(entry.provides))) undone = entry;
      if (!problem.empty() && problem != entry.problem)
        parts_.log.problem("connection '" + entry.connection->id + "' of node '" + entry.node +
                           "' cannot be made: " + problem);
      entry.problem = problem;
      entry.lost.clear();
      is_repeated = entry.is_repeated && !entry.is_removed && (!is_made || undone);
      entry.is_repeated = false;
      if (is_repeated || (is_made && !undone)) entry.may_find_other = false;
      if (!is_repeated) entry.state = is_made && !undone ? State::made : State::waiting;
      if (entry.is_removed) entries_.remove_if([&](const Entry& each) { return &each == &entry; });
    }
    if (undone) undo(*undone);
    if (!is_repeated) return;
  }
}

NodeConnections::End NodeConnections::find(const Entry& entry, const NodeEndpoint& end) const {
  if (!end.naming.empty()) return {domain_.find_by_name(end.naming, ""), {}};
  if (!end.reference.empty()) return {object_in_profile(parts_.orb, calls_, end.reference), {}};
  if (is_service_of_type(end)) {
    const FoundService found = find_service_of_type(parts_.model, parts_.orb, end.found);
    if (!found.silent.empty()) throw std::runtime_error(no_answer_of("service " + found.silent));
    if (!found.service) return {};
    return {parts_.orb->string_to_object(found.service->reference), "service " + found.service->name};
  }
  if (end.component.empty())
    return {find_in_domain(domain_, end.finder, end.found),
            end.finder == "servicename" ? "service " + end.found : std::string()};
  const NodeComponent* const component = entry.profile->configuration.find(end.component);
  if (component == nullptr) return find_outside(entry, end.component);
  if (!component->is_device) {
    const auto service = parts_.model.service(component->name);
    if (!service || service->node != entry.node) return {};
    return {parts_.orb->string_to_object(service->reference), "service " + service->name};
  }
  auto device = parts_.model.device(component->id + entry.profile->suffix);
  if (!device) device = parts_.model.device(component->id);
  if (!device || device->node != entry.node) return {};
  return {parts_.orb->string_to_object(device->reference), "device " + device->id};
}

NodeConnections::End NodeConnections::find_outside(const Entry& entry, const std::string& id) const {
  if (id == entry.profile->configuration.id) {
    const auto node = parts_.model.node(entry.node);
    if (!node) return {};
    return {parts_.orb->string_to_object(node->reference), {}};
  }
  const auto device = parts_.model.device(id);
  if (!device) return {};
  return {parts_.orb->string_to_object(device->reference), "device " + device->id};
}

void NodeConnections::find_port(End& end, const NodeEndpoint& endpoint, bool is_uses,
                                const std::string& connection) const {
  const ObjectRef object = calls_.object(end.object);
  end.object = object;
  if (is_uses) {
    if (const ObjectRef proxy = proxy_of_channel(calls_, object)) {
      end.object = proxy;
      return;
    }
  }
  if (endpoint.port.empty()) return;
  if (const auto supplier = calls_.narrow<CF::PortSupplier>(object)) {
    end.object = supplier->getPort(endpoint.port);
    if (!end.object) throw std::runtime_error("getPort('" + endpoint.port + "') returned no reference");
    return;
  }
  const auto accessor = calls_.narrow<CF::PortAccessor>(object);
  if (!accessor) return;  // it is the port itself
  end.accessor = object;
  end.port = endpoint.port;
  if (is_uses) return;
  CF::PortAccessor::Connections ports{{{connection, endpoint.port}, nullptr}};
  accessor->getProvidesPorts(ports);
  end.object = ports.empty() ? nullptr : ports.front().portReference();
  if (!end.object)
    throw std::runtime_error("getProvidesPorts() returned no reference of port '" + endpoint.port + "'");
}

void NodeConnections::connect_ports(const End& uses, const End& provides,
                                    const std::string& connection) const {
  if (!uses.accessor) return connect_ends(calls_, uses.object, provides.object, connection);
  if (const auto accessor = calls_.narrow<CF::PortAccessor>(uses.accessor))
    accessor->connectUsesPorts({{{connection, uses.port}, provides.object}});
}

void NodeConnections::disconnect_port(const End& end, const std::string& connection) const {
  if (const auto accessor = calls_.narrow<CF::PortAccessor>(end.accessor))
    accessor->disconnectPorts({{connection, end.port}});
}

std::string NodeConnections::make(Entry& entry) {
  const NodeConnection& connection = *entry.connection;
  try {
    entry.uses = entry.provides = {};
    // No service is asked for its type before the other end is known.
    const bool is_uses_last = is_service_of_type(connection.uses);
    End first = find(entry, is_uses_last ? connection.provides : connection.uses);
    if (!first.object) return {};
    End last = find(entry, is_uses_last ? connection.uses : connection.provides);
    if (!last.object) return {};
    End& uses = is_uses_last ? last : first;
    End& provides = is_uses_last ? first : last;
    find_port(uses, connection.uses, true, connection.id);
    find_port(provides, connection.provides, false, connection.id);
    try {
      // An earlier domain manager may have made it.
      if (uses.accessor)
        disconnect_port(uses, connection.id);
      else if (const auto port = calls_.narrow<CF::Port>(uses.object))
        port->disconnectPort(connection.id);
    } catch (const CORBA::UserException&) {
    }
    connect_ports(uses, provides, connection.id);
    entry.uses = std::move(uses);
    entry.provides = std::move(provides);
    parts_.log.event("connection '" + connection.id + "' of node '" + entry.node + "' is made");
    return {};
  } catch (const std::exception&) {
    return printable_reason();
  }
}

void NodeConnections::undo(const Entry& made) const {
  const std::string& id = made.connection->id;
  try {
    made.uses.accessor ? disconnect_port(made.uses, id) : disconnect_ends(calls_, made.uses.object, id);
  } catch (const std::exception&) {  // the port has ended
  }
  try {
    // SCA 4.1: a provides port may be of this connection only.
    disconnect_port(made.provides, id);
  } catch (const std::exception&) {
  }
}

void NodeConnections::lost(const std::string& owner, bool has_ended) {
  std::vector<Entry> made;
  {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) {
      const bool is_to_type =
          is_service_of_type(entry.connection->uses) || is_service_of_type(entry.connection->provides);
      if (entry.state == State::connecting) {
        entry.lost.push_back(owner);
        if (is_to_type) entry.may_find_other = true;
      } else if (entry.state == State::made && (entry.uses.owner == owner || entry.provides.owner == owner)) {
        if (!has_ended || entry.uses.owner != owner) made.push_back(entry);
        entry.state = State::waiting;
        if (is_to_type) entry.may_find_other = true;
      } else if (is_to_type && entry.problem == no_answer_of(owner)) {
        entry.may_find_other = true;
      }
    }
  }
  for (const Entry& entry : made) undo(entry);
}

void NodeConnections::devices_lost(const std::vector<std::string>& ids, bool have_ended) {
  for (const std::string& id : ids) lost("device " + id, have_ended);
}

void NodeConnections::service_lost(const std::string& name) { lost("service " + name, false); }

void NodeConnections::remove(const std::string& node) {
  std::vector<Entry> made;
  {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) {
      if (entry.node != node) continue;
      entry.is_removed = true;
      if (entry.state == State::made) made.push_back(entry);
    }
    entries_.remove_if(
        [](const Entry& entry) { return entry.is_removed && entry.state != State::connecting; });
  }
  for (const Entry& entry : made) undo(entry);
}

}  // namespace orbweaver::sca
