#include "sca/monitor/domain_source.h"

#include <chrono>
#include <stdexcept>

#include "sca/cf/call_error.h"
#include "sca/deployment/property_access.h"
#include "sca/monitor/log_lines.h"
#include "sca/monitor/shown_properties.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

constexpr std::chrono::seconds kCommandLimit{5};

/// Calls `command()`; an exception becomes an error.
template <class Command>
Result<void> done(Command command) {
  try {
    command();
    return {};
  } catch (const CORBA::TIMEOUT&) {
    return Error{ErrorKind::timed_out, "no answer in time"};
  } catch (const CORBA::SystemException&) {
    return Error{ErrorKind::unavailable, reason_of_failed_call()};
  } catch (const CORBA::Exception&) {
    return Error{ErrorKind::invalid, reason_of_failed_call()};
  } catch (const std::exception& e) {  // a value of another type
    return Error{ErrorKind::invalid, e.what()};
  }
}

/// Calls a function of an application, which may have been released or uninstalled meanwhile.
template <class Command>
Result<void> commanded(Command command) {
  return done([&] {
    try {
      command();
    } catch (const CORBA::OBJECT_NOT_EXIST& e) {
      throw std::invalid_argument(e.detail().empty() ? "it does not exist" : e.detail());
    }
  });
}

const char* text_of_state(ApplicationState state) {
  switch (state) {
    case ApplicationState::deploying: return "deploying";
    case ApplicationState::stopped: return "stopped";
    case ApplicationState::started: return "started";
    case ApplicationState::failed: return "failed";
    case ApplicationState::releasing:
    case ApplicationState::orphaned: break;  // no application of the model
  }
  return "releasing";
}

Error has_no_properties(const std::string& component) {
  return {ErrorKind::invalid, "there is no component '" + component + "' with properties"};
}

}  // namespace

DomainSource::DomainSource(const IDL::traits<CORBA::ORB>::ref_type& orb, DomainModel& model,
                           std::string domain, DomainCommands commands,
                           std::chrono::nanoseconds properties_interval)
    : orb_(orb), model_(model), domain_(std::move(domain)), commands_(std::move(commands)),
      calls_(orb, kCommandLimit), properties_(properties_interval), reader_(orb) {}

void DomainSource::read_records(monitor::Snapshot& snapshot) const {
  const auto devices = model_.devices();
  for (const Node& node : model_.nodes()) {
    monitor::Node& added = snapshot.nodes.emplace_back();
    added.id = node.id;
    added.label = node.label;
    for (const RegisteredDevice& device : devices) {
      if (device.node == node.id) added.devices.push_back({device.id, device.label, {}, {}, {}});
    }
  }
  for (const InstalledApplication& each : model_.installed_applications())
    snapshot.installed.push_back({each.id, each.name, each.profile});
}

void DomainSource::read_application(const Application& record,
                                    const std::map<std::string, std::string>& node_of,
                                    monitor::Snapshot& snapshot) {
  snapshot.applications.push_back(
      {record.id, record.name, record.installed, text_of_state(record.state), record.failure});
  for (const DeployedComponent& each : record.components) {
    monitor::Component& added = snapshot.components.emplace_back();
    added.id = each.id;
    added.name = each.instantiation;
    added.application = record.id;
    added.device = each.device;
    added.process = each.process;
    const auto node = node_of.find(each.device);
    if (node != node_of.end()) added.node = node->second;
    reader_.read(each, added);
  }
  for (const DeployedConnection& each : record.connections) {
    monitor::Connection& added = snapshot.connections.emplace_back();
    added.id = each.id + ":" + record.name;  // as the ids of components
    added.application = record.id;
    reader_.read(each, added);
  }
}

void DomainSource::read_devices(monitor::Snapshot& snapshot) {
  for (monitor::Node& node : snapshot.nodes) {
    for (monitor::Device& device : node.devices) {
      if (const auto record = model_.device(device.id)) reader_.read(*record, device);
    }
  }
}

monitor::Snapshot DomainSource::read() {
  monitor::Snapshot snapshot;
  snapshot.domain = domain_;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  snapshot.unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  read_records(snapshot);
  std::map<std::string, std::string> node_of;
  for (const RegisteredDevice& each : model_.devices()) node_of[each.id] = each.node;
  reader_.begin();
  for (const Application& each : model_.applications()) read_application(each, node_of, snapshot);
  read_devices(snapshot);
  reader_.end();
  return snapshot;
}

std::vector<monitor::LogLine> DomainSource::log(std::uint64_t after, std::size_t most) {
  std::vector<monitor::LogLine> lines;
  for (const services::LogEntry& record : commands_.log(after, most)) lines.push_back(line_of(record));
  return lines;
}

Result<std::string> DomainSource::reference_of(const std::string& component) const {
  for (const Application& application : model_.applications()) {
    for (const DeployedComponent& each : application.components)
      if (each.id == component && !each.reference.empty() && !each.is_factory) return each.reference;
  }
  return has_no_properties(component);
}

Result<DomainSource::PropertySetRef> DomainSource::property_set(const std::string& component,
                                                                const std::string& reference) const {
  PropertySetRef object;
  const auto narrowed =
      done([&] { object = calls_.narrow<CF::PropertySet>(orb_->string_to_object(reference)); });
  if (!narrowed) return narrowed.error();
  if (object) return object;
  return has_no_properties(component);
}

PropertyFile DomainSource::rules_of(const std::string& component) const {
  return commands_.properties ? commands_.properties(component) : PropertyFile();
}

Result<std::vector<monitor::Property>> DomainSource::properties(const std::string& component) {
  const auto reference = reference_of(component);
  if (!reference) return reference.error();
  const auto shared = properties_.get(*reference, [&] { return read_properties(component, *reference); });
  if (!*shared) return shared->error();
  return **shared;
}

Result<std::vector<monitor::Property>> DomainSource::read_properties(const std::string& component,
                                                                     const std::string& reference) const {
  const auto object = property_set(component, reference);
  if (!object) return object.error();
  CF::Properties queried;
  std::vector<monitor::Property> result;
  const auto called = done([&] {
    (*object)->query(queried);
    const PropertyFile rules = rules_of(component);
    for (const CF::DataType& each : queried)
      if (!is_write_only(rules, each.id())) result.push_back(read_property(rules, each.id(), each.value()));
    add_write_only(rules, result);
  });
  if (!called) return called.error();
  return result;
}

Result<void> DomainSource::set_property(const std::string& component, const std::string& property,
                                        const std::string& value) {
  const auto reference = reference_of(component);
  if (!reference) return reference.error();
  const auto object = property_set(component, *reference);
  if (!object) return object.error();
  auto set = done([&] {
    const PropertyFile rules = rules_of(component);
    CF::Properties properties{{property, CORBA::Any()}};
    if (rules.contains(property)) {
      properties[0].value(given_value(rules, property, value));
    } else {
      (*object)->query(properties);
      const auto type = properties.empty() ? std::nullopt : declared_type_of(properties[0].value());
      if (!type) throw std::invalid_argument("property '" + property + "' has a value of an unknown type");
      properties[0].value(any_of(*type, value_of_form(type->form, value)));
    }
    (*object)->configure(properties);
  });
  properties_.forget(*reference);
  return set;
}

bool DomainSource::has_application(const std::string& id) { return model_.application(id).has_value(); }

Result<void> DomainSource::start(const std::string& application) {
  return commanded([&] { commands_.start(application); });
}

Result<void> DomainSource::stop(const std::string& application) {
  return commanded([&] { commands_.stop(application); });
}

Result<void> DomainSource::create(const std::string& installed, const std::string& name) {
  return commanded([&] { commands_.create(installed, name); });
}

Result<void> DomainSource::release(const std::string& application) {
  return commanded([&] { commands_.release(application); });
}

}  // namespace orbweaver::sca
