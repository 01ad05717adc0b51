#pragma once

#include <array>
#include <cstdint>

#include "giop/message.h"

/// The messages without a body worth the name: ready to be sent as they are.
namespace orbweaver::giop {

/// "I no longer wait for the reply to this request" (CORBA 3.3 part 2, 9.4.4). The peer may answer all the
/// same.
std::array<std::uint8_t, 16> cancel_request(Version version, std::uint32_t request_id) noexcept;
/// False, with the fault in `in`, if it is malformed.
bool decode_cancel_request(cdr::Decoder& in, std::uint32_t& request_id) noexcept;

/// "I shall answer nothing that you sent since my last reply" (9.4.7): such requests may be sent again.
std::array<std::uint8_t, kHeaderBytes> close_connection(Version version) noexcept;
/// "That was no message" (9.4.8), in the highest version that the sender of this speaks.
std::array<std::uint8_t, kHeaderBytes> message_error(Version version) noexcept;

}  // namespace orbweaver::giop
