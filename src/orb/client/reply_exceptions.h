#pragma once

#include <orbweaver/detail/operation.h>

#include "giop/reply.h"

namespace orbweaver::orb {

/// Maximum number of forwards, addressing requests and reconnects of one call or location.
inline constexpr int kMaxAttempts = 10;

/// Raises the exception in a reply of status user_exception to a call of `operation`; UNKNOWN if the
/// operation does not declare it. `members` is at the exception's repository id.
[[noreturn]] void raise_user_exception(const Operation& operation, cdr::Decoder& members);
/// Raises the exception in a reply of status system_exception.
[[noreturn]] void raise_system_exception(const giop::ReplyHeader& header, cdr::Decoder& body);
/// Raises MARSHAL: the header of a reply, or what follows it in a forward, is malformed.
[[noreturn]] void raise_reply_malformed(const cdr::Decoder& in);
/// Raises TRANSIENT: a call or a location has been forwarded kMaxAttempts times.
[[noreturn]] void raise_too_many_forwards();
/// Raises MARSHAL: the results of `operation` are malformed.
[[noreturn]] void raise_results_malformed(const Operation& operation, const cdr::Decoder& results);

}  // namespace orbweaver::orb
