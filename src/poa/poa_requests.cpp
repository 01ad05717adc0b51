// PoaImpl: requests for objects that are not in the active object map.
#include "base/catch_and_log.h"
#include "orb/interception.h"
#include "orb/minor_codes.h"
#include "orb/server/upcall_scope.h"
#include "poa/gate_pass.h"
#include "poa/manager_call.h"
#include "poa/poa_impl.h"
#include "poa/unmapped_request.h"

namespace orbweaver::poa {

using CORBA::CompletionStatus;
using orb::LookupStatus;

namespace {

[[noreturn]] void raise_adapter_error(std::uint32_t minor_code, const std::string& why) {
  throw CORBA::OBJ_ADAPTER(minor_code, CompletionStatus::COMPLETED_NO, why);
}

}  // namespace

void PoaImpl::open_gate() {
  if (gate_ != nullptr) return;
  ObjectSlot& slot = reserve_slot();
  gate_generation_ = slot.generation();
  adapters_.objects().activate(slot, {}, nullptr, nullptr);
  gate_ = &slot;
}

std::unique_lock<std::recursive_mutex> PoaImpl::lock_single_thread() {
  if (single_thread_ == nullptr) return {};
  return lock_long(*single_thread_);
}

LookupStatus PoaImpl::enter_managed(Bytes id, std::string_view operation, orb::ServantPin& pin, bool may_wait,
                                    orb::ObjectSlotHint* slot_hint) {
  const bool is_collocated = operation.empty();
  if (policies_.retains()) {
    if (ObjectSlot* const slot = enter(id); slot != nullptr) {
      if (slot_hint != nullptr && slot->manager_state != nullptr) *slot_hint = {slot, slot->generation()};
      return adapters_.pin_slot(*slot, pin, may_wait, is_collocated);
    }
  }
  // A stub does not tell the operation that it calls within the process, but a request does.
  if (is_collocated && (policies_.locator() || needs_request())) return LookupStatus::remote;
  GatePass gate(*this);
  if (gate.slot() == nullptr) return LookupStatus::no_object;
  const LookupStatus status = manager_->pass(*gate.slot(), may_wait);
  if (status != LookupStatus::found) return status;
  if (policies_.activator()) return enter_incarnated({id.begin(), id.end()}, pin, may_wait);
  auto single = lock_single_thread();
  pin.slot = gate.slot();
  const LookupStatus found =
      policies_.locator() ? enter_located(id, operation, pin) : enter_default_servant(id, pin);
  gate.release();
  single.release();  // AdapterRegistry::leave does both
  return found;
}

LookupStatus PoaImpl::enter_default_servant(Bytes id, orb::ServantPin& pin) {
  ServantRef servant;
  {
    const std::lock_guard lock(mutex_);
    servant = default_servant_;
  }
  if (!servant)
    raise_adapter_error(minor::kNoDefaultServant, "the POA '" + name_ + "' has no default servant yet");
  UnmappedRequest& request = take_unmapped_request(id);
  request.servant = servant.get();
  request.owner = std::move(servant);
  pin.unmapped = &request;
  return LookupStatus::found;
}

LookupStatus PoaImpl::enter_located(Bytes id, std::string_view operation, orb::ServantPin& pin) {
  Ref<PortableServer::ServantLocator> locator;
  {
    const std::lock_guard lock(mutex_);
    locator = servant_locator_;
  }
  if (!locator)
    raise_adapter_error(minor::kNoServantManager, "the POA '" + name_ + "' has no servant locator yet");
  if (orb::Interception* const interception = core_->request_interception(); interception != nullptr)
    interception->before_servant_manager(interception_.load(std::memory_order_acquire));
  struct GiveBack {
    void operator()(UnmappedRequest* request) const noexcept { give_back(*request); }
  };
  std::unique_ptr<UnmappedRequest, GiveBack> request(&take_unmapped_request(id));
  request->operation = operation;
  request->owner = call_manager("preinvoke", MayForward::yes, [&] {
    return locator->preinvoke(request->id, self(), request->operation, request->cookie);
  });
  if (!request->owner)
    raise_adapter_error(minor::kNilServant,
                        "preinvoke of the servant locator of the POA '" + name_ + "' returned nil");
  request->servant = request->owner.get();
  request->locator = std::move(locator);
  pin.unmapped = request.release();
  return LookupStatus::found;
}

void PoaImpl::postinvoke(UnmappedRequest& request) {
  const auto locator = std::exchange(request.locator, nullptr);
  if (!locator) return;
  call_manager("postinvoke", MayForward::no, [&] {
    locator->postinvoke(request.id, self(), request.operation, request.cookie, request.owner);
  });
}

LookupStatus PoaImpl::enter_incarnated(const ObjectId& id, orb::ServantPin& pin, bool may_wait) {
  for (;;) {
    if (!wait_for_end(id, may_wait)) return LookupStatus::holding;
    if (orb::Interception* const interception = core_->request_interception(); interception != nullptr)
      interception->before_servant_manager(interception_.load(std::memory_order_acquire));
    auto single = lock_single_thread();
    const auto activator_lock = lock_long(activator_mutex_);
    ObjectSlot* const slot = incarnate(id);
    if (slot == nullptr) continue;
    single.release();  // AdapterRegistry::leave unlocks it
    pin = {slot};
    return LookupStatus::found;
  }
}

ObjectSlot* PoaImpl::incarnate(const ObjectId& id) {
  Ref<PortableServer::ServantActivator> activator;
  {
    const std::lock_guard lock(mutex_);
    check_not_destroyed();
    // Another request has incarnated it.
    if (ObjectSlot* const slot = find_active(id); slot != nullptr)
      return adapters_.objects().enter(*slot) ? slot : nullptr;
    if (ending_.count(id) != 0) return nullptr;
    activator = servant_activator_;
  }
  if (!activator)
    raise_adapter_error(minor::kNoServantManager, "the POA '" + name_ + "' has no servant activator yet");
  const ServantRef servant =
      call_manager("incarnate", MayForward::yes, [&] { return activator->incarnate(id, self()); });
  if (!servant)
    raise_adapter_error(minor::kNilServant,
                        "incarnate of the servant activator of the POA '" + name_ + "' returned nil");
  bool destroyed = false, etherealizes = false;
  {
    const std::lock_guard lock(mutex_);
    destroyed = destroyed_;
    etherealizes = etherealizes_at_end_;
    if (!destroyed) {
      ObjectSlot* slot = find_active(id);  // if the activator has called activate_object_with_id
      if (slot == nullptr) {
        if (policies_.unique() && by_servant_.count(servant.get()) != 0)
          raise_adapter_error(minor::kWrongServant,
                              "incarnate returned a servant that is active under "
                              "another object id; the POA '" +
                                  name_ + "' has UNIQUE_ID");
        slot = &reserve_slot();
        activate_slot(*slot, id, *servant);
      } else if (slot->servant != servant.get()) {
        raise_adapter_error(minor::kWrongServant, "incarnate has activated another servant than it returned");
      }
      adapters_.objects().enter(*slot);  // active, as mutex_ is held
      return slot;
    }
  }
  if (etherealizes) {
    catch_and_log("etherealize of a servant activator", [&] {
      call_manager("etherealize", MayForward::no,
                   [&] { activator->etherealize(id, self(), servant, true, false); });
    });
  }
  throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchAdapter, CompletionStatus::COMPLETED_NO,
                                "the POA '" + name_ + "' has been destroyed");
}

bool PoaImpl::serves(Bytes id) {
  const std::lock_guard lock(mutex_);
  return (policies_.retains() && find_active(id) != nullptr) || default_servant_ || servant_activator_ ||
         servant_locator_;
}

// ---- servant managers and the default servant ----

void PoaImpl::raise_wrong_policy(const char* needs) const {
  throw WrongPolicy("the POA '" + name_ + "' has not " + needs);
}

PoaImpl::Ref<PortableServer::ServantManager> PoaImpl::get_servant_manager() {
  if (!policies_.servant_manager()) raise_wrong_policy("USE_SERVANT_MANAGER");
  const std::lock_guard lock(mutex_);
  if (servant_activator_) return servant_activator_;
  return servant_locator_;
}

void PoaImpl::set_servant_manager(const Ref<PortableServer::ServantManager>& manager) {
  if (!policies_.servant_manager()) raise_wrong_policy("USE_SERVANT_MANAGER");
  const auto activator = IDL::traits<PortableServer::ServantActivator>::narrow(manager);
  const auto locator = IDL::traits<PortableServer::ServantLocator>::narrow(manager);
  if (policies_.retains() ? !activator : !locator) {
    raise_adapter_error(minor::kNoServantManager,
                        "set_servant_manager: the POA '" + name_ +
                            (policies_.retains() ? "' needs a ServantActivator, as it has RETAIN"
                                                 : "' needs a ServantLocator, as it has NON_RETAIN"));
  }
  const std::lock_guard lock(mutex_);
  check_not_destroyed();
  if (servant_activator_ || servant_locator_) {
    throw CORBA::BAD_INV_ORDER(minor::kManagerSet, CompletionStatus::COMPLETED_NO,
                               "the POA '" + name_ + "' has a servant manager already");
  }
  if (policies_.retains())
    servant_activator_ = activator;
  else
    servant_locator_ = locator;
}

PoaImpl::ServantRef PoaImpl::get_servant() {
  if (!policies_.default_servant()) raise_wrong_policy("USE_DEFAULT_SERVANT");
  const std::lock_guard lock(mutex_);
  if (!default_servant_) throw NoServant("the POA '" + name_ + "' has no default servant yet");
  return default_servant_;
}

void PoaImpl::set_servant(const ServantRef& servant) {
  if (!policies_.default_servant()) raise_wrong_policy("USE_DEFAULT_SERVANT");
  check_servant(servant);
  ServantRef replaced;  // without the lock: its destructor may call back
  const std::lock_guard lock(mutex_);
  check_not_destroyed();
  replaced = std::exchange(default_servant_, servant);
}

}  // namespace orbweaver::poa
