#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "platform/fd.h"

namespace orbweaver::transport::blocks {

/// Maximum number of grants of one region in use at once; further payloads are copied.
inline constexpr std::size_t kMaxGrants = 256;

/// Page shared by the exporter and the importer of a region. Invalid values of the importer affect only
/// grants made to it; those of the exporter cause spurious or missing notifications, and an early or missing
/// end of the region.
struct RegionWords {
  /// Every grant before this one was imported or never will be. Written by the importer.
  alignas(64) std::atomic<std::uint64_t> imported{0};
  /// Whether grant n, at index n % kMaxGrants, is still held. Written by the importer.
  alignas(64) std::array<std::atomic<std::uint32_t>, kMaxGrants> held{};
  /// 1: the exporter waits, and the next return signals the return event. Set by the exporter, cleared by the
  /// importer.
  alignas(64) std::atomic<std::uint32_t> notify_on_return{0};
  /// 1: the importer returns the blocks that it has forwarded as soon as they have been returned to it, and
  /// not with its next grant only. Written by the exporter.
  alignas(64) std::atomic<std::uint32_t> returns_wanted{0};
  /// 1: no further block is granted. Written by the exporter.
  std::atomic<std::uint32_t> ended{0};
};
static_assert(sizeof(RegionWords) <= 4096);

/// Peer events of a region, made by the exporter.
struct RegionEvents {
  platform::Fd returned;  ///< The importer has returned a block.
  platform::Fd changed;   ///< The exporter has set `returns_wanted` or `ended`.
};

}  // namespace orbweaver::transport::blocks
