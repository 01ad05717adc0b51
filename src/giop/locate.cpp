#include "giop/locate.h"

#include "giop/encapsulation.h"

namespace orbweaver::giop {

bool decode_locate_request(cdr::Decoder& in, Version version, LocateRequest& request) noexcept {
  request.request_id = in.get<std::uint32_t>();
  request.target = {};
  if (version < kGiop12) {
    request.target.object_key = get_octets(in);
    return in.ok();
  }
  return decode_target(in, request.target);
}

bool decode_locate_reply(cdr::Decoder& in, Version version, LocateReply& reply) noexcept {
  const auto last = version < kGiop12 ? LocateStatus::object_forward : LocateStatus::needs_addressing_mode;
  reply.request_id = in.get<std::uint32_t>();
  const std::uint32_t status = cdr::Decoder::read_once(in.get<std::uint32_t>());
  if (status > static_cast<std::uint32_t>(last)) in.fail(cdr::Fault::bad_enum);
  reply.status = in.ok() ? static_cast<LocateStatus>(status) : LocateStatus::unknown_object;
  return in.ok();
}

void encode_locate_request(cdr::Encoder& out, Version version, std::uint32_t request_id, Bytes object_key) {
  begin_message(out, version, MessageType::locate_request);
  out.put(request_id);
  if (version >= kGiop12) out.put(static_cast<std::uint16_t>(AddressingDisposition::key));
  put_octets(out, object_key);
}

void encode_locate_request(cdr::Encoder& out, std::uint32_t request_id, const TargetAddress& target) {
  begin_message(out, kGiop12, MessageType::locate_request);
  out.put(request_id);
  encode_target(out, target);
}

void encode_locate_reply(cdr::Encoder& out, Version version, const LocateReply& reply) {
  begin_message(out, version, MessageType::locate_reply);
  out.put(reply.request_id);
  out.put(static_cast<std::uint32_t>(reply.status));
}

}  // namespace orbweaver::giop
