#include "platform/poll_set.h"

#include <errno.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cstddef>

#include "platform/socket.h"

namespace orbweaver::platform {
namespace {

int control(const Fd& set, int operation, int fd, std::uint64_t tag, PollSet::Trigger report,
            std::uint32_t wanted = EPOLLIN | EPOLLRDHUP) noexcept {
  epoll_event event{};
  event.events = wanted;
  if (report == PollSet::Trigger::oneshot) event.events |= EPOLLONESHOT;
  event.data.u64 = tag;
  return epoll_ctl(set.get(), operation, fd, &event) == 0 ? 0 : errno;
}

}  // namespace

PollSet::PollSet() noexcept : fd_(epoll_create1(EPOLL_CLOEXEC)) {}

int PollSet::add(int fd, std::uint64_t tag, Trigger report) noexcept {
  return control(fd_, EPOLL_CTL_ADD, fd, tag, report);
}

int PollSet::rearm(int fd, std::uint64_t tag) noexcept {
  return control(fd_, EPOLL_CTL_MOD, fd, tag, Trigger::oneshot);
}

int PollSet::want(int fd, std::uint64_t tag, bool to_write) noexcept {
  return control(fd_, EPOLL_CTL_MOD, fd, tag, Trigger::level, to_write ? EPOLLOUT : EPOLLIN | EPOLLRDHUP);
}

void PollSet::remove(int fd) noexcept { epoll_ctl(fd_.get(), EPOLL_CTL_DEL, fd, nullptr); }

std::size_t PollSet::wait(std::span<std::uint64_t> ready, Deadline deadline) noexcept {
  constexpr int kMaxEvents = 16;
  epoll_event events[kMaxEvents];
  const int capacity = static_cast<int>(std::min<std::size_t>(kMaxEvents, ready.size()));
  for (;;) {
    const int n = epoll_wait(fd_.get(), events, capacity, deadline.is_never() ? -1 : 0);
    for (int i = 0; i < n; ++i) ready[static_cast<std::size_t>(i)] = events[i].data.u64;
    if (n > 0) return static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) return 0;
    // epoll_wait has a resolution of a millisecond; poll waits until the deadline.
    if (deadline.passed() || (!deadline.is_never() && poll(fd_, kReadable, deadline) == 0)) return 0;
  }
}

}  // namespace orbweaver::platform
