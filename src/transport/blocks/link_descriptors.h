#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "platform/fd.h"

/// How many descriptors the links that one user's processes have sent may hold here: an eighth of the process's, and none
/// of those that are kept for local connections (-ORBReservedDescriptors). Any thread.
namespace orbweaver::transport::blocks {

/// Descriptors that are counted for a user, for as long as it lives.
class LinkShare {
 public:
  /// For a link that came by that socket; empty where its sender may have no more, which is logged once for each user.
  static LinkShare take(const platform::Fd& socket, std::size_t descriptors) noexcept;

  LinkShare() = default;
  LinkShare(LinkShare&& other) noexcept : uid_(other.uid_), descriptors_(std::exchange(other.descriptors_, 0)) {}
  LinkShare& operator=(LinkShare&&) = delete;
  ~LinkShare();
  explicit operator bool() const noexcept { return descriptors_ != 0; }

 private:
  std::int64_t uid_ = -1;
  std::size_t descriptors_ = 0;
};

/// Is the user far enough from that limit for a further connection of its to lend? Where it is not, the connection is
/// told that blocks are not understood here, and payloads are copied from the first on.
bool may_link(std::int64_t uid) noexcept;

/// -ORBReservedDescriptors.
void keep_descriptors(std::size_t count) noexcept;

}  // namespace orbweaver::transport::blocks
