#include "transport/stream/stream_socket.h"

#include <cerrno>

#include "platform/descriptors.h"
#include "platform/futex.h"
#include "transport/stream/lingering.h"

namespace orbweaver::transport {
namespace {

using platform::Block;
using platform::IoResult;

constexpr std::int64_t kRefusal_ms = 100;

}  // namespace

bool would_wait(const IoResult& result) noexcept { return result.error == EAGAIN || result.error == EWOULDBLOCK; }

IoResult StreamSocket::read_some(MutableBytes room, Deadline deadline) noexcept {
  if (deadline.ns <= 0) return platform::recv(fd_, room, Block::no);  // a look, which is no wait to learn from
  if (wait_ == Wait::spin) return read_spinning(room, deadline);
  if (wait_ == Wait::adaptive) {
    if (const std::int64_t spin_ns = spin_.next_ns(); spin_ns > 0) {
      IoResult got = platform::recv(fd_, room, Block::no);
      if (!would_wait(got)) return got;  // there already: says nothing about spinning
      Deadline until = Deadline::in_ns(spin_ns);
      if (deadline.ns < until.ns) until = deadline;
      got = read_spinning(room, until);
      if (!would_wait(got)) {
        spin_.paid();
        return got;
      }
      spin_.wasted();
    }
  }
  if (deadline.is_never()) return platform::recv(fd_, room, Block::yes);
  if (platform::poll(fd_, platform::kReadable, deadline) == 0) return {0, EAGAIN};
  return platform::recv(fd_, room, Block::no);
}

IoResult StreamSocket::read_spinning(MutableBytes room, Deadline deadline) noexcept {
  for (;;) {
    const IoResult got = platform::recv(fd_, room, Block::no);
    if (!would_wait(got) || deadline.passed()) return got;
    platform::cpu_relax();
  }
}

bool StreamSocket::has_input() const noexcept {
  return platform::poll(fd_, platform::kReadable, Deadline{0}) != 0;
}

void StreamSocket::wait_for_room(Deadline deadline) const noexcept {
  if (wait_ == Wait::spin) {
    platform::cpu_relax();
  } else {
    platform::poll(fd_, platform::kWritable, deadline);
  }
}

/// What the peer's host had received before it sent its end was acknowledged with that. What came later is either
/// acknowledged, where the peer has closed only its sending side, or answered with a reset.
std::size_t StreamSocket::refused_bytes() const noexcept {
  for (const Deadline enough = Deadline::in_ms(kRefusal_ms);;) {
    if (platform::unacknowledged(fd_) == 0) return 0;
    if ((platform::poll(fd_, 0, Deadline::in_ms(1)) & platform::kHungUp) != 0) return platform::unacknowledged(fd_);
    if (enough.passed()) return 0;
  }
}

void StreamSocket::part() noexcept {
  platform::shutdown_sending(fd_);
  if (look_after(fd_, false) == Lingering::over) return;
  // Waiters are woken when it is over.
  platform::Fd remaining = lingering() < kMostLingering ? platform::duplicate(fd_) : platform::Fd();
  if (remaining) {
    let_linger(std::move(remaining));
  } else {
    look_after(fd_, true);
  }
}

}  // namespace orbweaver::transport
