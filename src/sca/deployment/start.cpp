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

}  // namespace

void start_components(const Application& record, DeploymentDomain& domain, const DeploymentLimits& limits) {
  const StartOrder order(record, domain, limits);
  for (const DeployedComponent* const each : order.components()) {
    const std::string what = "component '" + each->instantiation + "' cannot be started: ";
    try {
      order.object(*each).start();
    } catch (const CF::Resource::StartError& e) {
      throw CF::Resource::StartError(e.errorNumber(), what + printable_reason());
    } catch (const std::exception&) {
      throw CF::Resource::StartError(CF::ErrorNumberType::CF_NOTSET, what + printable_reason());
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
