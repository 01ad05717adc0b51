#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

namespace orbweaver::platform::testing {

/// A child of the test's own process that runs `body` and exits, to be stopped and killed at will. Fork while
/// the test has no other threads. Killed and reaped by the destructor at the latest.
class Forked {
 public:
  explicit Forked(const std::function<void()>& body) : pid_(fork()) {
    if (pid_ == 0) {
      body();
      _exit(0);  // not exit: the parent's buffers, tests and sanitizer reports are the parent's
    }
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;
  ~Forked() {
    kill();
    reap();
  }

  void kill() { signal(SIGKILL); }
  /// Returns once the child has stopped.
  void stop() {
    signal(SIGSTOP);
    if (pid_ > 0) waitpid(pid_, nullptr, WUNTRACED);
  }
  void go_on() { signal(SIGCONT); }

  /// Waits for the end: true if the child came to the end of its body.
  bool reap() { return reap_status() == 0; }
  /// … with what it gave to _exit; -1 if it was killed.
  int reap_status() {
    if (pid_ <= 0) return -1;
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// Inside a child: the end that no destructor sees.
  [[noreturn]] static void die() {
    ::kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  /// Inside a child: ends it so that `reap` is false.
  [[noreturn]] static void fail() { _exit(1); }
  /// Inside a child: until the parent kills it.
  [[noreturn]] static void sleep_for_ever() {
    for (;;) pause();
  }

 private:
  void signal(int number) {
    if (pid_ > 0) ::kill(pid_, number);
  }

  pid_t pid_;
};

/// No descriptor numbered `below` or higher can be had by this process, until it is told another limit.
inline void limit_descriptors(int below) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = static_cast<rlim_t>(below);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace orbweaver::platform::testing
