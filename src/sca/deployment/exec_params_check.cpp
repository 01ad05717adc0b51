// The step that checks the exec params of create().
#include <optional>

#include "base/printable.h"
#include "sca/deployment/deployment_context.h"
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

}  // namespace

void check_exec_params(DeploymentContext& context) {
  const std::size_t controller = context.plan.components[context.request.assembly.controller];
  const PropertyFile properties =
      properties_of(*context.plan.parts[controller].package, context.implementation_of(controller));
  CF::Properties invalid;
  for (const CF::DataType& given : context.request.configuration) {
    const SimpleProperty* const property = properties.find(given.id());
    if (property == nullptr || !property->exec_param) continue;
    const auto problem = problem_of(*property, given.value());
    if (!problem) continue;
    context.domain.report("exec param '" + printable(given.id(), kMostText) + "' of " +
                          context.text(controller) + ", of type " + std::string(type_name(property->type)) +
                          ": " + *problem);
    invalid.push_back(given);
  }
  if (!invalid.empty()) throw CF::ApplicationFactory::InvalidInitConfiguration(invalid);
}

}  // namespace orbweaver::sca
