#include "platform/process.h"
#include "platform/pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace orbweaver::platform {
namespace {

std::int64_t nanoseconds(const timeval& t) noexcept {
  return t.tv_sec * 1'000'000'000LL + t.tv_usec * 1000LL;
}

sigset_t termination_signal_set() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  return set;
}

/// Runs in the child between fork and exec, where only async-signal-safe calls are allowed: other threads
/// of the parent may have held the allocator's lock. Never returns.
[[noreturn]] void exec_child(char* const* argv, char* const* env, pid_t parent, int output,
                             int report) noexcept {
  const auto fail = [&] {
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(report, &error, sizeof error);
    ::_exit(127);
  };
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail();
  // If the parent died before the call above, the signal would never be sent.
  if (::getppid() != parent) ::_exit(127);
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = ::open("/dev/null", O_RDONLY);
  if (null < 0 || ::dup2(null, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) fail();
  // Sets close-on-exec on all other descriptors: code may have opened some without O_CLOEXEC, and a child
  // that holds a connection's descriptor would hide its end from the peer. `report` is closed by a successful
  // exec.
  ::syscall(SYS_close_range, 3u, ~0u, 1u << 2 /* CLOSE_RANGE_CLOEXEC */);
  ::execve(argv[0], argv, env);
  fail();
  ::_exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (auto& s : strings) all.push_back(s.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(ended_, other.ended_);
  std::swap(output_, other.output_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (!running()) return;
  kill();
  reap();
}

int ChildProcess::spawn(const SpawnRequest& request) {
  Pipe output = make_pipe();
  if (output.error != 0) return output.error;
  Pipe report = make_pipe();
  if (report.error != 0) return report.error;
  if (::fcntl(output.read.get(), F_SETFL, O_NONBLOCK) != 0) return errno;

  std::vector<std::string> arguments{request.program};
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  std::vector<std::string> environment = request.extra_environment;
  for (char** e = environ; *e != nullptr; ++e) environment.emplace_back(*e);
  const auto argv = pointers(arguments);
  const auto env = pointers(environment);

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno;
  if (pid == 0) exec_child(argv.data(), env.data(), parent, output.write.get(), report.write.get());

  report.write.reset();
  int error = 0;
  ssize_t got;
  do got = ::read(report.read.get(), &error, sizeof error);
  while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof error)) {
    ::waitpid(pid, nullptr, 0);
    return error;
  }
  pid_ = pid;
  ended_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!ended_) {
    const int why = errno;
    kill();
    reap();
    return why;
  }
  ::fcntl(ended_.get(), F_SETFD, FD_CLOEXEC);
  output_ = std::move(output.read);
  return 0;
}

void ChildProcess::signal(int number) noexcept {
  if (running()) ::kill(pid_, number);  // not reaped yet, so the pid has not been reused
}
void ChildProcess::terminate() noexcept { signal(SIGTERM); }
void ChildProcess::kill() noexcept { signal(SIGKILL); }

ExitStatus ChildProcess::reap() noexcept {
  ExitStatus end;
  if (!running()) return end;
  int status = 0;
  rusage used = {};
  pid_t reaped;
  do reaped = ::wait4(pid_, &status, 0, &used);
  while (reaped < 0 && errno == EINTR);
  end.signalled = WIFSIGNALED(status);
  end.code = end.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  end.usage = {nanoseconds(used.ru_utime), nanoseconds(used.ru_stime)};
  pid_ = -1;
  ended_.reset();
  return end;
}

ProcessUsage ChildProcess::usage() const noexcept {
  clockid_t clock;
  timespec used;
  if (!running() || ::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return {};
  return {used.tv_sec * 1'000'000'000LL + used.tv_nsec, 0};
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string describe(const ExitStatus& end) {
  return end.signalled ? "killed by " + signal_name(end.code)
                       : "exited with status " + std::to_string(end.code);
}

TerminationSignals::TerminationSignals() {
  const sigset_t set = termination_signal_set();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

TerminationSignals::~TerminationSignals() {
  fd_.reset();
  const sigset_t set = termination_signal_set();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

int TerminationSignals::take() noexcept {
  signalfd_siginfo info;
  return ::read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)
             ? static_cast<int>(info.ssi_signo)
             : 0;
}

std::size_t Poller::add(const Fd& fd) {
  entries_.push_back({fd.get(), false});
  return entries_.size() - 1;
}

bool Poller::wait(int timeout_ms) {
  std::vector<pollfd> fds;
  for (const Entry& entry : entries_) fds.push_back({entry.fd, POLLIN, 0});
  const int count = ::poll(fds.data(), static_cast<nfds_t>(fds.size()), timeout_ms);
  for (std::size_t i = 0; i < fds.size(); ++i) entries_[i].ready = count > 0 && fds[i].revents != 0;
  return count > 0;
}

std::string read_available(const Fd& fd, bool& at_end) {
  std::string text(std::size_t{64} << 10, '\0');
  ssize_t got;
  do got = ::read(fd.get(), text.data(), text.size());
  while (got < 0 && errno == EINTR);
  at_end = got == 0 || (got < 0 && errno != EAGAIN);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

bool is_executable(const std::string& path) noexcept { return ::access(path.c_str(), X_OK) == 0; }

bool is_stopped(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  // The name before the state is in parentheses, and may contain any character.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return false;
  return stat[name_end + 2] == 'T' || stat[name_end + 2] == 't';
}

std::string machine_architecture() {
  utsname name = {};
  return ::uname(&name) == 0 ? name.machine : "";
}

std::string executable_path() {
  std::string path(4096, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return path;
}

std::int64_t thread_cpu_ns() noexcept {
  timespec used;
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return 0;
  return used.tv_sec * 1'000'000'000LL + used.tv_nsec;
}

bool stderr_is_terminal() noexcept { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace orbweaver::platform
