#pragma once

#include "platform/socket.h"
#include "transport/spin_budget.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// EAGAIN: the call would have had to wait.
bool would_wait(const platform::IoResult& result) noexcept;

/// A connected stream socket as channels use it: how a thread waits for bytes, and how two ends part so that
/// nothing that was sent is lost. The descriptor lives until the destructor, so that its number cannot become
/// another file's while a thread still waits on it.
class StreamSocket {
 public:
  StreamSocket(platform::Fd fd, Wait wait) noexcept : fd_(std::move(fd)), wait_(wait) {}

  const platform::Fd& fd() const noexcept { return fd_; }

  /// Bytes that arrive, waited for in the way of the channel; EAGAIN at the deadline. The receiving thread.
  platform::IoResult read_some(MutableBytes room, Deadline deadline) noexcept;
  /// Has anything arrived that was not read, or has the peer gone? Any thread.
  bool has_input() const noexcept;
  /// The kernel may do the waiting only where nothing ends it but the peer and `part`.
  platform::Block may_block(Deadline deadline) const noexcept {
    return deadline.is_never() && wait_ != Wait::spin ? platform::Block::yes : platform::Block::no;
  }
  /// After a send that would have had to wait. The sending thread.
  void wait_for_room(Deadline deadline) const noexcept;

  /// After the peer has ended its side: how many of the bytes sent last its host refused, because nobody had the other
  /// socket any more when they came. 0 where it took all, or does not say which within a moment. TCP; 0 elsewhere.
  std::size_t refused_bytes() const noexcept;

  /// Ends both directions and wakes all waiters. What was sent before has time to leave, about 100 ms at most, and what
  /// the peer still sends meanwhile is taken in and thrown away: by another thread (lingering.h). Any thread, once.
  void part() noexcept;

 private:
  platform::IoResult read_spinning(MutableBytes room, Deadline deadline) noexcept;

  const platform::Fd fd_;
  const Wait wait_;
  SpinBudget spin_;  // the receiver's
};

}  // namespace orbweaver::transport
