#include "giop/request.h"

#include "giop/encapsulation.h"
#include "giop/ior.h"

namespace orbweaver::giop {
namespace {

using cdr::Decoder;
using cdr::Encoder;
using cdr::Fault;

/// Sets the target's key from a profile, or `needs_key` if the profile has none.
void take_key(std::uint32_t tag, Bytes profile_data, Target& target) noexcept {
  target.needs_key = tag != profile_tag::kIiop || !find_object_key(profile_data, target.object_key);
}

/// Reads an IORAddressingInfo: the index of the selected profile, and the complete reference.
void decode_reference_target(Decoder& in, Target& target) noexcept {
  const auto selected = in.get<std::uint32_t>();
  in.get_string_view();
  const std::uint32_t n = in.get_length(8);
  if (in.ok() && selected >= n) in.fail(Fault::bad_reference);
  for (std::uint32_t i = 0; i < n && in.ok(); ++i) {
    const auto tag = in.get<std::uint32_t>();
    const Bytes data = get_octets(in);
    if (i == selected && in.ok()) take_key(tag, data, target);
  }
}

/// Reads the rare variants of a target of GIOP 1.2. Not inlined, to keep the fast path short.
[[gnu::noinline]] bool decode_profile_or_reference_target(Decoder& in, std::uint16_t addressing,
                                                          Target& target) noexcept {
  target.addressing = static_cast<AddressingDisposition>(addressing);
  if (target.addressing == AddressingDisposition::profile) {
    const auto tag = in.get<std::uint32_t>();
    const Bytes data = get_octets(in);
    if (in.ok()) take_key(tag, data, target);
  } else if (target.addressing == AddressingDisposition::reference) {
    decode_reference_target(in, target);
  } else {
    in.fail(Fault::bad_union);
  }
  return in.ok();
}

inline bool read_target(Decoder& in, Target& target) noexcept {
  target.needs_key = false;
  const auto addressing = in.get<std::uint16_t>();
  if (addressing != 0) return decode_profile_or_reference_target(in, addressing, target);
  target.addressing = AddressingDisposition::key;
  target.object_key = get_octets(in);
  return in.ok();
}

/// Reads a request header of GIOP 1.0 or 1.1: contexts first, the key as target, and a principal, which is
/// ignored.
bool decode_giop_1_0_request(Decoder& in, Version version, RequestHeader& header) noexcept {
  header.contexts.decode(in);
  header.request_id = in.get<std::uint32_t>();
  header.response_flags = in.get_boolean() ? response::kWithTarget : response::kNone;
  if (version == kGiop11) in.skip(3);
  header.target = {};
  header.target.object_key = get_octets(in);
  header.operation = in.get_string_view();
  get_octets(in);
  return in.ok();
}

/// Writes the headers of GIOP 1.0 or 1.1 and returns the offset of the request id.
std::size_t encode_giop_1_0_header(Encoder& out, Version version, std::uint32_t request_id,
                                   std::uint8_t response_flags, Bytes object_key, std::string_view operation,
                                   std::span<const ServiceContext> contexts) {
  begin_message(out, version, MessageType::request);
  encode_contexts(out, contexts);
  const std::size_t id_at = out.reserve_ulong();
  out.patch_ulong(id_at, request_id);
  const std::uint8_t expected[4] = {static_cast<std::uint8_t>(response_flags & 1), 0, 0, 0};
  out.put_bytes(expected, version == kGiop11 ? 4 : 1);
  put_octets(out, object_key);
  out.put_string(operation);
  out.put(std::uint32_t{0});  // no principal
  return id_at;
}

/// Writes the headers of GIOP 1.2 up to the count of the contexts, whose offsets are known, as one block.
void encode_giop_1_2_header(Encoder& out, std::uint32_t request_id, std::uint8_t response_flags,
                            Bytes object_key, std::string_view operation, std::size_t contexts) {
  constexpr std::size_t kKeyAt = 28;
  const std::size_t operation_at = round_up(kKeyAt + object_key.size(), 4);
  const std::size_t contexts_at = round_up(operation_at + 4 + operation.size() + 1, 4);
  std::uint8_t* const at = out.take(contexts_at + 4);
  if (at == nullptr) return;
  // Clears the words that end in padding before the fields in these words are written.
  write_word(at + operation_at - 4, 0);
  write_word(at + contexts_at - 4, 0);
  write_header(at, kGiop12, MessageType::request);
  write_word(at + 12, request_id);
  write_word(at + 16, pack_octets(response_flags, 0, 0, 0));
  write_word(at + 20, 0);  // AddressingDisposition::key
  write_word(at + 24, static_cast<std::uint32_t>(object_key.size()));
  if (!object_key.empty()) std::memcpy(at + kKeyAt, object_key.data(), object_key.size());
  write_word(at + operation_at, static_cast<std::uint32_t>(operation.size() + 1));
  if (!operation.empty()) std::memcpy(at + operation_at + 4, operation.data(), operation.size());
  at[operation_at + 4 + operation.size()] = 0;
  write_word(at + contexts_at, static_cast<std::uint32_t>(contexts));
}

/// Writes everything before the body and returns the offset of the request id.
std::size_t encode_header(Encoder& out, Version version, std::uint32_t request_id,
                          std::uint8_t response_flags, Bytes object_key, std::string_view operation,
                          std::span<const ServiceContext> contexts, Body body) {
  if (version < kGiop12) {
    return encode_giop_1_0_header(out, version, request_id, response_flags, object_key, operation, contexts);
  }
  encode_giop_1_2_header(out, request_id, response_flags, object_key, operation, contexts.size());
  encode_context_list(out, contexts);
  if (body == Body::follows) out.align(kBodyAlignment);
  return kHeaderBytes;
}

}  // namespace

bool decode_target(Decoder& in, Target& target) noexcept { return read_target(in, target); }

bool decode_request(Decoder& in, Version version, RequestHeader& header) noexcept {
  if (version < kGiop12) return decode_giop_1_0_request(in, version, header);
  header.request_id = in.get<std::uint32_t>();
  header.response_flags = in.get<std::uint8_t>();
  in.skip(3);
  read_target(in, header.target);
  header.operation = in.get_string_view();
  header.contexts.decode(in);
  if (in.remaining() != 0) in.align(kBodyAlignment);
  return in.ok();
}

void encode_request(Encoder& out, Version version, std::uint32_t request_id, std::uint8_t response_flags,
                    Bytes object_key, std::string_view operation, std::span<const ServiceContext> contexts,
                    Body body) {
  encode_header(out, version, request_id, response_flags, object_key, operation, contexts, body);
}

TargetAddress address_of(const Ior& ior, std::uint32_t profile, AddressingDisposition addressing) {
  TargetAddress target{addressing, {}};
  Encoder out(target.value);
  if (addressing == AddressingDisposition::reference) {
    out.put(profile);
    encode(out, ior);
  } else {
    out.put(ior.profiles[profile].tag);
    put_octets(out, ior.profiles[profile].data);
  }
  out.finish();
  return target;
}

/// Values are aligned to four octets, the largest alignment in them.
void encode_target(Encoder& out, const TargetAddress& target) {
  out.put(static_cast<std::uint16_t>(target.addressing));
  out.align(4);
  out.put_bytes(target.value.data(), target.value.size());
}

void encode_request(Encoder& out, std::uint32_t request_id, std::uint8_t response_flags,
                    const TargetAddress& target, std::string_view operation,
                    std::span<const ServiceContext> contexts, Body body) {
  begin_message(out, kGiop12, MessageType::request);
  out.put(request_id);
  const std::uint8_t flags[4] = {response_flags, 0, 0, 0};
  out.put_bytes(flags, sizeof flags);
  encode_target(out, target);
  out.put_string(operation);
  encode_contexts(out, contexts);
  if (body == Body::follows) out.align(kBodyAlignment);
}

RequestTemplate::RequestTemplate(Version version, std::uint8_t response_flags, Bytes object_key,
                                 std::string_view operation, std::span<const ServiceContext> contexts,
                                 Body body)
    : wchar_encoding_(giop::wchar_encoding(version, MessageType::request)) {
  Encoder out(bytes_);
  id_at_ = encode_header(out, version, 0, response_flags, object_key, operation, contexts, body);
  out.finish();
}

RequestTemplate::RequestTemplate(std::uint8_t response_flags, const TargetAddress& target,
                                 std::string_view operation, Body body) {
  Encoder out(bytes_);
  encode_request(out, 0, response_flags, target, operation, {}, body);
  id_at_ = kHeaderBytes;
  out.finish();
}

}  // namespace orbweaver::giop
