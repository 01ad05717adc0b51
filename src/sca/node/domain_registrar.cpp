#include "sca/node/domain_registrar.h"

#include <algorithm>
#include <chrono>

#include "CF41C.h"
#include "CF41DomainC.h"
#include "base/printable.h"
#include "sca/node/device_manager41.h"
#include "sca/own_device/call_limit.h"

namespace orbweaver::sca {
namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

constexpr int kRegistrarCallMs = 1000;
/// The domain manager calls the node and its devices meanwhile.
constexpr int kRegistrationMs = 10'000;
constexpr int kUnregistrationMs = 3000;
/// Between two questions of a domain manager of SCA 4.1 for its managers.
constexpr std::chrono::seconds kListInterval{3};

/// Calls the domain manager for something that it has removed already, perhaps.
template <class Call>
void ignore_rejection(Call call) {
  try {
    call();
  } catch (const CORBA::UserException&) {
  }
}

class Registrar222 final : public DomainRegistrar {
 public:
  using DomainRef = IDL::traits<CF::DomainManager>::ref_type;

  Registrar222(const OrbRef& orb, DomainRef domain, const NodeObjects& node)
      : orb_(orb), domain_(std::move(domain)),
        registering_(with_call_limit<CF::DomainManager>(orb, domain_, kRegistrationMs)), node_(node) {}

  bool has_node() override {
    const auto managers = domain_->deviceManagers();
    return std::any_of(managers.begin(), managers.end(), [&](const auto& manager) {
      return manager && manager->_is_equivalent(node_.manager);
    });
  }
  void register_node() override {
    try {
      registering_->registerDeviceManager(node_.manager);
    } catch (const CF::DomainManager::RegisterError& e) {
      throw Rejected("it rejects the node: " + e.msg());
    } catch (const CF::InvalidProfile&) {
      throw Rejected("it rejects the profiles of the node");
    } catch (const CF::InvalidObjectReference& e) {
      throw Rejected("it rejects the reference of the node: " + e.msg());
    }
  }
  void unregister_node() override {
    with_call_limit<CF::DomainManager>(orb_, domain_, kUnregistrationMs)
        ->unregisterDeviceManager(node_.manager);
  }
  void register_device(const Device& device) override {
    if (!device.reference)
      throw Rejected(
          "it is a device of SCA 4.1, and the domain manager one of SCA 2.2.2; name that of 4.1 "
          "with --domain, such as orbweaver/DomainManager41");
    call([&] { registering_->registerDevice(device.reference, node_.manager); });
  }
  void register_service(const Service& service) override {
    call([&] { registering_->registerService(service.reference, node_.manager, service.name); });
  }
  void unregister_device(const Device& device) override {
    if (device.reference) ignore_rejection([&] { registering_->unregisterDevice(device.reference); });
  }
  void unregister_service(const Service& service) override {
    ignore_rejection([&] { registering_->unregisterService(service.reference, service.name); });
  }

 private:
  template <class Call>
  static void call(Call call) {
    try {
      call();
    } catch (const CF::DomainManager::RegisterError& e) {
      throw Rejected(e.msg());
    } catch (const CORBA::UserException& e) {
      throw Rejected(e.what());
    }
  }

  const OrbRef orb_;
  const DomainRef domain_;       // calls to it end after a short time
  const DomainRef registering_;  // the same, with time for the domain to call this node
  const NodeObjects node_;
};

class Registrar41 final : public DomainRegistrar {
 public:
  Registrar41(const OrbRef& orb, const ObjectRef& domain, const DeviceManagerServant& manager,
              const NodeObjects& node)
      : orb_(orb), object_(with_call_limit<CORBA::Object>(orb, domain, kRegistrarCallMs)),
        domain_(with_call_limit<CF41::DomainManager>(orb, domain, kRegistrarCallMs)),
        registry_(with_call_limit<CF::ComponentRegistry>(orb, domain, kRegistrationMs)),
        full_registry_(with_call_limit<CF::FullComponentRegistry>(orb, domain, kUnregistrationMs)),
        manager_(manager), node_(node) {}

  bool has_node() override {
    if (!domain_) {  // only a registry
      if (object_->_non_existent()) throw CORBA::OBJECT_NOT_EXIST();
      return is_registered_;
    }
    // The list has all nodes with all that they have: it is not asked for each time.
    const auto now = std::chrono::steady_clock::now();
    if (is_registered_ && now - listed_ < kListInterval) {
      if (domain_->_non_existent()) throw CORBA::OBJECT_NOT_EXIST();
      return true;
    }
    const CF::Components managers = domain_->managers();
    is_registered_ = std::any_of(managers.begin(), managers.end(), [&](const CF::ComponentType& each) {
      return each.identifier() == manager_.id() && each.componentObject() &&
             each.componentObject()->_is_equivalent(node_.manager41);
    });
    listed_ = now;
    return is_registered_;
  }
  void register_node() override {
    register_component(component_type(manager_, node_.manager41));
    is_registered_ = true;
    listed_ = {};
  }
  void unregister_node() override { unregister(manager_.id()); }
  void register_device(const Device& device) override {
    if (!device.object41)
      throw Rejected(
          "it is a device of SCA 2.2.2, and the domain manager one of SCA 4.1; name that of 2.2.2 "
          "with --domain, such as orbweaver/orbweaver");
    register_component(component_type(manager_, device));
  }
  void register_service(const Service& service) override {
    register_component(component_type(manager_, service));
  }
  void unregister_device(const Device& device) override { unregister(device.id); }
  void unregister_service(const Service& service) override { unregister(service.name); }

 private:
  void register_component(const CF::ComponentType& component) {
    try {
      registry_->registerComponent(component);
    } catch (const CF::ComponentRegistry::RegisterError& e) {
      throw Rejected(e.msg());
    } catch (const CF::InvalidObjectReference& e) {
      throw Rejected(e.msg());
    }
  }
  /// By the identifier alone: no effect if the registry has another node under the identifier of this one.
  void unregister(const std::string& identifier) {
    listed_ = {};
    if (full_registry_ && has_node())
      ignore_rejection([&] { full_registry_->unregisterComponent(identifier); });
  }

  const OrbRef orb_;
  const ObjectRef object_;
  const IDL::traits<CF41::DomainManager>::ref_type domain_;  // nil: it is only a registry
  const IDL::traits<CF::ComponentRegistry>::ref_type registry_;
  const IDL::traits<CF::FullComponentRegistry>::ref_type full_registry_;  // nil: it unregisters nothing
  const DeviceManagerServant& manager_;
  const NodeObjects node_;
  bool is_registered_ = false;
  std::chrono::steady_clock::time_point listed_{};  // when the domain manager has listed its managers last
};

}  // namespace

std::unique_ptr<DomainRegistrar> make_registrar(const OrbRef& orb, const ObjectRef& domain,
                                                const DeviceManagerServant& manager,
                                                const NodeObjects& node) {
  if (with_call_limit<CF::ComponentRegistry>(orb, domain, kRegistrarCallMs))
    return std::make_unique<Registrar41>(orb, domain, manager, node);
  if (auto manager222 = with_call_limit<CF::DomainManager>(orb, domain, kRegistrarCallMs))
    return std::make_unique<Registrar222>(orb, std::move(manager222), node);
  return nullptr;
}

}  // namespace orbweaver::sca
