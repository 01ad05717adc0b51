#pragma once

#include <orbweaver/skeleton.h>

#include <array>
#include <cstring>

#include "giop/request.h"
#include "orb/object_finder.h"
#include "transport/transport.h"

namespace orbweaver::orb {

/// The way of a request through this process, so that the next one like it need not look for it.
struct Way {
  Route route;
  ServerCall::Remembered operation;
};

/// The header of the last request of a connection. A client that calls an operation again sends the same
/// bytes, but for the message's size and the request's id: one comparison then replaces the decoding.
/// Only plain headers are remembered: GIOP 1.2, this machine's byte order, whole, without contexts.
class KnownRequest {
 public:
  /// Does `message` begin with the known header? Then that, valid until the next call of this or `remember`, with views
  /// that live as long; null if not. Never reads what it compares a second time. `known`: what the channel knows of
  /// the message; what it has found to be the same is not compared.
  const giop::RequestHeader* match(Bytes message, const transport::Channel::Known& known) noexcept {
    if (length_ == 0 || message.size() < length_ || (message.size() > length_) != has_body_) return nullptr;
    std::uint32_t size_and_id[2];
    std::memcpy(size_and_id, message.data() + kSizeAt, sizeof size_and_id);
    if (size_and_id[0] != message.size() - giop::kHeaderBytes) return nullptr;
    if (known.head == 0 || known.head != head_ || known.bytes < length_) {
      if (std::memcmp(message.data(), bytes_.data(), kSizeAt) != 0 ||
          std::memcmp(message.data() + kRestAt, bytes_.data() + kRestAt, length_ - kRestAt) != 0) {
        return nullptr;
      }
      head_ = known.head;
    }
    header_.request_id = size_and_id[1];
    return &header_;
  }
  /// Where the arguments of what matches begin.
  std::size_t arguments() const noexcept { return length_; }
  /// Where such a request went. What is kept there is of this header only.
  Way& way() noexcept { return way_; }

  /// Remembers a header that was decoded: `arguments` is where it ended.
  void remember(Bytes message, const giop::MessageHeader& message_header, const giop::RequestHeader& header,
                std::size_t arguments) noexcept {
    length_ = 0;
    head_ = 0;
    way_ = {};
    if (message_header.version != giop::kGiop12 || message_header.swaps() || message_header.more_fragments ||
        !header.contexts.empty() || header.target.needs_key || header.target.addressing != giop::Addressing::key ||
        arguments > bytes_.size() || message_header.message_bytes() != message.size()) {
      return;
    }
    std::memcpy(bytes_.data(), message.data(), arguments);
    // Decoded anew from the copy: the views have to point into it, and the message may have changed since.
    cdr::Decoder in(bytes_.data(), arguments, false);
    in.skip(giop::kHeaderBytes);
    if (!giop::decode_request(in, giop::kGiop12, header_)) return;
    length_ = arguments;
    has_body_ = message.size() > arguments;
  }

 private:
  static constexpr std::size_t kSizeAt = 8;
  static constexpr std::size_t kRestAt = 16;

  alignas(16) std::array<std::uint8_t, 192> bytes_{};
  std::size_t length_ = 0;  // 0: nothing is known
  bool has_body_ = false;
  std::uint32_t head_ = 0;  // the channel's number of a head that `bytes_` begins with; 0: of none
  giop::RequestHeader header_;
  Way way_;
};

}  // namespace orbweaver::orb
