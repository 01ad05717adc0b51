#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "giop/message.h"
#include "giop/service_context.h"

namespace orbweaver::giop {

/// The kind of the target address of a GIOP 1.2 request (CORBA 3.3 part 2, 9.4.2.1). Earlier versions: always
/// `key`.
enum class AddressingDisposition : std::uint16_t {
  key = 0,
  profile = 1,
  reference = 2,
};

/// The encoded target of a GIOP 1.2 request or locate request. `value` follows the discriminator and is
/// aligned from offset 0: the octets of the key, a TaggedProfile, or an IORAddressingInfo.
struct TargetAddress {
  AddressingDisposition addressing = AddressingDisposition::key;
  std::vector<std::uint8_t> value;
};
struct Ior;
/// The target address for the profile with index `profile` of a reference: the profile itself, or the
/// reference with the index. Not for AddressingDisposition::key.
TargetAddress address_of(const Ior& ior, std::uint32_t profile, AddressingDisposition addressing);

/// The target of a received request or locate request. The key is a view into the message.
struct Target {
  AddressingDisposition addressing = AddressingDisposition::key;
  /// The target is a profile without a known key: reply with ReplyStatus::needs_addressing_mode (or its
  /// LocateStatus) and AddressingDisposition::key.
  bool needs_key = false;
  Bytes object_key;
};

/// Values of response_flags (CORBA 3.3 part 2, 9.4.2.1, and 22.2.2.1 on SyncScope).
namespace response {
inline constexpr std::uint8_t kNone = 0;        ///< SYNC_NONE, SYNC_WITH_TRANSPORT
inline constexpr std::uint8_t kWithServer = 1;  ///< SYNC_WITH_SERVER: reply before the servant is called
inline constexpr std::uint8_t kWithTarget = 3;  ///< SYNC_WITH_TARGET and two-way
}  // namespace response

/// The header of a Request (9.4.2).
struct RequestHeader {
  std::uint32_t request_id = 0;
  std::uint8_t response_flags = response::kWithTarget;
  Target target;
  std::string_view operation;
  ServiceContexts contexts;

  bool response_expected() const noexcept { return (response_flags & 1) != 0; }
};

/// Reads a request's header from `open_body(...)` and leaves `in` at the arguments: aligned to 8 in
/// GIOP 1.2 if any follow. False, with the fault in `in`, if it is malformed. Does not allocate.
bool decode_request(cdr::Decoder& in, Version version, RequestHeader& header) noexcept;

/// At least the number of bytes of message header, request header and padding.
inline std::size_t request_bound(Bytes object_key, std::string_view operation,
                                 std::span<const ServiceContext> contexts = {}) noexcept {
  return kHeaderBytes + 48 + object_key.size() + operation.size() +
         (contexts.empty() ? 4 : contexts_bound(contexts));
}

/// Starts a request whose target is addressed by key: message header, request header and, if a body follows,
/// padding. Encode the arguments next, then call `finish_message`.
void encode_request(cdr::Encoder& out, Version version, std::uint32_t request_id, std::uint8_t response_flags,
                    Bytes object_key, std::string_view operation, std::span<const ServiceContext> contexts,
                    Body body);

/// As encode_request above, in GIOP 1.2, for a target addressed by profile or reference.
void encode_request(cdr::Encoder& out, std::uint32_t request_id, std::uint8_t response_flags,
                    const TargetAddress& target, std::string_view operation,
                    std::span<const ServiceContext> contexts, Body body);

/// The headers of all requests to one object and operation, encoded once: a request copies them and sets the
/// request id. Used for references that are called often. Immutable: any thread.
class RequestTemplate {
 public:
  RequestTemplate() = default;
  RequestTemplate(Version version, std::uint8_t response_flags, Bytes object_key, std::string_view operation,
                  std::span<const ServiceContext> contexts, Body body);
  RequestTemplate(std::uint8_t response_flags, const TargetAddress& target, std::string_view operation,
                  Body body);

  bool empty() const noexcept { return bytes_.empty(); }
  /// The number of bytes that `encode` writes.
  std::size_t size() const noexcept { return bytes_.size(); }
  /// Whether the request id is in octets 12 to 15: from GIOP 1.2 on.
  bool has_leading_id() const noexcept { return id_at_ == kHeaderBytes; }
  Bytes octets() const noexcept { return bytes_; }
  /// Completes a message of `bytes` bytes in all that begins with `octets` of such a template.
  static void complete(std::uint8_t* message, std::size_t bytes, std::uint32_t request_id) noexcept {
    write_word(message + 8, static_cast<std::uint32_t>(bytes - kHeaderBytes));
    write_word(message + kHeaderBytes, request_id);
  }
  /// As encode_request. `out` must be empty.
  void encode(cdr::Encoder& out, std::uint32_t request_id) const {
    out.wchar_encoding(wchar_encoding_);
    out.put_bytes(bytes_.data(), bytes_.size());
    out.patch_ulong(id_at_, request_id);
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t id_at_ = 0;
  cdr::WcharEncoding wchar_encoding_ = cdr::WcharEncoding::giop_1_2;
};

/// Writes a GIOP 1.2 TargetAddress: the discriminator and the value.
void encode_target(cdr::Encoder& out, const TargetAddress& target);
/// Reads a GIOP 1.2 TargetAddress. False, with the fault in `in`, if it is malformed.
bool decode_target(cdr::Decoder& in, Target& target) noexcept;

}  // namespace orbweaver::giop
