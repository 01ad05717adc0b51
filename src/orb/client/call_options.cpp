#include "orb/client/call_options.h"

#include <orbweaver/timebase.h>

#include <algorithm>

#include "giop/request.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/real_time.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {

namespace {

using transport::Deadline;

CallPolicies effective_policies(Reference& target) {
  const Core& core = target.core();
  return target.policies().call_policies().with_defaults(
      core.policy_current()->policies().call_policies().with_defaults(
          core.policy_manager()->call_policies()));
}

/// The deadline at the point in time `utc` (TimeBase::UtcT::time) by today's difference of the two clocks.
Deadline deadline_at(std::uint64_t utc) noexcept {
  constexpr std::int64_t kMaxUnits = INT64_MAX / 400;  // 730 years
  const auto now = static_cast<std::int64_t>(to_utc(std::chrono::system_clock::now()).time());
  const auto end = static_cast<std::int64_t>(std::min<std::uint64_t>(utc, INT64_MAX));
  return Deadline::in_ns(std::clamp(end - now, -kMaxUnits, kMaxUnits) * 100);
}

/// Raises TIMEOUT if the time of sending has already passed.
void apply_end_times(const CallPolicies& policies, CallOptions& options) {
  const auto end = [](const std::optional<std::uint64_t>& utc, Deadline& deadline) {
    if (utc) deadline.ns = std::min(deadline.ns, deadline_at(*utc).ns);
  };
  end(policies.reply_end, options.deadline);
  end(policies.reply_end, options.send_deadline);
  end(policies.request_end, options.send_deadline);
  if (options.send_deadline.passed())
    raise_for({ErrorKind::timed_out, "the end time of the call passed before it started"},
              CORBA::CompletionStatus::COMPLETED_NO);
}

void apply_timeouts(const CallPolicies& policies, CallOptions& options) {
  const auto from_now = [](std::int64_t ns) { return ns == 0 ? Deadline::never() : Deadline::in_ns(ns); };
  if (policies.roundtrip_ns) options.deadline = from_now(*policies.roundtrip_ns);
  options.send_deadline = options.deadline;
  if (policies.request_ns)
    options.send_deadline.ns = std::min(options.send_deadline.ns, from_now(*policies.request_ns).ns);
  if (policies.has_end_time()) apply_end_times(policies, options);
}

/// Raises REBIND if the connection is lost.
void keep_connection(Reference& target, const Operation& operation, CallOptions& options) {
  options.bound_to = target.usable_binding();
  if (options.bound_to == nullptr && target.current_binding() != nullptr) raise_not_reconnected({});
  options.is_default = false;
  options.response_flags = default_response_flags(operation);
}

void propagate_priority(RealTime& real_time, Reference& target, const Operation& operation,
                        CallOptions& options) {
  options.priority = real_time.priority_for(target);
  options.is_banded = target.bands() != nullptr && target.bands()->is_band();
  if (options.priority == giop::kNoPriority && !options.is_banded) return;
  options.is_default = false;
  options.response_flags = default_response_flags(operation);
}

}  // namespace

Reference& select_reference(Reference& target) {
  RealTime* const real_time = target.core().real_time();
  return real_time == nullptr ? target : real_time->select(target);
}

Deadline send_deadline(Reference& target) {
  CallOptions options;
  options.deadline = target.core().call_deadline();
  apply_timeouts(effective_policies(target), options);
  return options.send_deadline;
}

void apply_policies(Reference& target, const Operation& operation, CallOptions& options) {
  const CallPolicies policies = effective_policies(target);
  apply_timeouts(policies, options);
  options.rebind = policies.rebind.value_or(Rebind::transparent);
  if (options.rebind == Rebind::no_reconnect) keep_connection(target, operation, options);
  if (RealTime* const real_time = target.core().real_time())
    propagate_priority(*real_time, target, operation, options);
  if (!policies.scope || !operation.oneway) return;
  options.expects_reply = *policies.scope >= SyncScope::server;
  options.never_waits = *policies.scope == SyncScope::none;
  options.raises_if_full = policies.raises_if_full.value_or(false);
  options.is_default &= *policies.scope == SyncScope::transport;
  if (options.expects_reply) {
    options.response_flags =
        *policies.scope == SyncScope::server ? giop::response::kWithServer : giop::response::kWithTarget;
  }
}

void raise_forward_not_followed() {
  throw CORBA::REBIND(minor::kForwardNotFollowed, CORBA::CompletionStatus::COMPLETED_NO,
                      "the object has moved, and the RebindPolicy does not permit to follow it: call "
                      "_validate_connection");
}

void raise_not_reconnected(const std::string& why) {
  throw CORBA::REBIND(minor::kNotReconnected, CORBA::CompletionStatus::COMPLETED_NO,
                      "the connection is lost, and the RebindPolicy does not permit to open it again: call "
                      "_validate_connection" +
                          (why.empty() ? why : "; " + why));
}

}  // namespace orbweaver::orb
