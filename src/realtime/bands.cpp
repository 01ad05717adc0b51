#include "realtime/bands.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "orb/client/client_call.h"
#include "orb/core.h"
#include "orb/server/upcall_scope.h"
#include "realtime/adapter.h"
#include "realtime/minor_codes.h"
#include "realtime/thread_priority.h"

namespace orbweaver::realtime {
namespace {

using CORBA::CompletionStatus;

[[noreturn]] void raise_not_reconciled(const char* why) {
  throw CORBA::INV_POLICY(minor::kNotReconciled, CompletionStatus::COMPLETED_NO, why);
}

/// Whether this thread executes a request, which may be part of the call whose reply the connection awaits:
/// the server answers nothing behind it.
bool would_deadlock(const Reference& reference) noexcept {
  const Binding* const now = reference.usable_binding();
  return now != nullptr && orb::in_connection_upcall() && now->connection.get()->replies().has_outstanding();
}

[[noreturn]] void raise_not_bound_in_time() {
  throw CORBA::TIMEOUT(minor::kCallTimeout, CompletionStatus::COMPLETED_NO,
                       "another thread has not told the server of the band in time");
}

/// The reference of a band: as `target`, without bands.
CORBA::object_reference<Reference> make_reference(const Reference& target, const giop::PriorityRange& range) {
  CORBA::PolicyList others = target.policies().list({});
  std::erase_if(others, [](const auto& policy) {
    return policy->policy_type() == RTCORBA::PRIORITY_BANDED_CONNECTION_POLICY_TYPE;
  });
  auto made = CORBA::object_reference<Reference>::adopt(new Reference(
      target.shared_core(), target.ior(), Reference::ConnectionSharing::not_shared,
      orb::ClientPolicies().with(others, CORBA::SetOverrideType::SET_OVERRIDE), target.offering_peer()));
  made->set_bands(*new BandOfReference(range));
  return made;
}

constexpr Operation kBind{orb::kBindPriorityBand.data(), orb::kBindPriorityBand.size(), false, nullptr, 0};

/// _bind_priority_band: a request with the service context RTCorbaPriorityRange.
class BindRequest final : public orb::RequestObserver {
 public:
  explicit BindRequest(const giop::PriorityRange& range)
      : contexts_{{giop::context_id::kRtPriorityRange, giop::encode_priority_range(range)}} {}
  std::span<const orb::OwnedServiceContext> request_contexts() const noexcept override { return contexts_; }
  void reply_received(const giop::ReplyHeader&) override {}
  void forwarded(const giop::Ior&) override {}

 private:
  const std::vector<orb::OwnedServiceContext> contexts_;
};

}  // namespace

Bands& Bands::none() {
  static Bands& instance = *new Bands({});
  return instance;
}

Bands& Bands::of(const Reference& target) {
  std::vector<giop::PriorityRange> own, published;
  if (const auto policy = IDL::traits<RTCORBA::PriorityBandedConnectionPolicy>::narrow(
          target.policies().find(RTCORBA::PRIORITY_BANDED_CONNECTION_POLICY_TYPE)))
    own = to_ranges(policy->priority_bands());
  if (const auto value =
          realtime::published_policy(target.ior(), RTCORBA::PRIORITY_BANDED_CONNECTION_POLICY_TYPE))
    published = giop::decode_priority_bands(*value).value_or(std::vector<giop::PriorityRange>());
  if (own.empty() && published.empty()) return none();
  if (!own.empty() && !published.empty())
    raise_not_reconciled("the reference has a PriorityBandedConnectionPolicy of its server");
  if (!realtime::published_policy(target.ior(), RTCORBA::PRIORITY_MODEL_POLICY_TYPE))
    raise_not_reconciled("a PriorityBandedConnectionPolicy needs a reference with a priority model");
  return *new Bands(own.empty() ? std::move(published) : std::move(own));
}

Bands::Bands(std::vector<giop::PriorityRange> ranges) {
  for (const giop::PriorityRange& range : ranges) bands_.emplace_back(range);
}

void Bands::release() noexcept {
  if (!bands_.empty()) delete this;
}

Reference& Bands::reference_of(Reference& target) {
  const auto& endpoints = target.endpoints();
  const bool is_declared = !endpoints.empty() && endpoints.front().server_priority != giop::kNoPriority;
  const std::int16_t priority = is_declared ? endpoints.front().server_priority : calling_priority();
  const auto band = std::find_if(bands_.begin(), bands_.end(),
                                 [&](const Band& each) { return each.range.contains(priority); });
  if (band == bands_.end()) {
    throw CORBA::NO_RESOURCES(
        minor::kNoBand, CompletionStatus::COMPLETED_NO,
        priority == giop::kNoPriority
            ? "the calling thread has no priority, which would select its band"
            : "no band of the reference contains the priority " + std::to_string(priority));
  }
  const std::lock_guard lock(mutex_);
  if (!band->reference) band->reference = make_reference(target, band->range);
  return *band->reference;
}

Reference& Bands::select(Reference& target) {
  if (bands_.empty()) return target;
  Reference& reference = reference_of(target);
  reference.bands()->announce(reference);
  return reference;
}

void Bands::reconnect(Reference& target) {
  if (bands_.empty()) return;
  Reference& reference = reference_of(target);
  reference.follow_kept_forward();
  const orb::CallScope scope;
  if (!reference.is_collocated()) static_cast<void>(reference.binding(orb::send_deadline(reference)));
}

bool BandOfReference::is_announced(const Reference& reference) const noexcept {
  const Binding* const now = reference.usable_binding();
  // B1: pairs with B2.
  return now != nullptr && announced_over_.load(std::memory_order_acquire) == now->number;
}

/// True also while this thread waits for the reply, and executes another call meanwhile.
bool BandOfReference::is_announced(const Reference& reference, const Binding& binding) const noexcept {
  return announced_over_.load(std::memory_order_acquire) == binding.number || reference.is_collocated() ||
         announcer_.load(std::memory_order_relaxed) == std::this_thread::get_id() ||
         would_deadlock(reference);
}

void BandOfReference::announce(Reference& reference) {
  if (reference.is_collocated()) return;  // the same threads serve all of its connections
  const orb::CallScope scope;             // for the bindings
  if (is_announced(reference)) return;
  // A call that this thread executes while it waits for the reply.
  if (announcer_.load(std::memory_order_relaxed) == std::this_thread::get_id()) return;
  if (would_deadlock(reference)) return;
  if (!announcing_.lock(orb::send_deadline(reference))) raise_not_bound_in_time();
  const struct Unlock {
    BandOfReference& band;
    ~Unlock() {
      band.announcer_.store({}, std::memory_order_relaxed);
      band.announcing_.unlock();
    }
  } unlock{*this};
  if (is_announced(reference)) return;  // by another thread
  announcer_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  BindRequest request(range_);
  const Binding* const before = reference.usable_binding();
  try {
    orb::ClientCall call(reference, kBind, 0, {}, {}, reference.core().call_deadline());
    call.observe(request);
    call.stay_on_connection();  // the server raises the thread of the connection
    call.complete();
  } catch (const CORBA::BAD_OPERATION&) {  // TAO
  } catch (const CORBA::NO_IMPLEMENT&) {
  }
  // If the connection was lost meanwhile, the call that follows finds that its own is another one.
  const Binding* const after = reference.usable_binding();
  if (after == nullptr || (before != nullptr && before != after)) return;
  // B2: after the reply; pairs with B1.
  announced_over_.store(after->number, std::memory_order_release);
}

std::vector<CORBA::object_reference<Reference>> Bands::references() {
  std::vector<CORBA::object_reference<Reference>> all;
  const std::lock_guard lock(mutex_);
  for (const Band& band : bands_) {
    if (band.reference) all.push_back(band.reference);
  }
  return all;
}

const char* reason_against(const RTCORBA::PriorityBands& bands) {
  if (bands.empty()) return "there is none";
  for (std::size_t i = 0; i < bands.size(); ++i) {
    if (bands[i].low() < RTCORBA::minPriority || bands[i].low() > bands[i].high())
      return "a band contains no priority from 0 to 32767";
    for (std::size_t j = 0; j < i; ++j) {
      if (bands[i].low() <= bands[j].high() && bands[j].low() <= bands[i].high()) return "two bands overlap";
    }
  }
  return nullptr;
}

std::vector<giop::PriorityRange> to_ranges(const RTCORBA::PriorityBands& bands) {
  std::vector<giop::PriorityRange> ranges;
  for (const RTCORBA::PriorityBand& band : bands) ranges.push_back({band.low(), band.high()});
  return ranges;
}

std::int16_t calling_priority() noexcept {
  const std::int16_t priority = thread_priority();
  return priority != giop::kNoPriority ? priority : implied_priority();
}

}  // namespace orbweaver::realtime
