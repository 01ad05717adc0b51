#include "orb/client/call_options.h"

#include <algorithm>

#include "giop/request.h"
#include "orb/core.h"

namespace orbweaver::orb {

void apply_policies(Reference& target, const Operation& operation, CallOptions& options) {
  using transport::Deadline;
  const Core& core = target.core();
  const CallPolicies policies = target.policies().call_policies().with_defaults(
      core.policy_current()->policies().call_policies().with_defaults(
          core.policy_manager()->call_policies()));
  const auto from_now = [](std::int64_t ns) { return ns == 0 ? Deadline::never() : Deadline::in_ns(ns); };
  if (policies.roundtrip_ns) options.deadline = from_now(*policies.roundtrip_ns);
  options.send_deadline = options.deadline;
  if (policies.request_ns)
    options.send_deadline.ns = std::min(options.send_deadline.ns, from_now(*policies.request_ns).ns);
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
