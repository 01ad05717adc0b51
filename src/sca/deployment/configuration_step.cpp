// The step that configures the components of an application.
#include <algorithm>
#include <map>

#include "sca/deployment/concurrently.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/property_access.h"
#include "sca/deployment/property_values.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// The values of create(), by component.
struct GivenValues {
  std::map<std::size_t, CF::Properties> by_component;
  /// The id that the caller of create() gave to a property of a component.
  std::map<std::pair<std::size_t, std::string>, std::string> given_ids;
};

/// Assigns the values to the assembly controller, or to the components of external properties, in the types
/// of their PRFs.
GivenValues given_values(const DeploymentContext& context) {
  const Assembly& assembly = context.request.assembly;
  GivenValues given;
  for (const CF::DataType& each : context.request.configuration) {
    const AssemblyProperty target = assembly.property(each.id());
    const std::size_t part = context.plan.components[target.component];
    const PropertyFile properties =
        properties_of(*context.plan.parts[part].package, context.implementation_of(part));
    // A parameter of the controller's process has been passed to it already.
    const PropertyUse* const use = properties.find_use(target.property);
    if (target.component == assembly.controller && use != nullptr && use->exec_param && !use->configurable)
      continue;
    const CheckedValues checked =
        check_values(properties, {CF::DataType(target.property, each.value())}, ValueUse::initial);
    for (const CF::DataType& value : checked.values)
      set_property(given.by_component[target.component], value.id(), value.value());
    given.given_ids[{target.component, target.property}] = each.id();
  }
  return given;
}

/// Raises InvalidInitConfiguration if the caller of create() has given one of the rejected values.
void raise_if_given(const GivenValues& given, std::size_t component, const CF::Properties& rejected) {
  CF::Properties invalid;
  for (const CF::DataType& each : rejected) {
    const auto found = given.given_ids.find({component, each.id()});
    if (found != given.given_ids.end()) invalid.emplace_back(found->second, each.value());
  }
  if (!invalid.empty()) throw CF::ApplicationFactory::InvalidInitConfiguration(invalid);
}

void configure(DeploymentContext& context, const GivenValues& given, std::size_t component) {
  const std::size_t part = context.plan.components[component];
  const DeploymentPart& planned = context.plan.parts[part];
  CF::Properties values = configuration(properties_of(*planned.package, context.implementation_of(part)),
                                        planned.instantiation->settings);
  // A host has no other way to get qualifiers that are no texts.
  if (planned.instantiation->factory && !planned.factory) {
    for (const CF::DataType& each : factory_qualifiers(context.request.assembly, component))
      if (!text_of(each.value())) set_property(values, each.id(), each.value());
  }
  if (const auto found = given.by_component.find(component); found != given.by_component.end()) {
    for (const CF::DataType& each : found->second) set_property(values, each.id(), each.value());
  }
  if (values.empty()) return;
  try {
    context.components[part].configure(values);
  } catch (const CF::PropertySet::InvalidConfiguration& e) {
    raise_if_given(given, component, e.invalidProperties());
    context.fail_call(part, "configured");
  } catch (const CF::PropertySet::PartialConfiguration& e) {
    raise_if_given(given, component, e.invalidProperties());
    context.fail_call(part, "configured");
  } catch (const CORBA::Exception&) {
    context.fail_call(part, "configured");
  }
}

}  // namespace

void configure_components(DeploymentContext& context) {
  const GivenValues given = given_values(context);
  run_concurrently(context.plan.components.size(),
                   [&](std::size_t component) { configure(context, given, component); });
}

}  // namespace orbweaver::sca
