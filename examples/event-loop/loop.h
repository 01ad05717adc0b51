// Minimal event loop of a program: one thread, one epoll set, and a timer besides the ORB.
#pragma once

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include <orbweaver/orb.h>

class Loop {
 public:
  Loop() : set_(epoll_create1(EPOLL_CLOEXEC)) {}
  ~Loop() {
    if (timer_ >= 0) close(timer_);
    close(set_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Calls `call` whenever `fd` is readable.
  void when_readable(int fd, std::function<void()> call) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(set_, EPOLL_CTL_ADD, fd, &event) != 0) throw std::runtime_error("epoll_ctl");
    calls_[fd] = std::move(call);
  }

  /// Calls `call` every `ms` milliseconds; for one timer.
  void every_ms(long ms, std::function<void()> call) {
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    const itimerspec interval{{0, ms * 1'000'000}, {0, ms * 1'000'000}};
    timerfd_settime(timer_, 0, &interval, nullptr);
    when_readable(timer_, [this, call] {
      std::uint64_t ticks = 0;
      if (read(timer_, &ticks, sizeof ticks) > 0) call();
    });
  }

  /// Serves the requests of an ORB in the loop's thread.
  void serve(const IDL::traits<CORBA::ORB>::ref_type& orb) {
    when_readable(orbweaver::descriptor(orb), [orb] { orb->perform_work(); });
  }

  /// Blocks until stop() is called, by a callback.
  void run() {
    while (!stopped_) {
      epoll_event ready{};
      if (epoll_wait(set_, &ready, 1, -1) == 1) calls_.at(ready.data.fd)();
    }
  }
  void stop() { stopped_ = true; }

 private:
  const int set_;
  int timer_ = -1;
  std::map<int, std::function<void()>> calls_;
  bool stopped_ = false;
};
