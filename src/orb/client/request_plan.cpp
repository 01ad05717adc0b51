#include "orb/client/request_plan.h"

#include <algorithm>
#include <string_view>

#include "orb/reference/reference.h"

namespace orbweaver::orb {

RequestPlan make_request_plan(const Endpoint& endpoint, const Operation& operation, giop::Body body,
                              std::size_t max_fragment_bytes) {
  const std::uint8_t flags = default_response_flags(operation);
  const std::string_view name{operation.name, operation.name_bytes};
  RequestPlan plan;
  plan.header = endpoint.target.addressing == giop::AddressingDisposition::key
                    ? giop::RequestTemplate(endpoint.version, flags, endpoint.object_key, name, {}, body)
                    : giop::RequestTemplate(flags, endpoint.target, name, body);
  plan.code_sets_bytes = endpoint.code_sets.empty() ? 0 : 32 + endpoint.code_sets.size();
  if (!plan.header.has_leading_id() || !endpoint.transport->traits().reliable) return plan;
  const std::size_t header_bytes = plan.header.size() + plan.code_sets_bytes;
  const auto arguments_below = [&](std::size_t frame_bytes) {
    return frame_bytes < header_bytes ? 0 : frame_bytes - header_bytes + 1;
  };
  plan.plain_below = std::min(kMinBlockViewBytes, kMinGatherBytes);
  if (max_fragment_bytes != 0)
    plan.plain_below = std::min(plan.plain_below, arguments_below(max_fragment_bytes));
  plan.small_below = std::min(plan.plain_below, arguments_below(kSmallRequestBytes));
  return plan;
}

}  // namespace orbweaver::orb
