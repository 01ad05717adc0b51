#include "giop/reply.h"

namespace orbweaver::giop {
namespace {

/// Reads a reply status; `last` is the last valid one, in GIOP 1.0 and 1.1 location_forward.
ReplyStatus take_status(cdr::Decoder& in, ReplyStatus last) noexcept {
  const std::uint32_t status = cdr::Decoder::read_once(in.get<std::uint32_t>());
  if (status > static_cast<std::uint32_t>(last)) in.fail(cdr::Fault::bad_enum);
  return in.ok() ? static_cast<ReplyStatus>(status) : ReplyStatus::no_exception;
}

}  // namespace

bool decode_reply(cdr::Decoder& in, Version version, ReplyHeader& header) noexcept {
  if (version < kGiop12) {
    header.contexts.decode(in);
    header.request_id = in.get<std::uint32_t>();
    header.status = take_status(in, ReplyStatus::location_forward);
    return in.ok();
  }
  header.request_id = in.get<std::uint32_t>();
  header.status = take_status(in, ReplyStatus::needs_addressing_mode);
  header.contexts.decode(in);
  if (in.remaining() != 0) in.align(kBodyAlignment);
  return in.ok();
}

void encode_reply(cdr::Encoder& out, Version version, std::uint32_t request_id, ReplyStatus status,
                  std::span<const ServiceContext> contexts, Body body) {
  if (version < kGiop12) {
    begin_message(out, version, MessageType::reply);
    encode_contexts(out, contexts);
    out.put(request_id);
    out.put(static_cast<std::uint32_t>(status));
    return;
  }
  std::uint8_t* const at = out.take(kHeaderBytes + 12);
  if (at == nullptr) return;
  write_header(at, version, MessageType::reply);
  write_word(at + 12, request_id);
  write_word(at + 16, static_cast<std::uint32_t>(status));
  write_word(at + 20, static_cast<std::uint32_t>(contexts.size()));
  if (contexts.empty()) return;  // the body is aligned already
  encode_context_list(out, contexts);
  if (body == Body::follows) out.align(kBodyAlignment);
}

void encode(cdr::Encoder& out, const SystemException& exception) {
  out.put_string(exception.repository_id);
  out.put(exception.minor);
  out.put(static_cast<std::uint32_t>(exception.completed));
}

bool decode(cdr::Decoder& in, SystemException& exception) noexcept {
  exception.repository_id = in.get_string_view();
  exception.minor = in.get<std::uint32_t>();
  const std::uint32_t completed = cdr::Decoder::read_once(in.get<std::uint32_t>());
  if (completed > static_cast<std::uint32_t>(Completed::maybe)) in.fail(cdr::Fault::bad_enum);
  exception.completed = in.ok() ? static_cast<Completed>(completed) : Completed::maybe;
  return in.ok();
}

void encode(cdr::Encoder& out, AddressingDisposition addressing) {
  out.put(static_cast<std::uint16_t>(addressing));
}

bool decode(cdr::Decoder& in, AddressingDisposition& addressing) noexcept {
  const auto value = in.get<std::uint16_t>();
  if (value > static_cast<std::uint16_t>(AddressingDisposition::reference)) in.fail(cdr::Fault::bad_enum);
  addressing = in.ok() ? static_cast<AddressingDisposition>(value) : AddressingDisposition::key;
  return in.ok();
}

}  // namespace orbweaver::giop
