#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "platform/fd.h"

/// Limits the descriptors that this process keeps for regions imported from one user's processes: an eighth
/// of the descriptor limit, and none of those reserved for local connections (-ORBTune reserved-descriptors).
/// Thread-safe.
namespace orbweaver::transport::blocks {

/// A number of descriptors counted for a user during this object's lifetime.
class RegionDescriptorShare {
 public:
  /// Counts the descriptors of a region received over `socket`; empty if its user's limit is reached, which
  /// is logged once per user.
  static RegionDescriptorShare take(const platform::Fd& socket, std::size_t descriptors) noexcept;

  RegionDescriptorShare() = default;
  RegionDescriptorShare(RegionDescriptorShare&& other) noexcept
      : uid_(other.uid_), descriptors_(std::exchange(other.descriptors_, 0)) {}
  RegionDescriptorShare& operator=(RegionDescriptorShare&&) = delete;
  ~RegionDescriptorShare();
  /// Counts `descriptors` fewer from now on; fewer than there are.
  void reduce_by(std::size_t descriptors) noexcept;
  explicit operator bool() const noexcept { return descriptors_ != 0; }

 private:
  std::int64_t uid_ = -1;
  std::size_t descriptors_ = 0;
};

/// True if the user is far enough below the limit for a further connection to export blocks. If not, the
/// connection's header says that blocks are not supported, and payloads are copied from the first one.
bool may_export_regions(std::int64_t uid) noexcept;

/// Sets -ORBTune reserved-descriptors.
void reserve_descriptors(std::size_t count) noexcept;
std::size_t reserved_descriptors() noexcept;

}  // namespace orbweaver::transport::blocks
