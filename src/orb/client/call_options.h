#pragma once

#include <orbweaver/detail/operation.h>

#include <cstdint>
#include <string>

#include "giop/priorities.h"
#include "orb/policy/call_policies.h"
#include "transport/transport.h"

namespace orbweaver {
struct Binding;
class Reference;
}  // namespace orbweaver

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
  Rebind rebind = Rebind::transparent;
  /// With Rebind::no_reconnect: the binding that the call found, which it does not replace; null: none.
  const Binding* bound_to = nullptr;
  std::int16_t priority = giop::kNoPriority;  ///< Propagated to servers with CLIENT_PROPAGATED.
  /// The reference is that of a band of Real-time CORBA, of which the server is told over each connection.
  bool is_banded = false;
  bool stays = false;      ///< Uses the connection of the reference, not an auxiliary one.
  bool is_default = true;  ///< The response flags and the treatment of a full transport are the default.
};

/// Deadline of sending that begins now: by the policies of the reference, the calling thread and the ORB, the
/// first one first, and else by -ORBCallTimeout. Raises TIMEOUT if its end time has passed.
transport::Deadline send_deadline(Reference& target);

/// Applies the policies of the reference, the calling thread and the ORB, the first one first. Raises TIMEOUT
/// if the end time of the call has passed, and REBIND if its connection is lost and may not be opened again.
void apply_policies(Reference& target, const Operation& operation, CallOptions& options);

/// Raises REBIND for a forward that may not be followed.
[[noreturn]] void raise_forward_not_followed();
/// Raises REBIND for a lost connection that may not be opened again; `why`: what is known of the loss, or
/// empty.
[[noreturn]] void raise_not_reconnected(const std::string& why);

}  // namespace orbweaver::orb
