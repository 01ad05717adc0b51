#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "giop/message.h"
#include "giop/request.h"
#include "giop/service_context.h"

namespace orbweaver::giop {

/// The status of a Reply (CORBA 3.3 part 2, 9.4.3.1). The last two exist in GIOP 1.2 only.
enum class ReplyStatus : std::uint32_t {
  no_exception = 0,           ///< Body: result, inout and out arguments.
  user_exception = 1,         ///< Body: the exception's repository id and members.
  system_exception = 2,       ///< Body: SystemException.
  location_forward = 3,       ///< Body: the IOR to use for this request.
  location_forward_perm = 4,  ///< Body: the IOR to use from now on.
  needs_addressing_mode = 5,  ///< Body: the AddressingDisposition to use.
};

/// The header of a Reply (9.4.3).
struct ReplyHeader {
  std::uint32_t request_id = 0;
  ReplyStatus status = ReplyStatus::no_exception;
  ServiceContexts contexts;
};

/// Reads a reply's header from `open_body(...)` and leaves `in` at the body: aligned to 8 in GIOP 1.2
/// if one follows. False, with the fault in `in`, if it is malformed. Does not allocate.
bool decode_reply(cdr::Decoder& in, Version version, ReplyHeader& header) noexcept;

/// At least the number of bytes of message header, reply header and padding.
inline std::size_t reply_bound(std::span<const ServiceContext> contexts = {}) noexcept {
  return kHeaderBytes + 20 + (contexts.empty() ? 4 : contexts_bound(contexts));
}

/// Starts a reply: message header, reply header and, if a body follows, padding. Encode the body next, then
/// call `finish_message`.
void encode_reply(cdr::Encoder& out, Version version, std::uint32_t request_id, ReplyStatus status,
                  std::span<const ServiceContext> contexts, Body body);

/// CORBA::CompletionStatus as it is encoded.
enum class Completed : std::uint32_t { yes = 0, no = 1, maybe = 2 };

/// The body of ReplyStatus::system_exception and LocateStatus::system_exception (9.4.3.2).
struct SystemException {
  std::string_view repository_id;  ///< "IDL:omg.org/CORBA/MARSHAL:1.0"
  std::uint32_t minor = 0;
  Completed completed = Completed::maybe;
};

inline std::size_t bound_of(const SystemException& exception) noexcept {
  return 3 + 4 + exception.repository_id.size() + 1 + 3 + 8;
}
void encode(cdr::Encoder& out, const SystemException& exception);
/// Decodes a system exception. `repository_id` is a view into the message. False, with the fault in `in`, if
/// it is malformed.
bool decode(cdr::Decoder& in, SystemException& exception) noexcept;

/// The body of needs_addressing_mode: a short.
void encode(cdr::Encoder& out, AddressingDisposition addressing);
bool decode(cdr::Decoder& in, AddressingDisposition& addressing) noexcept;

}  // namespace orbweaver::giop
