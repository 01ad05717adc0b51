#pragma once

#include <array>
#include <cstdint>

#include "giop/message.h"

/// GIOP messages without a body, or with a request id only, encoded completely.
namespace orbweaver::giop {

/// CancelRequest: the client no longer waits for the reply (CORBA 3.3 part 2, 9.4.4). The server may still
/// send it.
std::array<std::uint8_t, 16> cancel_request(Version version, std::uint32_t request_id) noexcept;
/// Reads the body of a CancelRequest. False, with the fault in `in`, if it is malformed.
bool decode_cancel_request(cdr::Decoder& in, std::uint32_t& request_id) noexcept;

/// CloseConnection (9.4.7): requests without a reply have not been served and may be sent again on a new
/// connection.
std::array<std::uint8_t, kHeaderBytes> close_connection(Version version) noexcept;
/// MessageError (9.4.8): a message was malformed. `version` is the highest version that this end supports.
std::array<std::uint8_t, kHeaderBytes> message_error(Version version) noexcept;

}  // namespace orbweaver::giop
