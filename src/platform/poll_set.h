#pragma once

#include <cstdint>
#include <span>

#include "platform/clock.h"
#include "platform/fd.h"

/// Many descriptors to wait at, as one descriptor (epoll).
namespace orbweaver::platform {

/// Waits for descriptors to become readable, or to end. A set's own descriptor is readable while one of them is, so
/// that a set may be polled, and be part of another. Functions report errno values (0: done), allocate nothing, and
/// may be called from any thread, also while another waits.
class PollSet {
 public:
  PollSet() noexcept;
  const Fd& fd() const noexcept { return fd_; }  ///< Empty where the process has no descriptors left.

  enum class Report : std::uint8_t {
    always,  ///< As long as the descriptor is ready.
    once,    ///< Then not until `again`: one thread gets it.
  };
  /// `tag` is what `wait` gives back. The descriptor must be removed before it is closed.
  int add(int fd, std::uint64_t tag, Report report) noexcept;
  int again(int fd, std::uint64_t tag) noexcept;
  /// From now on readiness to be written is what is waited for at a descriptor of Report::always, or to be read again.
  int want(int fd, std::uint64_t tag, bool to_write) noexcept;
  void remove(int fd) noexcept;

  /// The tags of ready descriptors, at most as many as there is room for; none at the deadline. At least one.
  std::size_t wait(std::span<std::uint64_t> ready, Deadline deadline) noexcept;

 private:
  Fd fd_;
};

}  // namespace orbweaver::platform
