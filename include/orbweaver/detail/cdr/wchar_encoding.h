#pragma once

#include <cstdint>

namespace orbweaver::cdr {

/// Encoding of wide characters, by the version of the GIOP message (CORBA 3.3 part 2, 9.3.1.6 and 9.3.2.7).
/// Encapsulations within a message have its encoding; all other CDR has that of GIOP 1.2.
enum class WcharEncoding : std::uint8_t {
  giop_1_2,         ///< A length in octets, and big-endian UTF-16 without a byte-order mark or a NUL.
  giop_1_1,         ///< UTF-16 in units of two aligned octets in the message's byte order. The length of a
                    ///< string counts units and the terminating NUL.
  none_in_request,  ///< A request of GIOP 1.0, which does not support wide characters.
  none_in_reply,    ///< A reply of GIOP 1.0.
};

}  // namespace orbweaver::cdr
