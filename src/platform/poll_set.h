#pragma once

#include <cstdint>
#include <span>

#include "platform/clock.h"
#include "platform/fd.h"

/// A set of descriptors to wait for (epoll).
namespace orbweaver::platform {

/// Waits for descriptors to become readable, or to hang up. The set's own descriptor is readable while one of
/// them is ready, so that a set may be polled and be a member of another set. Functions report errno values
/// (0: success), allocate no memory, and may be called from any thread, also while another thread waits.
class PollSet {
 public:
  PollSet() noexcept;
  const Fd& fd() const noexcept { return fd_; }  ///< Empty if the process had no descriptor left.

  /// How often a ready descriptor is reported.
  enum class Trigger : std::uint8_t {
    level,    ///< Reported as long as the descriptor is ready.
    oneshot,  ///< Reported once until `rearm`, to one thread.
  };
  /// Adds a descriptor. `wait` returns `tag` for it. It must be removed before it is closed.
  int add(int fd, std::uint64_t tag, Trigger report) noexcept;
  /// Enables a descriptor of Trigger::oneshot again.
  int rearm(int fd, std::uint64_t tag) noexcept;
  /// Makes a descriptor of Trigger::level wait for writability (`to_write`) or for readability.
  int want(int fd, std::uint64_t tag, bool to_write) noexcept;
  /// Removes a descriptor.
  void remove(int fd) noexcept;

  /// Waits until at least one descriptor is ready and writes the tags to `ready`, at most 16. Returns their
  /// number; 0 at the deadline.
  std::size_t wait(std::span<std::uint64_t> ready, Deadline deadline) noexcept;

 private:
  Fd fd_;
};

}  // namespace orbweaver::platform
