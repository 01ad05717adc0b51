#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "giop/message.h"
#include "giop/service_context.h"

namespace orbweaver::giop {

/// How a GIOP 1.2 request names its target (CORBA 3.3 part 2, 9.4.2.1). Earlier versions: always `key`.
enum class Addressing : std::uint16_t {
  key = 0,
  profile = 1,
  reference = 2,
};

/// The target of a GIOP 1.2 request or locate request as it is sent: `value` is what follows the discriminator, as if it
/// began a message: the octets of the key, a whole TaggedProfile, or a whole IORAddressingInfo.
struct TargetAddress {
  Addressing addressing = Addressing::key;
  std::vector<std::uint8_t> value;
};
struct Ior;
/// Of that profile of a reference, named by itself or as part of the reference. Not for Addressing::key.
TargetAddress address_of(const Ior& ior, std::uint32_t profile, Addressing addressing);

/// The target of a request or of a locate request. The key is an opaque view into the message.
struct Target {
  Addressing addressing = Addressing::key;
  /// The target was named by a profile in which no key could be found: answer with
  /// ReplyStatus::needs_addressing_mode (or its locate counterpart), asking for Addressing::key.
  bool needs_key = false;
  Bytes object_key;
};

/// When the peer wants a reply (CORBA 3.3 part 2, 9.4.2.1 and 22.2.2.1 on SyncScope).
namespace response {
inline constexpr std::uint8_t kNone = 0;        ///< SYNC_NONE, SYNC_WITH_TRANSPORT
inline constexpr std::uint8_t kWithServer = 1;  ///< SYNC_WITH_SERVER: reply before the servant is called
inline constexpr std::uint8_t kWithTarget = 3;  ///< SYNC_WITH_TARGET and two-way
}  // namespace response

struct RequestHeader {
  std::uint32_t request_id = 0;
  std::uint8_t response_flags = response::kWithTarget;
  Target target;
  std::string_view operation;
  ServiceContexts contexts;

  bool response_expected() const noexcept { return (response_flags & 1) != 0; }
};

/// Reads a request's header from `open_body(...)` and leaves `in` at the arguments: aligned to 8 in
/// GIOP 1.2 where any follow. False, with the fault in `in`, if it is malformed. Never allocates.
bool decode_request(cdr::Decoder& in, Version version, RequestHeader& header) noexcept;

/// No fewer bytes than message header, request header and padding take.
inline std::size_t request_bound(Bytes object_key, std::string_view operation,
                                 std::span<const ServiceContext> contexts = {}) noexcept {
  return kHeaderBytes + 48 + object_key.size() + operation.size() +
         (contexts.empty() ? 4 : contexts_bound(contexts));
}

/// Begins a request: message header, request header and, where a body follows, its padding. Encode the
/// arguments next, then `finish_message`. The target is addressed by key.
void encode_request(cdr::Encoder& out, Version version, std::uint32_t request_id, std::uint8_t response_flags,
                    Bytes object_key, std::string_view operation, std::span<const ServiceContext> contexts,
                    Body body);

/// The same in GIOP 1.2, where the target is not addressed by key.
void encode_request(cdr::Encoder& out, std::uint32_t request_id, std::uint8_t response_flags, const TargetAddress& target,
                    std::string_view operation, std::span<const ServiceContext> contexts, Body body);

/// The beginning of every request to one object and operation, encoded once: sending is then a copy and
/// four bytes patched. Made for references that are called often; immutable, so that threads may share it.
class RequestTemplate {
 public:
  RequestTemplate() = default;
  RequestTemplate(Version version, std::uint8_t response_flags, Bytes object_key, std::string_view operation,
                  std::span<const ServiceContext> contexts, Body body);
  RequestTemplate(std::uint8_t response_flags, const TargetAddress& target, std::string_view operation, Body body);

  bool empty() const noexcept { return bytes_.empty(); }
  /// Exactly what `encode` writes.
  std::size_t size() const noexcept { return bytes_.size(); }
  /// Nothing else begins with the number; 0 where a request's id is not where it always is from GIOP 1.2 on, in octets
  /// 12 to 15.
  std::uint64_t number() const noexcept { return number_; }
  Bytes octets() const noexcept { return bytes_; }
  /// As `encode`, where `octets` are at the start of `out` already, and `number` is not 0.
  void encode_rest(cdr::Encoder& out, std::uint32_t request_id) const noexcept {
    out.take(bytes_.size());
    out.patch_ulong(kHeaderBytes, request_id);
  }
  /// As encode_request, at the start of `out`.
  void encode(cdr::Encoder& out, std::uint32_t request_id) const {
    out.wide_form(wide_form_);
    out.put_bytes(bytes_.data(), bytes_.size());
    out.patch_ulong(id_at_, request_id);
  }

 private:
  void end(cdr::Encoder& out);

  std::vector<std::uint8_t> bytes_;
  std::size_t id_at_ = 0;
  std::uint64_t number_ = 0;
  cdr::WideForm wide_form_ = cdr::WideForm::giop_1_2;
};

/// The discriminator and the value.
void encode_target(cdr::Encoder& out, const TargetAddress& target);
/// Reads a GIOP 1.2 TargetAddress. False, with the fault in `in`, if it is malformed.
bool decode_target(cdr::Decoder& in, Target& target) noexcept;

}  // namespace orbweaver::giop
