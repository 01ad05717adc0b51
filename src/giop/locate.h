#pragma once

#include <cstdint>

#include "giop/message.h"
#include "giop/request.h"

namespace orbweaver::giop {

/// "Is this object there?" (CORBA 3.3 part 2, 9.4.5).
struct LocateRequest {
  std::uint32_t request_id = 0;
  Target target;
};

/// CORBA 3.3 part 2, 9.4.6. The last three exist in GIOP 1.2 only.
enum class LocateStatus : std::uint32_t {
  unknown_object = 0,
  object_here = 1,
  object_forward = 2,         ///< Body: an IOR.
  object_forward_perm = 3,    ///< Body: an IOR.
  system_exception = 4,       ///< Body: SystemException.
  needs_addressing_mode = 5,  ///< Body: Addressing.
};

struct LocateReply {
  std::uint32_t request_id = 0;
  LocateStatus status = LocateStatus::unknown_object;
};

/// Both leave `in` behind what they read, a locate reply at its body, which is not aligned further.
/// False, with the fault in `in`, if it is malformed. Neither allocates.
bool decode_locate_request(cdr::Decoder& in, Version version, LocateRequest& request) noexcept;
bool decode_locate_reply(cdr::Decoder& in, Version version, LocateReply& reply) noexcept;

inline std::size_t locate_request_bound(Bytes object_key) noexcept {
  return kHeaderBytes + 16 + object_key.size();
}
inline constexpr std::size_t kLocateReplyBytes = kHeaderBytes + 8;

/// A whole message but for `finish_message`.
void encode_locate_request(cdr::Encoder& out, Version version, std::uint32_t request_id, Bytes object_key);
/// The same in GIOP 1.2, where the target is not addressed by key.
inline std::size_t locate_request_bound(const TargetAddress& target) noexcept { return kHeaderBytes + 8 + target.value.size(); }
void encode_locate_request(cdr::Encoder& out, std::uint32_t request_id, const TargetAddress& target);
/// Encode the body next, where the status has one, then `finish_message`.
void encode_locate_reply(cdr::Encoder& out, Version version, const LocateReply& reply);

}  // namespace orbweaver::giop
