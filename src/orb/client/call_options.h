#pragma once

#include <orbweaver/detail/operation.h>

#include <cstdint>

#include "transport/transport.h"

namespace orbweaver {
class Reference;
}

namespace orbweaver::orb {

/// Deadlines and reply of one call, from its operation and the effective policies. Plain values.
struct CallOptions {
  transport::Deadline deadline;       ///< Of the whole call.
  transport::Deadline send_deadline;  ///< Of sending the request.
  std::uint8_t response_flags = 0;    ///< Of the request header, unless `is_default`.
  /// A reply is awaited: of every two-way call, of a one-way call if its policy requires one.
  bool expects_reply = true;
  bool drop_if_full = false;  ///< A one-way call is dropped if the queue is full (SYNC_NONE).
  bool is_default = true;     ///< The response flags and the treatment of a full queue are the default.
};

/// Applies the policies of the reference, the calling thread and the ORB, the first one first.
void apply_policies(Reference& target, const Operation& operation, CallOptions& options);

}  // namespace orbweaver::orb
