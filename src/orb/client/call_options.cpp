#include "orb/client/call_options.h"

#include <algorithm>

#include "giop/request.h"
#include "orb/core.h"

namespace orbweaver::orb {

namespace {

using transport::Deadline;

CallPolicies effective_policies(Reference& target) {
  const Core& core = target.core();
  return target.policies().call_policies().with_defaults(
      core.policy_current()->policies().call_policies().with_defaults(
          core.policy_manager()->call_policies()));
}

void apply_timeouts(const CallPolicies& policies, CallOptions& options) {
  const auto from_now = [](std::int64_t ns) { return ns == 0 ? Deadline::never() : Deadline::in_ns(ns); };
  if (policies.roundtrip_ns) options.deadline = from_now(*policies.roundtrip_ns);
  options.send_deadline = options.deadline;
  if (policies.request_ns)
    options.send_deadline.ns = std::min(options.send_deadline.ns, from_now(*policies.request_ns).ns);
}

}  // namespace

Deadline send_deadline(Reference& target) {
  CallOptions options;
  options.deadline = target.core().call_deadline();
  apply_timeouts(effective_policies(target), options);
  return options.send_deadline;
}

void apply_policies(Reference& target, const Operation& operation, CallOptions& options) {
  const CallPolicies policies = effective_policies(target);
  apply_timeouts(policies, options);
  if (!policies.scope || !operation.oneway) return;
  options.expects_reply = *policies.scope >= SyncScope::server;
  options.never_waits = *policies.scope == SyncScope::none;
  options.raises_if_full = policies.raises_if_full.value_or(false);
  options.is_default = *policies.scope == SyncScope::transport;
  if (options.expects_reply) {
    options.response_flags =
        *policies.scope == SyncScope::server ? giop::response::kWithServer : giop::response::kWithTarget;
  }
}

}  // namespace orbweaver::orb
