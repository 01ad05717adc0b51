#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "transport/transport.h"

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

/// What can be left out of a frame that begins with so many octets known to both: whole words; 0 where that is not
/// worth while.
inline std::size_t usable_head(std::size_t bytes) noexcept {
  bytes = std::min(bytes, kMostHeadBytes) & ~std::size_t{7};
  return bytes > 2 * (kVaryingAt + kVaryingBytes) ? bytes : 0;
}

/// The reader's copy. One thread at a time.
class RepeatedHead {
 public:
  /// `bytes`: as `usable_head` gives them.
  void keep(const std::uint8_t* frame, std::size_t bytes) noexcept {
    std::memcpy(frame_, frame, bytes);
    bytes_ = static_cast<std::uint32_t>(bytes);
    if (++number_ == 0) number_ = 1;
  }
  /// The whole frame of which this was sent, until the next call; empty where it cannot be one's rest.
  Bytes put_back(Bytes piece) noexcept {
    if (bytes_ == 0 || piece.size() < kVaryingBytes || piece.size() > kMostRepeatedBytes) return {};
    std::memcpy(frame_ + kVaryingAt, piece.data(), kVaryingBytes);
    const std::size_t rest = piece.size() - kVaryingBytes;
    if (rest != 0) std::memcpy(frame_ + bytes_, piece.data() + kVaryingBytes, rest);
    return {frame_, bytes_ + rest};
  }
  /// The head of the frame that was kept from, or put back, last.
  Channel::Known known() const noexcept { return {number_, bytes_}; }

 private:
  alignas(64) std::uint8_t frame_[kMostHeadBytes + kMostRepeatedBytes];
  std::uint32_t number_ = 0;
  std::uint32_t bytes_ = 0;  ///< of the head, at the beginning of `frame_`; 0: none is kept
};

}  // namespace orbweaver::transport::shmem
