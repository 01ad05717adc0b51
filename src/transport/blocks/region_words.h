#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace orbweaver::transport::blocks {

/// Maximum number of grants of one region in use at once; further payloads are copied.
inline constexpr std::size_t kMaxGrants = 256;

/// Page shared by the exporter and the importer of a region. Invalid values of the importer affect only
/// grants made to it; those of the exporter cause spurious or missing return notifications.
struct RegionWords {
  /// Every grant before this one was imported or never will be. Written by the importer.
  alignas(64) std::atomic<std::uint64_t> imported{0};
  /// Whether grant n, at index n % kMaxGrants, is still held. Written by the importer.
  alignas(64) std::array<std::atomic<std::uint32_t>, kMaxGrants> held{};
  /// 1: the exporter waits, and the next return sends a byte over the notification socket. Set by the
  /// exporter, cleared by the importer.
  alignas(64) std::atomic<std::uint32_t> notify_on_return{0};
};
static_assert(sizeof(RegionWords) <= 4096);

}  // namespace orbweaver::transport::blocks
