#include "sca/cf41/application_factory_servant41.h"

#include "base/printable.h"
#include "sca/cf41/component_types.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {

std::string ApplicationFactoryServant41::name() {
  if (const auto record = domain_.model().installed_application(id_)) return record->name;
  throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO,
                                "the application has been uninstalled");
}

CF::ComponentType ApplicationFactoryServant41::create(
    const std::string& name, const CF::Properties& initConfiguration,
    const CF::DeviceAssignmentSequence& deviceAssignments, const CF::Properties& deploymentDependencies,
    const CF41::ApplicationFactory::ExecutionAffinitySequence& executionAffinityAssignments) {
  CallerPlacement placement;
  for (const CF::DataType& each : deploymentDependencies) {
    const auto value = text_of(each.value());
    if (!value)
      throw CF41::ApplicationFactory::CreateApplicationError(
          CF::ErrorNumberType::CF_EINVAL, "the value of deployment dependency '" + printable(each.id(), 200) +
                                              "' is not that of a simple property");
    placement.dependencies.push_back({each.id(), *value});
  }
  for (const auto& each : executionAffinityAssignments)
    placement.affinities.push_back({each.componentId(), each.processCollocation(), each.coreAffinities()});
  try {
    const auto application =
        domain_.applications().create(id_, name, initConfiguration, deviceAssignments, placement);
    const std::string id = application->identifier();
    if (const auto record = domain_.model().application(id)) return component_type(domain_, *record);
    throw CF41::ApplicationFactory::CreateApplicationError(CF::ErrorNumberType::CF_NOTSET,
                                                           "the application has been released meanwhile");
  } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
    throw CF41::ApplicationFactory::CreateApplicationError(e.errorNumber(), e.msg());
  } catch (const CF::ApplicationFactory::CreateApplicationRequestError& e) {
    throw CF41::ApplicationFactory::CreateApplicationRequestError(e.invalidAssignments());
  } catch (const CF::ApplicationFactory::InvalidInitConfiguration& e) {
    throw CF41::ApplicationFactory::InvalidInitConfiguration(e.invalidProperties());
  }
}

}  // namespace orbweaver::sca
