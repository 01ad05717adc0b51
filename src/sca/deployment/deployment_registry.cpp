#include "sca/deployment/deployment_registry.h"

#include <mutex>
#include <set>
#include <utility>

#include "CF41S.h"
#include "base/printable.h"

namespace orbweaver::sca {
namespace {

/// Length of a peer's identifier in a message.
constexpr std::size_t kMostIdentifier = 200;

}  // namespace

class DeploymentRegistry::Servant final
    : public virtual CORBA::servant_traits<CF::ComponentRegistry>::base_type {
 public:
  Servant(const DeploymentPlan& plan, std::shared_ptr<RegistrationEvents> events)
      : events_(std::move(events)) {
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      if (!plan.parts[p].registers_itself()) continue;
      Expected expected{p, plan.parts[p].is_factory, false, {}};
      for (const PortDeclaration& port : plan.parts[p].package->component.provides)
        expected.provides.insert(port.name);
      expected_.emplace(plan.parts[p].id, std::move(expected));
    }
  }

  void registerComponent(const CF::ComponentType& registeringComponent) override {
    const std::string id = printable(registeringComponent.identifier(), kMostIdentifier);
    const std::lock_guard lock(mutex_);
    const auto found = expected_.find(registeringComponent.identifier());
    if (found == expected_.end())
      reject(CF::ErrorNumberType::CF_ENOENT, "the application has no component '" + id + "' of SCA 4.1");
    Expected& expected = found->second;
    if (expected.registered)
      reject(CF::ErrorNumberType::CF_EEXIST, "component '" + id + "' has registered already");
    if (expected.is_factory != (registeringComponent.type() == kFactory) ||
        (!expected.is_factory && !is_application_component(registeringComponent.type())))
      reject(CF::ErrorNumberType::CF_EINVAL, "component '" + id +
                                                 "' registers as another type than an application component" +
                                                 (expected.is_factory ? " factory" : ""));
    if (!registeringComponent.componentObject()) reject_reference("component '" + id + "' is nil");
    Registration registration{expected.part, registeringComponent.componentObject(), {}};
    for (const CF::PortAccessType& port : registeringComponent.providesPorts()) {
      if (!expected.provides.contains(port.portName())) continue;
      if (!port.portReference())
        reject_reference("port '" + port.portName() + "' of component '" + id + "' is nil");
      registration.provides[port.portName()] = port.portReference();
    }
    expected.registered = true;
    registrations_.push_back(std::move(registration));
    events_->notify();
  }

  std::vector<Registration> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(registrations_, {});
  }
  std::string rejected() const {
    const std::lock_guard lock(mutex_);
    return rejected_;
  }

 private:
  static constexpr CF::ComponentEnumType kFactory =
      CF::ComponentEnumType::APPLICATION_COMPONENT_FACTORY_COMPONENT;

  /// A component that is to register.
  struct Expected {
    std::size_t part;
    bool is_factory;
    bool registered;
    std::set<std::string> provides;  // names of its provides ports
  };

  static bool is_application_component(CF::ComponentEnumType type) {
    return type == CF::ComponentEnumType::APPLICATION_COMPONENT ||
           type == CF::ComponentEnumType::MANAGEABLE_APPLICATION_COMPONENT;
  }
  [[noreturn]] void reject(CF::ErrorNumberType number, const std::string& reason) {
    rejected_ = reason;
    throw CF::ComponentRegistry::RegisterError(number, reason);
  }
  [[noreturn]] void reject_reference(const std::string& reason) {
    rejected_ = reason;
    throw CF::InvalidObjectReference(reason);
  }

  const std::shared_ptr<RegistrationEvents> events_;
  mutable std::mutex mutex_;                  // for the following
  std::map<std::string, Expected> expected_;  // by DeploymentPart::id
  std::vector<Registration> registrations_;
  std::string rejected_;
};

DeploymentRegistry::DeploymentRegistry(const DeploymentPlan& plan,
                                       const IDL::traits<CORBA::ORB>::ref_type& orb,
                                       std::shared_ptr<RegistrationEvents> events)
    : poa_(IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))),
      servant_(CORBA::make_reference<Servant>(plan, std::move(events))), id_(poa_->activate_object(servant_)),
      reference_(orb->object_to_string(poa_->id_to_reference(id_))) {}

DeploymentRegistry::~DeploymentRegistry() {
  try {
    poa_->deactivate_object(id_);
  } catch (const CORBA::Exception&) {  // the ORB has been shut down
  }
}

std::vector<DeploymentRegistry::Registration> DeploymentRegistry::take() { return servant_->take(); }
std::string DeploymentRegistry::rejected() const { return servant_->rejected(); }

}  // namespace orbweaver::sca
