#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

namespace orbweaver::platform::testing {

/// A forked child of the test's process that runs `body` and exits. The test can stop and kill it. Construct
/// it while the test has no other threads. The destructor kills and reaps it.
class ForkedProcess {
 public:
  explicit ForkedProcess(const std::function<void()>& body) : pid_(fork()) {
    if (pid_ == 0) {
      body();
      _exit(0);  // not exit(), which would flush the parent's buffers and report its tests
    }
  }
  ForkedProcess(const ForkedProcess&) = delete;
  ForkedProcess& operator=(const ForkedProcess&) = delete;
  ~ForkedProcess() {
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

  /// Waits for the child to end. True if it exited with status 0, as it does after `body`.
  bool reap() { return reap_status() == 0; }
  /// Waits for the child to end and returns its exit status; -1 if it was killed.
  int reap_status() {
    if (pid_ <= 0) return -1;
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// In the child: kills it by SIGKILL, without destructors.
  [[noreturn]] static void die() {
    ::kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  /// In the child: exits with status 1, so that `reap` returns false.
  [[noreturn]] static void fail() { _exit(1); }
  /// In the child: waits until the parent kills it.
  [[noreturn]] static void pause_forever() {
    for (;;) pause();
  }

 private:
  void signal(int number) {
    if (pid_ > 0) ::kill(pid_, number);
  }

  pid_t pid_;
};

/// Limits the descriptors of this process to numbers less than `below` (RLIMIT_NOFILE).
inline void set_descriptor_limit(int below) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = static_cast<rlim_t>(below);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace orbweaver::platform::testing
