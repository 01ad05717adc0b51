#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "transport/transport.h"

/// Omission of a frame prefix that repeats, such as the request header of repeated calls. Both ends of a ring
/// keep the last announced prefix, and frames that begin with it are sent without it. A small call then takes
/// one cache line; its header alone would fill that, and a second one would be transferred.
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

/// The reader's cached prefix. Used by one thread at a time.
class PrefixCache {
 public:
  /// Caches the first `bytes` (a result of `cacheable_prefix_bytes`) of a frame.
  void store(const std::uint8_t* frame, std::size_t bytes) noexcept {
    std::memcpy(frame_, frame, bytes);
    bytes_ = static_cast<std::uint32_t>(bytes);
    if (++number_ == 0) number_ = 1;
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
  /// The prefix of the frame stored or expanded last.
  Channel::ReceivedPrefix received_prefix() const noexcept { return {number_, bytes_}; }

 private:
  alignas(64) std::uint8_t frame_[kMaxPrefixBytes + kMaxPrefixedFrameBytes];
  std::uint32_t number_ = 0;
  std::uint32_t bytes_ = 0;  ///< of the prefix, at the beginning of `frame_`; 0: none
};

}  // namespace orbweaver::transport::shm
