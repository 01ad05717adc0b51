// Starts and stops the components of an application.
#include <map>
#include <optional>

#include "sca/deployment/deployment_context.h"
#include "sca/deployment/known_interfaces.h"

namespace orbweaver::sca {
namespace {

/// The components of Application::start_order.
class StartOrder {
 public:
  StartOrder(const Application& record, DeploymentDomain& domain, const DeploymentLimits& limits)
      : domain_(domain), calls_(domain.orb(), limits.call) {
    std::map<std::string, const DeployedComponent*> by_id;
    for (const DeployedComponent& each : record.components) by_id.emplace(each.id, &each);
    for (const std::string& id : record.start_order) {
      if (const auto found = by_id.find(id); found != by_id.end()) components_.push_back(found->second);
    }
  }

  const std::vector<const DeployedComponent*>& components() const { return components_; }
  ComponentObject object(const DeployedComponent& component) const {
    auto object = narrow_component(calls_.object(domain_.orb()->string_to_object(component.reference)),
                                   component.is_sca41);
    if (!object) throw std::runtime_error("it is no CF::Resource");
    return object;
  }

 private:
  DeploymentDomain& domain_;
  const LimitedCalls calls_;
  std::vector<const DeployedComponent*> components_;
};

/// Stops what a start that has failed has started, the last one first; errors are ignored.
void stop_again(const StartOrder& order, std::size_t count) {
  while (count-- > 0) {
    try {
      order.object(*order.components()[count]).stop();
    } catch (const std::exception&) {  // the error of the start is that of the operation
    }
  }
}

}  // namespace

void start_components(const Application& record, DeploymentDomain& domain, const DeploymentLimits& limits) {
  const StartOrder order(record, domain, limits);
  // What runs already is not stopped.
  const bool is_undone = record.state != ApplicationState::started;
  for (std::size_t i = 0; i < order.components().size(); ++i) {
    const DeployedComponent& component = *order.components()[i];
    const std::string what = "component '" + component.instantiation + "' cannot be started: ";
    try {
      order.object(component).start();
    } catch (const std::exception& e) {
      const auto* const own = dynamic_cast<const CF::Resource::StartError*>(&e);
      const auto* const system = dynamic_cast<const CORBA::SystemException*>(&e);
      const CF::Resource::StartError error(
          own != nullptr ? own->errorNumber() : CF::ErrorNumberType::CF_NOTSET, what + printable_reason());
      // It may run nevertheless; one that hangs is not called again.
      const bool may_run = system != nullptr && dynamic_cast<const CORBA::TIMEOUT*>(&e) == nullptr &&
                           system->completed() != CORBA::CompletionStatus::COMPLETED_NO;
      if (is_undone) stop_again(order, may_run ? i + 1 : i);
      throw error;
    }
  }
}

void stop_components(const Application& record, DeploymentDomain& domain, const DeploymentLimits& limits) {
  const StartOrder order(record, domain, limits);
  std::optional<CF::Resource::StopError> first;
  const auto& components = order.components();
  for (auto each = components.rbegin(); each != components.rend(); ++each) {
    const std::string what = "component '" + (*each)->instantiation + "' cannot be stopped: ";
    try {
      order.object(**each).stop();
    } catch (const CF::Resource::StopError& e) {
      if (!first) first.emplace(e.errorNumber(), what + printable_reason());
    } catch (const std::exception&) {
      if (!first) first.emplace(CF::ErrorNumberType::CF_NOTSET, what + printable_reason());
    }
  }
  if (first) throw CF::Resource::StopError(*first);
}

}  // namespace orbweaver::sca
