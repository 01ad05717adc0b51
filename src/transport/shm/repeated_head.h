#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"

/// What one frame after another begins with: the header of a request that is made again and again. Both ends of
/// a ring keep the last one that was announced, and it is left out of the frames that begin with it. A small call is
/// then one cache line, where its header alone would fill it, and the second line would be waited for.
namespace orbweaver::transport::shmem {

/// These octets of a frame are never left out: GIOP has the message's size and the request's id there.
inline constexpr std::size_t kVaryingAt = 8;
inline constexpr std::size_t kVaryingBytes = 8;

/// A head that would be left out is at most so long, and the frame, which is put together again by a copy.
inline constexpr std::size_t kMostHeadBytes = 192;
inline constexpr std::size_t kMostRepeatedBytes = 512;

/// One end's copy. One thread at a time.
class RepeatedHead {
 public:
  /// What can be kept of a head of so many bytes: whole words; 0 where that is not worth while.
  static std::size_t usable(std::size_t bytes) noexcept {
    bytes = std::min(bytes, kMostHeadBytes) & ~std::size_t{7};
    return bytes > 2 * (kVaryingAt + kVaryingBytes) ? bytes : 0;
  }

  /// Does the frame begin with the head that is kept, and is that so long?
  bool begins(const std::uint8_t* frame, std::size_t head_bytes) const noexcept {
    if (bytes_ != head_bytes || !same(frame, 0)) return false;
    for (std::size_t at = kVaryingAt + kVaryingBytes; at < head_bytes; at += 8) {
      if (!same(frame, at)) return false;
    }
    return true;
  }
  /// `bytes`: as `usable` gives them.
  void keep(const std::uint8_t* frame, std::size_t bytes) noexcept {
    std::memcpy(frame_, frame, bytes);
    bytes_ = bytes;
  }

  /// The writer's half: makes of a frame that `begins` with the head what is sent instead, in place, and returns
  /// where that begins: the octets that vary, and what follows the head.
  static std::uint8_t* leave_out(std::uint8_t* frame, std::size_t head_bytes) noexcept {
    std::uint8_t* const rest = frame + head_bytes - kVaryingBytes;
    std::memcpy(rest, frame + kVaryingAt, kVaryingBytes);
    return rest;
  }
  /// The reader's half: the whole frame, until the next call; empty where the piece cannot be one's rest.
  Bytes put_back(Bytes piece) noexcept {
    if (bytes_ == 0 || piece.size() < kVaryingBytes || piece.size() > kMostRepeatedBytes) return {};
    std::memcpy(frame_ + kVaryingAt, piece.data(), kVaryingBytes);
    const std::size_t rest = piece.size() - kVaryingBytes;
    std::memcpy(frame_ + bytes_, piece.data() + kVaryingBytes, rest);
    return {frame_, bytes_ + rest};
  }

 private:
  bool same(const std::uint8_t* frame, std::size_t at) const noexcept {
    return std::memcmp(frame_ + at, frame + at, 8) == 0;
  }

  alignas(64) std::uint8_t frame_[kMostHeadBytes + kMostRepeatedBytes];
  std::size_t bytes_ = 0;  ///< of the head, at the beginning of `frame_`; 0: none is kept
};

}  // namespace orbweaver::transport::shmem
