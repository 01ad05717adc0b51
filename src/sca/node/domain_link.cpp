#include "sca/node/domain_link.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "CosNamingC.h"
#include "base/printable.h"
#include "platform/thread.h"
#include "sca/own_device/call_limit.h"
#include "services/naming/name_text.h"
#include "services/naming/service_addresses.h"

namespace orbweaver::sca {
namespace {

constexpr int kIntervalMs = 300;
constexpr int kLinkCallMs = 1000;
/// A single TIMEOUT may be due to the load of the machine.
constexpr int kMaxTimeouts = 3;

}  // namespace

DomainLink::DomainLink(IDL::traits<CORBA::ORB>::ref_type orb, DomainAddress address,
                       DeviceManagerServant& manager, NodeObjects self, Message message)
    : orb_(std::move(orb)), address_(std::move(address)),
      naming_services_(naming::service_addresses(address_.naming)), manager_(manager), self_(std::move(self)),
      message_(std::move(message)), thread_([this] { serve(); }) {}

DomainLink::~DomainLink() { stop(); }

void DomainLink::stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  manager_.wake();
  thread_.join();
  unregister();
}

void DomainLink::serve() {
  platform::name_this_thread("ow-domain-link");
  while (!stop_) {
    const auto now = manager_.registrations();
    try {
      if (!domain_) find_domain();
      check_registration();
      synchronize(now);
      report_completeness();
      timeouts_ = 0;
    } catch (const CORBA::TIMEOUT&) {
      if (is_registered_ && ++timeouts_ >= kMaxTimeouts) {
        say("the domain manager does not respond: the node waits for it");
        domain_ = nullptr;
        is_registered_ = false;
      }
    } catch (const std::exception& e) {
      say(is_registered_ ? "the domain manager has ended: the node waits for a new one"
                         : "the node waits for its domain manager: " + printable(e.what(), 400));
      domain_ = nullptr;
      is_registered_ = false;
    }
    manager_.wait_for_change(now.version, kIntervalMs);
  }
}

IDL::traits<CORBA::Object>::ref_type DomainLink::find_in(const std::string& naming) const {
  const auto service =
      with_call_limit<CosNaming::NamingContext>(orb_, orb_->string_to_object(naming), kLinkCallMs);
  if (!service) throw std::runtime_error(naming + " is no naming service");
  try {
    return service->resolve(naming::to_name(address_.name));
  } catch (const CosNaming::NamingContext::NotFound&) {
    throw std::runtime_error("'" + address_.name + "' is not bound in " + naming);
  }
}

void DomainLink::find_domain() {
  IDL::traits<CORBA::Object>::ref_type object;
  if (!address_.reference.empty()) {
    object = orb_->string_to_object(address_.reference);
  } else {
    for (std::size_t tried = 1; !object; ++tried) {
      try {
        object = find_in(naming_services_[naming_service_]);
      } catch (const std::exception&) {
        naming_service_ = (naming_service_ + 1) % naming_services_.size();
        if (tried == naming_services_.size() || stop_) throw;
      }
    }
  }
  domain_ = make_registrar(orb_, object, manager_, self_);
  if (!domain_) throw std::runtime_error("'" + address_.name + "' is no CF::DomainManager");
}

void DomainLink::check_registration() {
  // One that is known from before is registered again, so that its devices are compared.
  if (domain_->has_node() && is_registered_) return;
  is_registered_ = false;
  devices_.clear();
  services_.clear();
  rejected_devices_.clear();
  rejected_services_.clear();
  is_complete_ = false;
  domain_->register_node();
  // It ignores a node whose identifier another one has that runs.
  if (!domain_->has_node())
    throw std::runtime_error(
        "it ignores the node, because another one of its identifier is registered and runs; give each node "
        "an identifier of its own (--name)");
  is_registered_ = true;
  said_.clear();
  say("the node has joined the domain " + (address_.name.empty() ? "" : address_.name));
}

void DomainLink::synchronize(const DeviceManagerServant::Registrations& now) {
  const auto report = [&](const std::string& what, const std::string& why) {
    message_("the domain manager rejects " + what + ": " + printable(why, 400));
  };
  // Those that have gone first: one of the same id may have come.
  for (auto each = devices_.begin(); each != devices_.end();) {
    const bool is_there = std::any_of(now.devices.begin(), now.devices.end(), [&](const auto& device) {
      return device.id == each->first && device.object()->_is_equivalent(each->second.object());
    });
    if (!is_there && rejected_devices_.erase(each->first) == 0) domain_->unregister_device(each->second);
    each = is_there ? std::next(each) : devices_.erase(each);
  }
  for (auto each = services_.begin(); each != services_.end();) {
    const bool is_there = std::any_of(now.services.begin(), now.services.end(), [&](const auto& service) {
      return service.name == each->first && service.reference->_is_equivalent(each->second.reference);
    });
    if (!is_there && rejected_services_.erase(each->first) == 0) domain_->unregister_service(each->second);
    each = is_there ? std::next(each) : services_.erase(each);
  }
  // One that is rejected is not tried again.
  for (const auto& device : now.devices) {
    if (!devices_.emplace(device.id, device).second) continue;
    try {
      domain_->register_device(device);
    } catch (const DomainRegistrar::Rejected& e) {
      rejected_devices_.insert(device.id);
      report("device '" + printable(device.id, 200) + "'", e.what());
    } catch (...) {  // such as TIMEOUT: the domain may not have it
      devices_.erase(device.id);
      throw;
    }
  }
  for (const auto& service : now.services) {
    if (!services_.emplace(service.name, service).second) continue;
    try {
      domain_->register_service(service);
    } catch (const DomainRegistrar::Rejected& e) {
      rejected_services_.insert(service.name);
      report("service '" + printable(service.name, 200) + "'", e.what());
    } catch (...) {
      services_.erase(service.name);
      throw;
    }
  }
}

void DomainLink::report_completeness() {
  const bool any_rejected = !rejected_devices_.empty() || !rejected_services_.empty();
  if (is_complete_ || any_rejected || devices_.size() + services_.size() < manager_.declared()) return;
  is_complete_ = true;
  message_("all its devices and services are registered with the domain");
}

void DomainLink::unregister() {
  if (!is_registered_ || !domain_) return;
  is_registered_ = false;
  try {
    domain_->unregister_node();
  } catch (const CORBA::Exception& e) {
    message_(std::string("the node cannot be unregistered: ") + printable(e.what(), 400));
  }
}

void DomainLink::say(const std::string& message) {
  if (message == said_) return;
  said_ = message;
  message_(message);
}

}  // namespace orbweaver::sca
