#include "dynamic/deferred_calls.h"

#include <orbweaver/orb.h>
#include <orbweaver/policy.h>

#include <atomic>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "dynamic/minor_codes.h"
#include "dynamic/request.h"
#include "platform/thread.h"

namespace orbweaver::dynamic {
namespace {

using CORBA::PolicyCurrent;
using CurrentRef = IDL::traits<PolicyCurrent>::ref_type;

std::atomic<std::size_t> calls_in_progress{0};

[[noreturn]] void raise_no_resources(const std::string& why) {
  throw CORBA::NO_RESOURCES(minor::kTooManyDeferred, CORBA::CompletionStatus::COMPLETED_NO, why);
}

/// Counts a call in progress while it exists.
class CountedCall {
 public:
  CountedCall() {
    if (calls_in_progress.fetch_add(1, std::memory_order_relaxed) < kMaxDeferredRequests) return;
    calls_in_progress.fetch_sub(1, std::memory_order_relaxed);
    raise_no_resources(std::to_string(kMaxDeferredRequests) +
                       " deferred requests are in progress: take the response to one of them");
  }
  CountedCall(CountedCall&& other) noexcept : counted_(std::exchange(other.counted_, false)) {}
  CountedCall& operator=(CountedCall&&) = delete;
  ~CountedCall() {
    if (counted_) calls_in_progress.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  bool counted_ = true;
};

/// The PolicyCurrent of the ORB of an object; nil if that is being destroyed.
CurrentRef policy_current(const CORBA::object_reference<CORBA::Object>& object) {
  const auto orb = object->_get_orb();
  return orb == nullptr
             ? nullptr
             : IDL::traits<PolicyCurrent>::narrow(orb->resolve_initial_references("PolicyCurrent"));
}

}  // namespace

void start_deferred_call(Request& request) {
  const CurrentRef current = policy_current(request.target());
  CORBA::PolicyList policies;
  if (current != nullptr) policies = current->get_policy_overrides({});
  CountedCall counted;
  request._add_ref();
  auto held = CORBA::object_reference<Request>::adopt(&request);
  try {
    std::thread([held = std::move(held), current, policies = std::move(policies),
                 counted = std::move(counted)]() mutable noexcept {
      platform::name_this_thread("ow-deferred");
      const CountedCall in_progress = std::move(counted);
      held->call_deferred([&] {
        if (!policies.empty()) current->set_policy_overrides(policies, CORBA::SetOverrideType::SET_OVERRIDE);
      });
    }).detach();
  } catch (const std::system_error& e) {
    raise_no_resources(std::string("no thread for a deferred request: ") + e.what());
  }
}

}  // namespace orbweaver::dynamic
