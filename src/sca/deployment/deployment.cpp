#include "sca/deployment/deployment.h"

#include <map>
#include <set>
#include <utility>

#include "sca/deployment/deployment_context.h"
#include "sca/deployment/undeployment.h"

namespace orbweaver::sca {
namespace {

/// Checks the assignments of the caller of create(): devices by component. Raises
/// CreateApplicationRequestError for those that cannot be used.
std::map<std::string, std::string> check_assignments(const DeploymentRequest& request,
                                                     const std::vector<DeploymentDevice>& devices) {
  std::set<std::string> known;
  for (const DeploymentDevice& device : devices) known.insert(device.candidate.id);
  std::map<std::string, std::string> assignments;
  CF::DeviceAssignmentSequence invalid;
  for (const CF::DeviceAssignmentType& each : request.assignments) {
    const Assembly& assembly = request.assembly;
    const auto component = assembly.find(each.componentId());
    // A resource factory with classes of its own creates its components where it is itself.
    const bool is_placed =
        component ? !assembly.components[*component].factory ||
                        assembly.loads_libraries(assembly.components[*component].factory->factory)
                  : assembly.find_factory(each.componentId()).has_value();
    if (!is_placed || !known.contains(each.assignedDeviceId()) ||
        !assignments.emplace(each.componentId(), each.assignedDeviceId()).second)
      invalid.push_back(each);
  }
  if (!invalid.empty()) throw CF::ApplicationFactory::CreateApplicationRequestError(invalid);
  return assignments;
}

/// The record before the first step.
Application initial_record(const DeploymentRequest& request, const DeploymentPlan& plan) {
  Application record;
  record.id = request.id;
  record.name = request.name;
  record.installed = request.installed;
  const Assembly& assembly = request.assembly;
  const auto id_of = [&](std::size_t component) { return plan.parts[plan.components[component]].id; };
  record.controller = id_of(assembly.controller);
  for (const DeploymentPart& part : plan.parts) {
    DeployedComponent component;
    component.id = part.id;
    component.instantiation = part.instantiation->id;
    component.binding = part.binding;
    component.is_factory = part.is_factory;
    component.is_sca41 = part.is_sca41;
    if (part.factory) component.factory = plan.parts[*part.factory].id;
    record.components.push_back(std::move(component));
  }
  for (const std::size_t part : plan.start_order) record.start_order.push_back(plan.parts[part].id);
  for (const AssemblyPort& port : assembly.external_ports) {
    if (port.port.kind == EndKind::component)
      record.external_ports.push_back({port.name, id_of(port.port.component), port.port.port});
  }
  for (const AssemblyProperty& property : assembly.external_properties)
    record.external_properties.push_back({property.id, id_of(property.component), property.property});
  return record;
}

/// Undoes a deployment that has failed; returns a text about what is left, to be appended to the message.
std::string roll_back(const DeploymentRecord& record, const DeploymentRequest& request,
                      DeploymentDomain& domain) {
  Application undone = record.get();
  undone.state = ApplicationState::deploying;  // also if the store of its end has failed
  std::string text;
  for (const std::string& left : undeploy(undone, domain, request.limits, RecordedStart::exact))
    text += "\n" + left;
  try {
    domain.store(undone);              // without the orders that were rejected
  } catch (const CORBA::Exception&) {  // the earlier record says too much, which a repetition finds out
  }
  return text;
}

[[noreturn]] void raise(CF::ErrorNumberType number, const std::string& message) {
  throw CF::ApplicationFactory::CreateApplicationError(number, message);
}

}  // namespace

Application deploy(const DeploymentRequest& request, DeploymentDomain& domain) {
  std::vector<DeploymentDevice> devices = domain.devices();
  const auto assignments = check_assignments(request, devices);
  DeploymentPlan plan;
  try {
    plan = plan_deployment(request.assembly, request.name, assignments);
  } catch (const DeploymentFailure& failure) {
    raise(failure.number, failure.what());
  }
  DeploymentRecord record(initial_record(request, plan), domain);
  try {
    DeploymentContext context(request, domain, std::move(devices), plan, record);
    for (const auto step :
         {place_parts, check_initial_values, load_code, execute_parts, await_registrations, create_components,
          initialize_components, make_connections, configure_components}) {
      step(context);
    }
    // After a crash of the machine, names are of use only to components on another one.
    const bool needs_names = durability_of_orders(context) == Durability::machine;
    if (needs_names) context.names_flush->wait();
    record.change([](Application& application) { application.state = ApplicationState::stopped; });
    if (!needs_names) context.names_flush->wait();
    return record.get();
  } catch (const DeploymentFailure& failure) {
    raise(failure.number, failure.what() + roll_back(record, request, domain));
  } catch (const CF::ApplicationFactory::InvalidInitConfiguration&) {
    static_cast<void>(roll_back(record, request, domain));
    throw;
  } catch (const CORBA::PERSIST_STORE& e) {
    raise(CF::ErrorNumberType::CF_EIO, "the state of the application cannot be stored: " +
                                           std::string(e.what()) + roll_back(record, request, domain));
  } catch (const std::exception&) {
    const std::string reason = printable_reason();
    raise(CF::ErrorNumberType::CF_NOTSET,
          "the application cannot be created: " + reason + roll_back(record, request, domain));
  }
}

}  // namespace orbweaver::sca
