#pragma once

#include <orbweaver/detail/operation.h>

#include <cstddef>

#include "giop/request.h"

namespace orbweaver {
struct Endpoint;
}

namespace orbweaver::orb {

/// Arguments of at least this size are gathered from the caller's memory: below, a copy costs less
/// (docs/bench.md).
inline constexpr std::size_t kMinGatherBytes = std::size_t{16} << 10;

/// Plain requests up to this size are encoded on the caller's stack and sent by Channel::send.
inline constexpr std::size_t kSmallRequestBytes = 512;

/// Properties of all requests of one operation over one binding. Immutable.
struct RequestPlan {
  giop::RequestTemplate header;
  /// Upper bound of the CodeSets context in the first request of a connection; 0: the server has no code
  /// sets.
  std::size_t code_sets_bytes = 0;
  /// Arguments below this size make a *plain* request: one frame in GIOP 1.2 over a reliable transport, into
  /// which all arguments are copied. 0: none are.
  std::size_t plain_below = 0;
  /// Arguments below this size make a plain request of at most kSmallRequestBytes.
  std::size_t small_below = 0;
};

/// Encodes the header of the requests of `operation`. `max_fragment_bytes`: -ORBTune fragment-bytes.
RequestPlan make_request_plan(const Endpoint& endpoint, const Operation& operation, giop::Body body,
                              std::size_t max_fragment_bytes);

/// Response flags of the headers in request plans.
constexpr std::uint8_t default_response_flags(const Operation& operation) noexcept {
  return operation.oneway ? giop::response::kNone : giop::response::kWithTarget;
}

}  // namespace orbweaver::orb
