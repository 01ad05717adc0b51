#include "platform/peer_event.h"

#include <sys/ioctl.h>
#include <sys/timerfd.h>

#include <cstdint>

namespace orbweaver::platform {
namespace {

// TFD_IOC_SET_TICKS of linux/timerfd.h, which cannot be included beside sys/timerfd.h.
constexpr unsigned long kSetExpirations = _IOW('T', 0, std::uint64_t);

}  // namespace

// A timer, of which no operation sleeps, and whose kind a system call checks without calling the code of
// another kind of descriptor. An eventfd would not do: O_NONBLOCK belongs to both processes, so the peer can
// clear it and fill the counter, and a write then sleeps. A pipe has a lock that the peer can keep. Through a
// socket the peer can pass descriptors whose release sleeps.
Fd make_peer_event() noexcept { return Fd(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)); }

bool is_peer_event(const Fd& fd) noexcept {
  itimerspec time;
  return timerfd_gettime(fd.get(), &time) == 0;
}

void signal_peer_event(const Fd& event) noexcept {
  // Sets the number of expirations, without the cost of a timer interrupt.
  const std::uint64_t expirations = 1;
  if (ioctl(event.get(), kSetExpirations, &expirations) == 0) return;
  // A kernel without CONFIG_CHECKPOINT_RESTORE: the timer expires at once.
  itimerspec now{};
  now.it_value.tv_nsec = 1;
  timerfd_settime(event.get(), 0, &now, nullptr);
}

void clear_peer_event(const Fd& event) noexcept {
  const itimerspec off{};
  timerfd_settime(event.get(), 0, &off, nullptr);
}

}  // namespace orbweaver::platform
