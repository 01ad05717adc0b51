#pragma once

#include <orbweaver/detail/skeleton.h>

#include <array>
#include <cstring>

#include "giop/request.h"
#include "orb/server/object_finder.h"

namespace orbweaver::orb {

/// Dispatch cache: object slot and operation entry used by the last request with this header.
struct DispatchCache : ServerCall::DispatchHint {
  ObjectSlotHint slot_hint;
};

/// Header of the last request of a connection. Repeated calls of an operation send the same header bytes
/// except for message size and request id: one comparison replaces the decoding. Only plain headers are
/// cached: GIOP 1.2, this machine's byte order, unfragmented, without service contexts.
class RequestHeaderCache {
 public:
  /// Returns the header if `message` begins with the cached one, else null. It is valid until the next call
  /// of this or `store`, as are its views. Each compared byte is read once.
  const giop::RequestHeader* match(Bytes message) noexcept {
    if (length_ == 0 || message.size() < length_ || (message.size() > length_) != has_body_) return nullptr;
    std::uint32_t size_and_id[2];
    std::memcpy(size_and_id, message.data() + kSizeAt, sizeof size_and_id);
    if (size_and_id[0] != message.size() - giop::kHeaderBytes) return nullptr;
    if (std::memcmp(message.data(), bytes_.data(), kSizeAt) != 0 ||
        std::memcmp(message.data() + kRestAt, bytes_.data() + kRestAt, length_ - kRestAt) != 0) {
      return nullptr;
    }
    header_.request_id = size_and_id[1];
    return &header_;
  }
  /// Offset of the arguments in a message that matches.
  std::size_t arguments_offset() const noexcept { return length_; }
  /// Dispatch cache of requests with this header; cleared by `store`.
  DispatchCache& dispatch_cache() noexcept { return dispatch_cache_; }

  /// Caches a decoded header. `arguments_offset`: its end in `message`. A header that is not plain clears the
  /// cache.
  void store(Bytes message, const giop::MessageHeader& message_header, const giop::RequestHeader& header,
             std::size_t arguments_offset) noexcept {
    length_ = 0;
    dispatch_cache_ = {};
    if (message_header.version != giop::kGiop12 || message_header.swaps() || message_header.more_fragments ||
        !header.contexts.empty() || header.target.needs_key ||
        header.target.addressing != giop::AddressingDisposition::key || arguments_offset > bytes_.size() ||
        message_header.message_bytes() != message.size()) {
      return;
    }
    std::memcpy(bytes_.data(), message.data(), arguments_offset);
    // Decoded again from the copy: the views must refer to the copy, and the message, in shared memory, may
    // have changed since.
    cdr::Decoder in(bytes_.data(), arguments_offset, false);
    in.skip(giop::kHeaderBytes);
    if (!giop::decode_request(in, giop::kGiop12, header_)) return;
    length_ = arguments_offset;
    has_body_ = message.size() > arguments_offset;
  }

 private:
  static constexpr std::size_t kSizeAt = 8;
  static constexpr std::size_t kRestAt = 16;

  alignas(16) std::array<std::uint8_t, 192> bytes_{};
  std::size_t length_ = 0;  // 0: empty
  bool has_body_ = false;
  giop::RequestHeader header_;
  DispatchCache dispatch_cache_;
};

}  // namespace orbweaver::orb
