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
  bool never_waits =
      false;  ///< A one-way call is queued in the ORB if it cannot be sent at once (SYNC_NONE).
  bool raises_if_full = false;  ///< If that queue is full, it raises TRANSIENT; otherwise it is dropped.
  bool is_default = true;       ///< The response flags and the treatment of a full transport are the default.
};

/// Deadline of sending that begins now: by the policies of the reference, the calling thread and the ORB, the
/// first one first, and else by -ORBCallTimeout. Raises TIMEOUT if its end time has passed.
transport::Deadline send_deadline(Reference& target);

/// Applies the policies of the reference, the calling thread and the ORB, the first one first. Raises TIMEOUT
/// if the end time of the call has passed.
void apply_policies(Reference& target, const Operation& operation, CallOptions& options);

}  // namespace orbweaver::orb
