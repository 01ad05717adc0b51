#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <orbweaver/cdr/decoder.h>
#include <orbweaver/exception.h>

#include "base/result.h"

/// The edge at which Errors become CORBA exceptions.
namespace orbweaver::orb {

/// Raises the standard exception of that repository id; UNKNOWN for one that is not standard. The id and `said`, the
/// detail, are the peer's: both are escaped and bounded.
[[noreturn]] void raise_system(std::string_view repository_id, std::uint32_t minor, CORBA::CompletionStatus completed,
                               std::string_view said);

/// The arguments or results that `in` was to give did not decode: MARSHAL, with what and where.
[[noreturn]] void raise_marshal(const cdr::Decoder& in, const char* what, CORBA::CompletionStatus completed);
std::string describe(const cdr::Decoder& in, const char* what);

/// INTF_REPOS: there is no interface repository here.
[[noreturn]] void raise_no_repository();

/// What a failed connection amounts to. `sent`: part of the request may have left.
[[noreturn]] void raise_for(const Error& error, CORBA::CompletionStatus completed);

}  // namespace orbweaver::orb
