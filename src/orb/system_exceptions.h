#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <orbweaver/detail/cdr/decoder.h>
#include <orbweaver/exception.h>

#include "base/result.h"

/// Conversion of Error to CORBA system exceptions.
namespace orbweaver::orb {

/// Raises the system exception of `repository_id`; UNKNOWN if it is not a standard one. `repository_id` and
/// the detail `said` are received from the peer: both are escaped and truncated.
[[noreturn]] void raise_system(std::string_view repository_id, std::uint32_t minor,
                               CORBA::CompletionStatus completed, std::string_view said);

/// Raises MARSHAL for arguments or results that `in` could not decode. `what` names them in the message.
[[noreturn]] void raise_marshal(const cdr::Decoder& in, const char* what, CORBA::CompletionStatus completed);
/// Describes the fault of `in`: what was decoded, the fault, and its offset.
std::string describe(const cdr::Decoder& in, const char* what);

/// Raises INTF_REPOS: this ORB has no interface repository.
[[noreturn]] void raise_no_repository();
/// Raises NO_MEMORY, COMPLETED_NO. Allocates the exception only. For handlers of std::bad_alloc.
[[noreturn]] void raise_no_memory();

/// Raises the system exception that corresponds to `error.kind`.
[[noreturn]] void raise_for(const Error& error, CORBA::CompletionStatus completed);

}  // namespace orbweaver::orb
