#pragma once

#include "platform/socket.h"
#include "transport/spin_budget.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// True for EAGAIN: the call would have had to wait.
bool would_wait(const platform::IoResult& result) noexcept;

/// A connected stream socket of a channel: waiting for data, and graceful shutdown. The descriptor lives
/// until the destructor, so that its number is not reused while a thread waits on it.
class StreamSocket {
 public:
  StreamSocket(platform::Fd fd, WaitStrategy wait) noexcept : fd_(std::move(fd)), wait_(wait) {}

  const platform::Fd& fd() const noexcept { return fd_; }

  /// Reads available bytes, waiting by the channel's wait strategy; EAGAIN at the deadline. Called by the
  /// receiving thread.
  platform::IoResult read_some(MutableBytes room, Deadline deadline) noexcept;
  /// True if unread data has arrived or the peer has disconnected. Thread-safe.
  bool has_input() const noexcept;
  /// Waits in the kernel are allowed only without a deadline: they end by data, by the peer and by
  /// `shut_down`.
  platform::Blocking may_block(Deadline deadline) const noexcept {
    return deadline.is_never() && wait_ != WaitStrategy::spin ? platform::Blocking::yes
                                                              : platform::Blocking::no;
  }
  /// Waits after a send that would have had to wait. Called by the sending thread.
  void wait_for_room(Deadline deadline) const noexcept;

  /// After the peer has closed its side: number of the last bytes sent that its host rejected, as the
  /// receiving socket was closed before they arrived. 0 if all were accepted, or if TCP does not tell within
  /// a moment. TCP only; 0 elsewhere.
  std::size_t rejected_bytes() const noexcept;

  /// Closes both directions and wakes all waiting threads. Unsent data is sent for at most about 100 ms, and
  /// received data is discarded, by a background thread (lingering.h). Thread-safe; call once.
  void shut_down() noexcept;

 private:
  platform::IoResult read_spinning(MutableBytes room, Deadline deadline) noexcept;

  const platform::Fd fd_;
  const WaitStrategy wait_;
  SpinBudget spin_;  // of the receiving thread
};

}  // namespace orbweaver::transport
