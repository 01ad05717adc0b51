#pragma once

#include "base/result.h"
#include "orb/client/reply_table.h"

namespace orbweaver {
class Reference;
struct Binding;
}  // namespace orbweaver

namespace orbweaver::orb {

/// Locates the object with a LocateRequest and follows forwards, so that the reference is bound to the
/// object's server. Raises the system exceptions of a call, and OBJECT_NOT_EXIST if the server does not have
/// the object.
void locate(Reference& target);

/// Sends one LocateRequest and waits for the reply, which the caller releases.
Result<void> send_locate_request(const Binding& binding, transport::Deadline deadline, Reply& reply);

}  // namespace orbweaver::orb
