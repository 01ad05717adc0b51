// PoaImpl: child POAs that an adapter activator creates.
#include <chrono>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "base/printable.h"
#include "orb/minor_codes.h"
#include "orb/server/upcall_scope.h"
#include "poa/gate_pass.h"

namespace orbweaver::poa {

using CORBA::CompletionStatus;
using orb::LookupStatus;

PoaImpl::Ref<PortableServer::AdapterActivator> PoaImpl::the_activator() {
  const std::lock_guard lock(mutex_);
  return adapter_activator_;
}

void PoaImpl::the_activator(const Ref<PortableServer::AdapterActivator>& activator) {
  Ref<PortableServer::AdapterActivator> replaced;  // without the lock
  const std::lock_guard lock(mutex_);
  check_not_destroyed();
  if (activator) open_gate();
  replaced = std::exchange(adapter_activator_, activator);
}

bool PoaImpl::is_being_created() const noexcept {
  for (const PoaImpl* poa = this; poa != nullptr; poa = poa->parent_.get()) {
    if (poa->initialising_.load(std::memory_order_acquire)) return true;
  }
  return false;
}

bool PoaImpl::call_activator(PortableServer::AdapterActivator& activator, const std::string& name) {
  const auto fail = [&](const std::string& why) {
    log::write_limited(log::Level::warn, "adapter activator", "", [&] {
      return "unknown_adapter for the child '" + printable(name, 64) + "' of the POA '" + name_ +
             "' raised " + why;
    });
    throw CORBA::OBJ_ADAPTER(minor::kActivatorFailed, CompletionStatus::COMPLETED_NO,
                             "unknown_adapter for the child '" + printable(name, 64) + "' of the POA '" +
                                 name_ + "' raised an exception; see the server's log");
  };
  const orb::NoObjectScope no_object(orb::NoObjectScope::Calls::manager);
  try {
    return activator.unknown_adapter(self(), name);
  } catch (const std::exception& e) {
    fail(e.what());
  } catch (...) {
    fail("an exception of unknown type");
  }
  return false;
}

void PoaImpl::end_activation(const std::string& name) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (const auto child = children_.find(name); child != children_.end())
      child->second->initialising_.store(false, std::memory_order_release);
    activations_.erase(activations_.find(name));
    changed_.notify_all();
  }
  catch_and_log("resuming held requests", [&] { core_->retry_held_requests(); });
}

CORBA::object_reference<PoaImpl> PoaImpl::child_for_request(const std::string& name, bool may_wait,
                                                            LookupStatus& why_not) {
  return find_or_create(name, may_wait, true, why_not);
}

CORBA::object_reference<PoaImpl> PoaImpl::find_or_create(const std::string& name, bool may_wait,
                                                         bool is_request, LookupStatus& why_not) {
  why_not = LookupStatus::no_adapter;
  GatePass gate(*this);
  for (bool asked = false;; asked = true) {
    Ref<PortableServer::AdapterActivator> activator;
    {
      std::unique_lock lock(mutex_);
      for (;;) {
        if (destroyed_) return nullptr;
        const auto activation = activations_.find(name);
        // The activator itself, and what it calls in this thread, may use the child.
        if (activation == activations_.end() || activation->second == std::this_thread::get_id()) {
          if (const auto child = children_.find(name); child != children_.end()) return child->second;
          if (activation != activations_.end()) return nullptr;
          break;
        }
        if (!may_wait) {
          why_not = LookupStatus::holding;
          return nullptr;
        }
        const orb::ThreadPool::BlockedScope blocked;
        if (core_->must_serve_while_waiting()) {
          lock.unlock();
          core_->serve_while_waiting(transport::Deadline::in_ms(1));
          lock.lock();
        } else {
          changed_.wait_for(lock, kPollInterval);
        }
      }
      if (asked || !adapter_activator_ || gate.slot() == nullptr) return nullptr;
      activator = adapter_activator_;
    }
    if (is_request) {  // its POA manager would be that of this POA, as far as is known
      const LookupStatus status = manager_->pass(*gate.slot(), may_wait);
      if (status != LookupStatus::found) {
        why_not = status;
        return nullptr;
      }
    }
    {
      const std::lock_guard lock(mutex_);
      // Another request has asked meanwhile: its answer is that of this one.
      if (destroyed_ || children_.count(name) != 0 || activations_.count(name) != 0) continue;
      activations_.emplace(name, std::this_thread::get_id());
    }
    const struct End {
      PoaImpl& poa;
      const std::string& name;
      ~End() { poa.end_activation(name); }
    } end{*this, name};
    if (!call_activator(*activator, name)) return nullptr;
  }
}

CORBA::object_reference<PoaImpl> PoaImpl::existing_child(const std::string& name, bool& may_be_created) {
  const std::lock_guard lock(mutex_);
  may_be_created = static_cast<bool>(adapter_activator_);
  const auto child = children_.find(name);
  return child == children_.end() ? nullptr : child->second;
}

PoaImpl::PoaRef PoaImpl::find_POA(const std::string& name, bool activate_it) {
  if (activate_it) {
    LookupStatus unused;
    if (const auto child = find_or_create(name, true, false, unused)) return child;
  }
  const std::lock_guard lock(mutex_);
  const auto child = children_.find(name);
  if (child == children_.end())
    throw AdapterNonExistent("the POA '" + name_ + "' has no child '" + name + "'");
  return child->second;
}

}  // namespace orbweaver::poa
