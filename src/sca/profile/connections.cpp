#include "sca/profile/connections.h"

#include <algorithm>
#include <utility>

#include "sca/profile/profile_readers.h"

namespace orbweaver::sca {
namespace {

std::string listed(const std::map<std::string_view, const PortDeclaration*>& ports) {
  std::vector<std::string> names;
  for (const auto& [name, port] : ports) names.emplace_back(name);
  return names.empty() ? "it declares none" : "it declares " + some_of(names);
}

/// Limit of the inheritances that are followed for one assembly.
constexpr std::size_t kMaxSteps = 1'000'000;

/// Every object is one.
bool is_object(const std::string& repid) {
  return repid == "IDL:omg.org/CORBA/Object:1.0" || repid == "IDL:CORBA/Object:1.0";
}

}  // namespace

void ConnectionChecker::check(const Element& connections) {
  for (const Element& each : connections.children("connectinterface")) connection(each);
}

void ConnectionChecker::connection(const Element& connection) {
  const auto uses = connection.find_child("usesport");
  const End from = uses ? end(*uses, Side::uses) : End{};
  const auto provides = connection.find_child("providesport");
  const auto supported = connection.find_child("componentsupportedinterface");
  if (!provides && !supported) return;
  const End to = provides ? end(*provides, Side::provides) : end(*supported, Side::supported);
  if (from.subject.empty() || to.subject.empty()) return;
  check_match(connection, from, to);
  if (!connected_.emplace(from.subject, from.port, to.subject, to.port).second)
    profiles_.mistake(connection.where(), "these two ports are connected already",
                      "remove one of the two connections: each packet would arrive twice");
}

ConnectionChecker::End ConnectionChecker::end(const Element& element, Side side) {
  const char* const names[] = {"usesidentifier", "providesidentifier", "supportedidentifier"};
  End end;
  end.is_port = side != Side::supported;
  for (const char* const name : {names[static_cast<std::size_t>(side)], "identifier"}) {
    const auto identifier = element.find_child(name);
    if (!identifier) continue;
    end.port = identifier->text();
    if (end.port.empty())
      profiles_.mistake(identifier->where(), "<" + std::string(name) + "> is empty",
                        side == Side::supported ? "write the repository id of the interface"
                                                : "write the name of the port");
  }
  if (const auto reference = element.find_child("componentinstantiationref")) {
    if (instances_.is_outside_of_dcd(*reference)) return end;
    const Instance* const instance = instances_.find(*reference, false);
    if (instance == nullptr || end.port.empty()) return end;
    end.subject = "component '" + reference->attribute("refid") + "'";
    port(element, *instance, side, end);
  } else if (const auto inner = element.find_child("assemblyinstantiationref")) {
    const Instance* const instance = instances_.find(*inner, true);
    if (instance == nullptr || end.port.empty()) return end;
    end.subject = "assembly '" + inner->attribute("refid") + "'";
    port(element, *instance, side, end);
  } else if (const auto loader = element.find_child("devicethatloadedthiscomponentref")) {
    instances_.find(*loader, false);
  } else if (const auto device = element.find_child("deviceusedbythiscomponentref")) {
    check_device(*device, "refid");
  } else if (const auto shared = element.find_child("deviceusedbyapplication")) {
    check_device(*shared, nullptr);
  }
  return end;
}

void ConnectionChecker::port(const Element& element, const Instance& instance, Side side, End& end) {
  const char* const kind = side == Side::uses ? "uses" : "provides";
  if (instance.is_assembly) {
    if (instance.assembly == nullptr) return end.subject.clear();
    if (const ExternalPort* const external = external_port(element, *instance.assembly, side, end)) {
      end.repid = external->repid;
      end.component = external->component;
      return;
    }
    return end.subject.clear();
  }
  end.component = instance.component();
  if (end.component == nullptr) return end.subject.clear();
  if (side == Side::supported) {
    end.repid = end.port;
    const auto& supports = end.component->supports;
    // An interface is identified by its repository id, or by its supportsname.
    const auto& names = end.component->supports_names;
    const auto named = std::find(names.begin(), names.end(), end.port);
    if (named != names.end()) end.repid = supports[static_cast<std::size_t>(named - names.begin())];
    if (is_object(end.repid)) return;
    for (const std::string& each : supports) {
      if (is_a(end.component, nullptr, each, end.repid)) return;
    }
    profiles_.mistake(
        element.where(), end.subject + " does not support " + end.repid,
        supports.empty() ? "its SCD lists no supportsinterface" : "it supports " + some_of(supports));
    return end.subject.clear();
  }
  const Ports& ports = ports_of(*end.component);
  const auto& right = side == Side::uses ? ports.uses : ports.provides;
  const auto& wrong = side == Side::uses ? ports.provides : ports.uses;
  if (const auto found = right.find(end.port); found != right.end()) {
    end.repid = found->second->repid;
    return;
  }
  const bool turned = wrong.count(end.port) != 0;
  const std::string other = side == Side::uses ? " (it is a provides port)" : " (it is a uses port)";
  if (profiles_.findings().stores(element.file().path()))
    profiles_.mistake(element.where(),
                      end.subject + " has no " + kind + " port '" + end.port + "'" + (turned ? other : ""),
                      turned ? "swap its two ends" : listed(right) + " (" + end.component->file + ")");
  else
    profiles_.mistake(element.where(), "");
  end.subject.clear();
}

const ConnectionChecker::ExternalPort* ConnectionChecker::external_port(const Element& element,
                                                                        const AssemblyOutline& assembly,
                                                                        Side side, const End& end) {
  const auto found = assembly.ports.find(end.port);
  if (found == assembly.ports.end()) {
    std::vector<std::string> names;
    if (profiles_.findings().stores(element.file().path())) {
      for (const auto& [name, external] : assembly.ports) names.push_back(name);
    }
    profiles_.mistake(element.where(), end.subject + " has no external port '" + end.port + "'",
                      names.empty() ? "its SAD has none" : "it has " + some_of(names));
    return nullptr;
  }
  const bool is_uses = found->second.side == ExternalPort::Side::uses;
  if (is_uses == (side == Side::uses)) return &found->second;
  profiles_.mistake(element.where(),
                    "external port '" + end.port + "' of " + end.subject + " is a " +
                        (is_uses ? "uses" : "provides") + " port",
                    "swap the two ends");
  return nullptr;
}

void ConnectionChecker::check_device(const Element& reference, const char* component_attribute) {
  const auto id = reference.find_attribute("usesrefid");
  if (component_attribute == nullptr) {
    if (id && application_devices_.count(*id) == 0)
      profiles_.mistake(reference.where(),
                        "there is no <usesdevice> '" + *id + "' in <usesdevicedependencies>",
                        "correct the id");
    return;
  }
  const Instance* const instance = instances_.find(reference, false, component_attribute);
  if (instance == nullptr || instance->package == nullptr || !id) return;
  const auto& devices = instance->package->uses_devices;
  if (std::find(devices.begin(), devices.end(), *id) != devices.end()) return;
  profiles_.mistake(
      reference.where(),
      "the SPD of component '" + reference.attribute("refid") + "' has no <usesdevice> '" + *id + "'",
      devices.empty() ? "it has none" : "it has " + some_of(devices));
}

bool ConnectionChecker::is_a(const ComponentDescriptor* one, const ComponentDescriptor* other,
                             const std::string& derived, const std::string& base) {
  if (derived == base) return true;
  for (const ComponentDescriptor* const component : {one, other}) {
    if (component != nullptr && derived_from(*component, base).count(derived) != 0) return true;
  }
  return false;
}

const std::set<std::string_view>& ConnectionChecker::derived_from(const ComponentDescriptor& component,
                                                                  const std::string& base) {
  const auto [tree, is_new_tree] = derived_.try_emplace(&component);
  if (is_new_tree) {
    for (const InterfaceDeclaration& interface : component.interfaces) {
      for (const std::string& up : interface.inherits) tree->second.direct[up].push_back(interface.repid);
    }
  }
  const auto [found, is_new] = tree->second.all.try_emplace(base);
  if (!is_new) return found->second;
  std::vector<std::string_view> open{base};
  while (!open.empty() && steps_ < kMaxSteps) {
    const auto direct = tree->second.direct.find(open.back());
    open.pop_back();
    if (direct == tree->second.direct.end()) continue;
    for (const std::string_view each : direct->second) {
      ++steps_;
      if (found->second.insert(each).second) open.push_back(each);
    }
  }
  return found->second;
}

void ConnectionChecker::check_match(const Element& at, const End& uses, const End& provides) {
  if (uses.repid.empty() || provides.repid.empty() || is_object(uses.repid)) return;
  if (is_a(provides.component, uses.component, provides.repid, uses.repid)) return;
  if (steps_ >= kMaxSteps) {
    if (!std::exchange(reported_steps_, true))
      profiles_.mistake(at.where(),
                        "too many interfaces inherit from each other to compare this connection and others",
                        "list only the interfaces of the ports in the SCDs");
    return;
  }
  const std::string name = uses.subject.substr(uses.subject.find('\''));
  if (!provides.is_port) {
    profiles_.mistake(at.where(),
                      "port '" + uses.port + "' of " + name + " calls " + uses.repid + ", and " +
                          provides.repid + " does not derive from it",
                      "connect it to an object of that interface");
    return;
  }
  profiles_.mistake(at.where(),
                    "port '" + uses.port + "' of " + name + " calls " + uses.repid + ", but port '" +
                        provides.port + "' of " + provides.subject.substr(provides.subject.find('\'')) +
                        " is " + provides.repid,
                    "connect ports of one interface; if the second inherits from the first, list it as "
                    "<inheritsinterface> in " +
                        (provides.component ? provides.component->file : "its SCD"));
}

const ConnectionChecker::Ports& ConnectionChecker::ports_of(const ComponentDescriptor& component) {
  const auto [entry, is_new] = ports_.try_emplace(&component);
  if (is_new) {
    for (const auto& port : component.provides) entry->second.provides.emplace(port.name, &port);
    for (const auto& port : component.uses) entry->second.uses.emplace(port.name, &port);
  }
  return entry->second;
}

std::map<std::string, AssemblyOutline::ExternalPort, std::less<>> ConnectionChecker::check_external_ports(
    const Element& ports) {
  std::map<std::string, ExternalPort, std::less<>> external;
  for (const Element& element : ports.children("port")) {
    const Side side = element.find_child("usesidentifier")       ? Side::uses
                      : element.find_child("providesidentifier") ? Side::provides
                                                                 : Side::supported;
    const End end = this->end(element, side);
    const std::string name = element.find_attribute("externalname").value_or(end.port);
    if (name.empty()) continue;
    const auto kind = side == Side::uses       ? ExternalPort::Side::uses
                      : side == Side::provides ? ExternalPort::Side::provides
                                               : ExternalPort::Side::supported;
    if (!external.emplace(name, ExternalPort{kind, end.repid, end.component}).second)
      profiles_.mistake(element.where(), "a second external port '" + name + "'",
                        "give each a name of its own, by externalname");
  }
  return external;
}

}  // namespace orbweaver::sca
