#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace orbweaver::transport::blocks {

/// Gifts of one link that are out at once; beyond that a payload is copied.
inline constexpr std::size_t kGifts = 256;

/// The page that giver and receiver of a link share. A receiver that writes nonsense keeps or loses what was given to
/// itself, and nothing else; a giver that does is told of returns in vain, or not.
struct LinkWords {
  /// Every gift before this one has been taken, or was never wanted. The receiver's.
  alignas(64) std::atomic<std::uint64_t> taken{0};
  /// Is gift n, at n % kGifts, still held? The receiver's.
  alignas(64) std::array<std::atomic<std::uint32_t>, kGifts> held{};
  /// The giver waits for a return: the next is to ring the bell, which is the lease. Set by the giver, cleared by
  /// the receiver.
  alignas(64) std::atomic<std::uint32_t> wanted{0};
};
static_assert(sizeof(LinkWords) <= 4096);

}  // namespace orbweaver::transport::blocks
