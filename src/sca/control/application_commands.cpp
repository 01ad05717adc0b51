// orbweaver app …
#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/printable.h"
#include "sca/control/call_error.h"
#include "sca/control/control_commands.h"
#include "sca/control/creation_error.h"
#include "sca/control/domain_tree.h"
#include "sca/control/given_value.h"
#include "sca/control/redeployment.h"
#include "sca/profile/property.h"
#include "sca/profile/similar_name.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using nlohmann::json;

std::string done(const ControlOptions& options, const std::string& name, const char* what) {
  return options.json ? json_text({{"name", name}, {"result", what}}) : std::string();
}

/// The element that has the name or the id. `kind`: for messages.
template <class Object>
const Object& find(const std::vector<Object>& list, const std::string& wanted, const char* kind) {
  std::vector<const Object*> found;
  for (const Object& each : list)
    if (each.id == wanted) return each;
  for (const Object& each : list)
    if (each.name == wanted) found.push_back(&each);
  if (found.size() == 1) return *found.front();
  std::string ids;
  if (!found.empty()) {
    for (const Object* each : found) ids += (ids.empty() ? "" : ", ") + each->id;
    throw Error{ErrorKind::unavailable, std::string("there is more than one ") + kind + " '" + wanted +
                                            "': name it by its id: " + ids};
  }
  std::vector<std::string_view> names;
  std::size_t silent = 0;
  for (const Object& each : list) {
    names.push_back(each.name);
    names.push_back(each.id);
    if (!each.problem.empty()) ++silent;
  }
  std::string text = std::string("there is no ") + kind + " '" + wanted + "'";
  const std::string_view similar = similar_name(wanted, names);
  if (!similar.empty()) text += "; did you mean '" + std::string(similar) + "'?";
  if (silent != 0)
    text += "; " + std::to_string(silent) + " of " + std::to_string(list.size()) + " do not answer";
  throw Error{ErrorKind::unavailable, text};
}

std::pair<std::string, std::string> split(const std::string& text, const char* form) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error{ErrorKind::invalid, "'" + text + "' has not the form " + form};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The application of the operands, with the time limit of actions.
IDL::traits<CF::Application>::ref_type application_of(const DomainClient& client,
                                                      const ControlOperands& operands) {
  const auto all = read_applications(client.domain());
  return client.for_action<CF::Application>(find(all, operands.name, "application").reference);
}

/// Calls an operation of an application.
template <class Call>
Result<std::string> call_application(const ControlOptions& options, const ControlOperands& operands,
                                     const char* what, Call call) {
  return execute([&] {
    const DomainClient client(options);
    call(application_of(client, operands));
    return done(options, operands.name, what);
  });
}

/// Calls a function that needs the components of the application: if they cannot be called because it has
/// failed, throws Error with the reason of that.
template <class Call>
void call_components(const IDL::traits<CF::Application>::ref_type& application, Call call) {
  try {
    call();
  } catch (const CORBA::SystemException&) {
    const std::string failure = failure_of(application);
    if (failure.empty()) throw;
    throw Error{ErrorKind::unavailable, "the application has failed: " + failure};
  }
}

/// Calls create() of an installed application. Throws Error with the reasons if it rejects an argument.
IDL::traits<CF::Application>::ref_type create(const DomainClient& client, const ReadFactory& factory,
                                              const std::string& name, const CF::Properties& properties,
                                              const CF::DeviceAssignmentSequence& assignments) {
  try {
    return client.for_action<CF::ApplicationFactory>(factory.reference)
        ->create(name, properties, assignments);
  } catch (const CF::ApplicationFactory::CreateApplicationRequestError& e) {
    throw Error{ErrorKind::unavailable, describe(e, client, factory)};
  } catch (const CF::ApplicationFactory::InvalidInitConfiguration& e) {
    throw Error{ErrorKind::unavailable, describe(e, client, factory)};
  }
}

/// Queries the properties that can be: writeonly ones have no present value, and unknown ones are rejected
/// when they are set.
void query_known(const IDL::traits<CF::Application>::ref_type& application, CF::Properties& properties) {
  try {
    application->query(properties);
  } catch (const CF::UnknownProperties& e) {
    for (const CF::DataType& unknown : e.invalidProperties())
      std::erase_if(properties, [&](const CF::DataType& each) { return each.id() == unknown.id(); });
    if (!properties.empty()) application->query(properties);
  }
}

}  // namespace

Result<std::string> list_applications(const ControlOptions& options) {
  return execute([&] {
    const DomainClient client(options);
    const auto domain = client.domain();
    const auto factories = read_factories(domain);
    const auto applications = read_applications(domain);
    json value = {{"installed", json::array()}, {"applications", json::array()}};
    std::string text;
    for (const ReadFactory& each : factories) {
      value["installed"].push_back(to_json(each));
      text += to_text(each, 0);
    }
    for (const ReadApplication& each : applications) {
      value["applications"].push_back(to_json(each));
      ReadApplication head = each;
      head.components.clear();
      text += to_text(head, 0);
    }
    return options.json ? json_text(value) : text;
  });
}

Result<std::string> install_application(const ControlOptions& options, const ControlOperands& operands) {
  return execute([&] {
    const DomainClient client(options);
    const auto domain = client.domain();
    std::set<std::string> before;
    for (const ReadFactory& each : read_factories(domain)) before.insert(each.id);
    client.for_action<CF::DomainManager>(domain)->installApplication(operands.name);
    // The domain manager returns nothing. Of several new ones, it is the one of this file.
    const std::string file = operands.name.starts_with('/') ? operands.name : "/" + operands.name;
    for (const ReadFactory& each : read_factories(domain)) {
      if (before.contains(each.id) || each.profile != file) continue;
      return options.json
                 ? json_text({{"name", each.name}, {"id", each.id}, {"file", file}, {"result", "installed"}})
                 : printable("installed " + each.name + " (" + each.id + ")") + "\n";
    }
    return done(options, operands.name, "installed");
  });
}

Result<std::string> uninstall_application(const ControlOptions& options, const ControlOperands& operands) {
  return execute([&] {
    const DomainClient client(options);
    const auto domain = client.domain();
    const auto all = read_factories(domain);
    client.for_action<CF::DomainManager>(domain)->uninstallApplication(
        find(all, operands.name, "installed application").id);
    return done(options, operands.name, "uninstalled");
  });
}

Result<std::string> create_application(const ControlOptions& options, const ControlOperands& operands) {
  return execute([&] {
    CF::Properties properties;
    for (const std::string& each : operands.properties) {
      auto [id, text] = split(each, "ID=VALUE or ID:TYPE=VALUE");
      const std::size_t colon = id.rfind(':');
      const bool has_type = colon != std::string::npos && type_of_name(id.substr(colon + 1)).has_value();
      std::optional<DeclaredType> type;
      if (has_type) type = DeclaredType{PropertyForm::simple, {id.substr(colon + 1), false}, {}};
      if (has_type) id.resize(colon);
      properties.emplace_back(id, given_value(id, text, type));
    }
    CF::DeviceAssignmentSequence assignments;
    for (const std::string& each : operands.assignments) {
      const auto [component, device] = split(each, "COMPONENT=DEVICE");
      assignments.emplace_back(component, device);
    }
    const DomainClient client(options);
    const auto all = read_factories(client.domain());
    const ReadFactory& factory = find(all, operands.name, "installed application");
    const std::string name = operands.as.empty() ? factory.name : operands.as;
    const auto created = create(client, factory, name, properties, assignments);
    if (!created) throw Error{ErrorKind::unavailable, "create returned a nil reference"};
    const std::string id = created->identifier();
    if (operands.redeploy) set_redeploy_of_created(created, name, id);
    return options.json ? json_text({{"name", name}, {"id", id}, {"result", "created"}})
                        : printable("created " + name + " (" + id + ")") + "\n";
  });
}

Result<std::string> redeploy_application(const ControlOptions& options, const ControlOperands& operands) {
  return call_application(options, operands, operands.redeploy ? "redeployed" : "not redeployed",
                          [&](const auto& application) { set_redeploy(application, operands.redeploy); });
}

Result<std::string> start_application(const ControlOptions& options, const ControlOperands& operands) {
  return call_application(options, operands, "started",
                          [](const auto& application) { application->start(); });
}

Result<std::string> stop_application(const ControlOptions& options, const ControlOperands& operands) {
  return call_application(options, operands, "stopped", [](const auto& application) { application->stop(); });
}

Result<std::string> release_application(const ControlOptions& options, const ControlOperands& operands) {
  return call_application(options, operands, "released",
                          [](const auto& application) { application->releaseObject(); });
}

Result<std::string> configure_application(const ControlOptions& options, const ControlOperands& operands) {
  return call_application(options, operands, "configured", [&](const auto& application) {
    CF::Properties present;  // their types are those of the values
    for (const std::string& each : operands.properties)
      present.emplace_back(split(each, "ID=VALUE").first, CORBA::Any());
    call_components(application, [&] { query_known(application, present); });
    CF::Properties properties;
    for (const std::string& each : operands.properties) {
      const auto [id, text] = split(each, "ID=VALUE");
      const auto found =
          std::find_if(present.begin(), present.end(),
                       [&, &wanted = id](const CF::DataType& other) { return other.id() == wanted; });
      const auto type = found == present.end() ? std::nullopt : declared_type_of(found->value());
      properties.emplace_back(id, given_value(id, text, type));
    }
    call_components(application, [&] { application->configure(properties); });
  });
}

Result<std::string> query_application(const ControlOptions& options, const ControlOperands& operands) {
  return execute([&] {
    const DomainClient client(options);
    CF::Properties properties;
    for (const std::string& id : operands.properties) properties.emplace_back(id, CORBA::Any());
    const auto application = application_of(client, operands);
    call_components(application, [&] { application->query(properties); });
    json values = json::object();
    std::string text;
    for (const CF::DataType& each : properties) {
      values[each.id()] = any_json(each.value());
      text += printable(each.id() + " = " + any_text(each.value())) + "\n";
    }
    if (text.empty()) text = "application " + printable(operands.name) + " has no properties\n";
    return options.json ? json_text(values) : text;
  });
}

}  // namespace orbweaver::sca
