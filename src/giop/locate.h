#pragma once

#include <cstdint>

#include "giop/message.h"
#include "giop/request.h"

namespace orbweaver::giop {

/// The header of a LocateRequest (CORBA 3.3 part 2, 9.4.5).
struct LocateRequest {
  std::uint32_t request_id = 0;
  Target target;
};

/// The status of a LocateReply (CORBA 3.3 part 2, 9.4.6). The last three exist in GIOP 1.2 only.
enum class LocateStatus : std::uint32_t {
  unknown_object = 0,
  object_here = 1,
  object_forward = 2,         ///< Body: an IOR.
  object_forward_perm = 3,    ///< Body: an IOR.
  system_exception = 4,       ///< Body: SystemException.
  needs_addressing_mode = 5,  ///< Body: AddressingDisposition.
};

/// The header of a LocateReply.
struct LocateReply {
  std::uint32_t request_id = 0;
  LocateStatus status = LocateStatus::unknown_object;
};

/// Reads a LocateRequest from `open_body(...)`. False, with the fault in `in`, if it is malformed. Does not
/// allocate.
bool decode_locate_request(cdr::Decoder& in, Version version, LocateRequest& request) noexcept;
/// Reads the header of a LocateReply and leaves `in` at the body, which has no alignment of its own. False,
/// with the fault in `in`, if it is malformed. Does not allocate.
bool decode_locate_reply(cdr::Decoder& in, Version version, LocateReply& reply) noexcept;

/// At least the number of bytes of a LocateRequest with this key.
inline std::size_t locate_request_bound(Bytes object_key) noexcept {
  return kHeaderBytes + 16 + object_key.size();
}
/// The size of a LocateReply without a body.
inline constexpr std::size_t kLocateReplyBytes = kHeaderBytes + 8;

/// Encodes a LocateRequest by object key; then call `finish_message`.
void encode_locate_request(cdr::Encoder& out, Version version, std::uint32_t request_id, Bytes object_key);
/// As the functions above, in GIOP 1.2, for a target addressed by profile or reference.
inline std::size_t locate_request_bound(const TargetAddress& target) noexcept {
  return kHeaderBytes + 8 + target.value.size();
}
void encode_locate_request(cdr::Encoder& out, std::uint32_t request_id, const TargetAddress& target);
/// Encodes the header of a LocateReply. Encode the body next, if the status has one, then call
/// `finish_message`.
void encode_locate_reply(cdr::Encoder& out, Version version, const LocateReply& reply);

}  // namespace orbweaver::giop
