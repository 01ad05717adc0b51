#include "transport/stream/stream_socket.h"

#include <cerrno>

#include "platform/descriptors.h"
#include "platform/futex.h"
#include "transport/stream/lingering.h"

namespace orbweaver::transport {
namespace {

using platform::Blocking;
using platform::IoResult;

constexpr std::int64_t kRefusal_ms = 100;

}  // namespace

bool would_wait(const IoResult& result) noexcept {
  return result.error == EAGAIN || result.error == EWOULDBLOCK;
}

IoResult StreamSocket::read_some(MutableBytes room, Deadline deadline) noexcept {
  // a poll, which does not count as a wait
  if (deadline.ns <= 0) return platform::recv(fd_, room, Blocking::no);
  if (wait_ == WaitStrategy::spin) return read_spinning(room, deadline);
  if (wait_ == WaitStrategy::adaptive) {
    if (const std::int64_t spin_ns = spin_.next_ns(); spin_ns > 0) {
      IoResult got = platform::recv(fd_, room, Blocking::no);
      if (!would_wait(got)) return got;  // available at once: does not count as a spin
      Deadline until = Deadline::in_ns(spin_ns);
      if (deadline.ns < until.ns) until = deadline;
      got = read_spinning(room, until);
      if (!would_wait(got)) {
        spin_.record_success();
        return got;
      }
      spin_.record_failure();
    }
  }
  if (deadline.is_never()) return platform::recv(fd_, room, Blocking::yes);
  if (platform::poll(fd_, platform::kReadable, deadline) == 0) return {0, EAGAIN};
  return platform::recv(fd_, room, Blocking::no);
}

IoResult StreamSocket::read_spinning(MutableBytes room, Deadline deadline) noexcept {
  for (;;) {
    const IoResult got = platform::recv(fd_, room, Blocking::no);
    if (!would_wait(got) || deadline.passed()) return got;
    platform::cpu_relax();
  }
}

bool StreamSocket::has_input() const noexcept {
  return platform::poll(fd_, platform::kReadable, Deadline{0}) != 0;
}

void StreamSocket::wait_for_room(Deadline deadline) const noexcept {
  if (wait_ == WaitStrategy::spin) {
    platform::cpu_relax();
  } else {
    platform::poll(fd_, platform::kWritable, deadline);
  }
}

/// Data that the peer's host received before it sent its FIN was acknowledged with that. Later data is either
/// acknowledged, if the peer has closed only its sending side, or answered with a reset.
std::size_t StreamSocket::rejected_bytes() const noexcept {
  for (const Deadline deadline = Deadline::in_ms(kRefusal_ms);;) {
    if (platform::unacknowledged_bytes(fd_) == 0) return 0;
    if ((platform::poll(fd_, 0, Deadline::in_ms(1)) & platform::kHungUp) != 0)
      return platform::unacknowledged_bytes(fd_);
    if (deadline.passed()) return 0;
  }
}

void StreamSocket::shut_down() noexcept {
  platform::shutdown_sending(fd_);
  if (linger_step(fd_, false) == LingerStep::done) return;
  // Waiting threads are woken when it has ended.
  platform::Fd remaining = lingering_count() < kMaxLingering ? platform::duplicate(fd_) : platform::Fd();
  if (remaining) {
    linger_in_background(std::move(remaining));
  } else {
    linger_step(fd_, true);
  }
}

}  // namespace orbweaver::transport
