#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "transport/transport.h"

/// Omission of a frame prefix that repeats, such as the request header of repeated calls. The writer
/// announces the octets that a frame has in common with an earlier one; both ends of a ring keep them, and
/// frames that begin with them are sent without them. A small call then takes one cache line; its header
/// alone would fill that, and a second one would be transferred.
namespace orbweaver::transport::shm {

/// Octets of a prefix that are always sent: in GIOP the message size and the request id.
inline constexpr std::size_t kVaryingOffset = 8;
inline constexpr std::size_t kVaryingBytes = 8;

/// Maximum lengths of a cached prefix and of a frame sent without it, which the reader assembles by a copy.
inline constexpr std::size_t kMaxPrefixBytes = 192;
inline constexpr std::size_t kMaxPrefixedFrameBytes = 512;

/// Returns how many of the first `bytes` octets can be omitted: a multiple of 8; 0 if the prefix is too short
/// to save space.
inline std::size_t cacheable_prefix_bytes(std::size_t bytes) noexcept {
  bytes = std::min(bytes, kMaxPrefixBytes) & ~std::size_t{7};
  return bytes > 2 * (kVaryingOffset + kVaryingBytes) ? bytes : 0;
}

/// The writer's half: finds the octets that frames begin with. Used by one thread at a time.
class PrefixDetector {
 public:
  /// Whether a frame is short enough to be sent without its prefix, and longer than what that saves.
  static bool may_omit(std::size_t bytes) noexcept {
    return bytes > 2 * (kVaryingOffset + kVaryingBytes) && bytes <= kMaxPrefixedFrameBytes;
  }
  /// pre: may_omit(bytes). Returns the length of the announced prefix if the frame begins with it, else 0.
  std::size_t announced_prefix_of(const std::uint8_t* frame, std::size_t bytes) noexcept {
    constexpr std::size_t kRest = kVaryingOffset + kVaryingBytes;
    if (announced_ == 0 || bytes < announced_ || std::memcmp(frame, previous_, kVaryingOffset) != 0 ||
        std::memcmp(frame + kRest, previous_ + kRest, announced_ - kRest) != 0) {
      return 0;
    }
    const std::size_t prefix_bytes = announced_;
    // Forgotten from time to time: the frames may have more in common by now.
    if (++omissions_ == kMaxOmissions) [[unlikely]]
      forget();
    return prefix_bytes;
  }
  /// pre: may_omit(bytes). For a frame that is sent with its prefix: returns how many of its first octets the
  /// reader is to store, those that it has in common with the frame before; 0: too few.
  std::size_t announce(const std::uint8_t* frame, std::size_t bytes) noexcept;

 private:
  static constexpr std::uint32_t kMaxOmissions = 1024;
  void forget() noexcept { announced_ = previous_bytes_ = omissions_ = 0; }

  std::size_t announced_ = 0;       // bytes of `previous_` that the reader has stored
  std::size_t previous_bytes_ = 0;  // bytes of `previous_` that a frame began with; a multiple of 8
  std::uint32_t omissions_ = 0;
  alignas(64) std::uint8_t previous_[kMaxPrefixBytes];
};

/// The reader's cached prefix. Used by one thread at a time.
class PrefixCache {
 public:
  /// Caches the first `bytes` (a result of `cacheable_prefix_bytes`) of a frame.
  void store(const std::uint8_t* frame, std::size_t bytes) noexcept {
    std::memcpy(frame_, frame, bytes);
    bytes_ = static_cast<std::uint32_t>(bytes);
  }
  /// Returns the complete frame of a piece sent without its prefix, valid until the next call; empty if the
  /// piece is malformed.
  Bytes expand(Bytes piece) noexcept {
    if (bytes_ == 0 || piece.size() < kVaryingBytes || piece.size() > kMaxPrefixedFrameBytes) return {};
    std::memcpy(frame_ + kVaryingOffset, piece.data(), kVaryingBytes);
    const std::size_t suffix = piece.size() - kVaryingBytes;
    if (suffix != 0) std::memcpy(frame_ + bytes_, piece.data() + kVaryingBytes, suffix);
    return {frame_, bytes_ + suffix};
  }

 private:
  alignas(64) std::uint8_t frame_[kMaxPrefixBytes + kMaxPrefixedFrameBytes];
  std::uint32_t bytes_ = 0;  ///< of the prefix, at the beginning of `frame_`; 0: none
};

}  // namespace orbweaver::transport::shm
