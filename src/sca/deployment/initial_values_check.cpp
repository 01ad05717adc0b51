// The step that checks the values that the caller of create() gives.
#include <optional>

#include "base/printable.h"
#include "sca/deployment/deployment_context.h"
#include "sca/deployment/property_access.h"
#include "sca/deployment/property_values.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Length of a caller's text in a message.
constexpr std::size_t kMostText = 100;

/// Why a value does not fit an exec param, or nullopt.
std::optional<std::string> problem_of(const SimpleProperty& property, const CORBA::Any& value) {
  const auto text = text_of(value);
  if (!text) return "the value given is not of a simple type";
  const auto problem = property.problem(*text);
  if (!problem) return std::nullopt;
  return "the value given, '" + printable(*text, kMostText) + "', " + *problem;
}

/// Checks a value of an exec param of the controller. Returns why it cannot be set; empty: it can.
std::string problem_of_exec_param(const DeploymentContext& context, std::size_t controller,
                                  const SimpleProperty& property, const CF::DataType& given) {
  const auto problem = problem_of(property, given.value());
  if (!problem) return {};
  return "exec param '" + printable(given.id(), kMostText) + "' of " + context.text(controller) +
         ", of type " + std::string(type_name(property.type)) + ": " + *problem;
}

}  // namespace

void check_initial_values(DeploymentContext& context) {
  const Assembly& assembly = context.request.assembly;
  CF::Properties invalid;
  for (const CF::DataType& given : context.request.configuration) {
    const AssemblyProperty target = assembly.property(given.id());
    const std::size_t part = context.plan.components[target.component];
    const PropertyFile properties =
        properties_of(*context.plan.parts[part].package, context.implementation_of(part));
    const SimpleProperty* const simple = properties.find(target.property);
    std::string problem;
    if (target.component == assembly.controller && simple != nullptr && simple->exec_param) {
      problem = problem_of_exec_param(context, part, *simple, given);
    } else {
      problem =
          check_values(properties, {CF::DataType(target.property, given.value())}, ValueUse::initial).reasons;
      if (!problem.empty()) problem += " (" + context.text(part) + ")";
    }
    if (problem.empty()) continue;
    context.domain.report(problem);
    invalid.push_back(given);
  }
  if (!invalid.empty()) throw CF::ApplicationFactory::InvalidInitConfiguration(invalid);
}

}  // namespace orbweaver::sca
