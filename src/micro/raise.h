#pragma once

#include <orbweaver/exception.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "orb/minor_codes.h"

/// System exceptions of the micro library. Its functions raise them where the failure is found: the
/// destructors of Result take a tenth of the library.
namespace orbweaver::micro {

/// The standard system exceptions, in the order of exception.h.
enum class Kind : std::uint8_t {
#define ORBWEAVER_KIND(NAME) NAME,
  ORBWEAVER_SYSTEM_EXCEPTIONS(ORBWEAVER_KIND)
#undef ORBWEAVER_KIND
};

/// Raises the exception `kind`.
[[noreturn, gnu::cold]] void raise(Kind kind, std::uint32_t minor, CORBA::CompletionStatus completed,
                                   std::string detail);
/// As above, with COMPLETED_NO.
[[noreturn, gnu::cold]] void raise(Kind kind, std::uint32_t minor, const char* detail);
[[noreturn, gnu::cold]] void raise(Kind kind, std::uint32_t minor, std::string detail);
/// Raises the exception with this repository id, as received in a reply; UNKNOWN if it is not a standard one.
[[noreturn, gnu::cold]] void raise_received(std::string_view repository_id, std::uint32_t minor,
                                            CORBA::CompletionStatus completed, std::string detail);

}  // namespace orbweaver::micro
