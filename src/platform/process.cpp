#include "platform/process.h"
#include "platform/clock.h"
#include "platform/pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
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
#include <string_view>
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

/// What the child needs between vfork and exec. Prepared before: afterwards nothing may be allocated.
struct Preparation {
  char* const* argv;
  char* const* env;
  pid_t parent;
  int input = -1;  // -1: /dev/null
  int output;
  int report;
  int group_processes = -1;  // cgroup.procs
  bool leads_group = false;
  const ProcessLimits* limits;
  cpu_set_t cores;
};

/// What the child reports if it cannot execute the program.
struct SpawnFailure {
  int error = 0;
  SpawnStep step = SpawnStep::start;
};

/// Applies the limits to the calling process. False: errno has the reason, and `step` what failed.
bool apply_limits(const Preparation& prepared, SpawnStep& step) noexcept {
  const ProcessLimits& limits = *prepared.limits;
  step = SpawnStep::control_group;
  if (prepared.group_processes >= 0 && ::write(prepared.group_processes, "0", 1) != 1) return false;
  step = SpawnStep::stack;
  if (limits.stack_bytes != 0) {
    rlimit stack = {};
    if (::getrlimit(RLIMIT_STACK, &stack) != 0) return false;
    stack.rlim_cur = limits.stack_bytes;
    if (::setrlimit(RLIMIT_STACK, &stack) != 0) return false;
  }
  step = SpawnStep::affinity;
  if (!limits.cores.empty() && ::sched_setaffinity(0, sizeof prepared.cores, &prepared.cores) != 0)
    return false;
  step = SpawnStep::priority;
  sched_param how = {};
  how.sched_priority = limits.real_time_priority;
  return limits.real_time_priority == 0 ||
         ::sched_setscheduler(0, limits.round_robin ? SCHED_RR : SCHED_FIFO, &how) == 0;
}

/// Runs in the child between vfork and exec, in the memory of the parent, whose other threads run: only
/// async-signal-safe calls are allowed, and nothing of the parent may be changed. Never returns.
[[noreturn]] void exec_child(const Preparation& prepared) noexcept {
  SpawnStep step = SpawnStep::start;
  const auto fail = [&] {
    const SpawnFailure failure{errno, step};
    [[maybe_unused]] const auto written = ::write(prepared.report, &failure, sizeof failure);
    ::_exit(127);
  };
  const pid_t parent = prepared.parent;
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
  const int input = prepared.input >= 0 ? prepared.input : ::open("/dev/null", O_RDONLY);
  if (input < 0 || ::dup2(input, 0) < 0 || ::dup2(prepared.output, 1) < 0 || ::dup2(prepared.output, 2) < 0)
    fail();
  if (prepared.leads_group && ::setpgid(0, 0) != 0) fail();
  if (!apply_limits(prepared, step)) fail();
  step = SpawnStep::program;
  // Sets close-on-exec on all other descriptors: code may have opened some without O_CLOEXEC, and a child
  // that holds a connection's descriptor would hide its end from the peer. `report` is closed by a successful
  // exec.
  ::syscall(SYS_close_range, 3u, ~0u, 1u << 2 /* CLOSE_RANGE_CLOEXEC */);
  ::execve(prepared.argv[0], prepared.argv, prepared.env);
  fail();
  ::_exit(127);
}

/// Starts the child, and returns its id when it executes the program or has ended; -1: errno has the reason.
/// Not fork: to copy the page tables of a large process, and the pages that both write, takes longer than all
/// else that a device does for a component.
[[gnu::noinline]] pid_t start_child(const Preparation& prepared) noexcept {
  // A handler of this process must not run in the child, which has its memory. exec_child unblocks the
  // signals when it has no handlers.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::vfork();
  if (pid == 0) exec_child(prepared);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (auto& s : strings) all.push_back(s.data());
  all.push_back(nullptr);
  return all;
}

/// Whether one of `settings` sets the variable that `setting` sets ("NAME=value").
bool sets_variable_of(const std::vector<std::string>& settings, std::string_view setting) {
  const std::string_view name = setting.substr(0, setting.find('='));
  for (const std::string_view each : settings)
    if (each.substr(0, each.find('=')) == name) return true;
  return false;
}

}  // namespace

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(leads_group_, other.leads_group_);
  std::swap(input_, other.input_);
  std::swap(ended_, other.ended_);
  std::swap(output_, other.output_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (!running()) return;
  kill();
  reap();
}

int ChildProcess::spawn(const SpawnRequest& request, SpawnStep* failed) {
  SpawnFailure failure;
  const auto fail = [&](int error) {
    if (failed != nullptr) *failed = failure.step;
    return error;
  };
  Pipe output = make_pipe();
  if (output.error != 0) return fail(output.error);
  Pipe report = make_pipe();
  if (report.error != 0) return fail(report.error);
  Pipe input;
  if (request.has_input) {
    input = make_pipe();
    if (input.error != 0) return fail(input.error);
    if (::fcntl(input.write.get(), F_SETFL, O_NONBLOCK) != 0) return fail(errno);
  }
  if (::fcntl(output.read.get(), F_SETFL, O_NONBLOCK) != 0) return fail(errno);

  std::vector<std::string> arguments{request.program};
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  std::vector<std::string> environment = request.extra_environment;
  for (char** e = environ; *e != nullptr; ++e) {
    // Of a name that is there twice, the dynamic linker takes the last value, and getenv() the first.
    if (!sets_variable_of(request.extra_environment, *e)) environment.emplace_back(*e);
  }
  const auto argv = pointers(arguments);
  const auto env = pointers(environment);
  Preparation prepared{};
  prepared.argv = argv.data();
  prepared.env = env.data();
  prepared.parent = ::getpid();
  prepared.input = input.read.get();
  prepared.output = output.write.get();
  prepared.report = report.write.get();
  prepared.leads_group = request.leads_group;
  prepared.limits = &request.limits;
  CPU_ZERO(&prepared.cores);
  for (const int core : request.limits.cores) {
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &prepared.cores);
  }
  Fd group_processes;
  if (!request.limits.control_group.empty()) {
    failure.step = SpawnStep::control_group;
    const std::string path = request.limits.control_group + "/cgroup.procs";
    group_processes = Fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!group_processes) return fail(errno);
    prepared.group_processes = group_processes.get();
    failure.step = SpawnStep::start;
  }

  const pid_t pid = start_child(prepared);
  if (pid < 0) return fail(errno);

  report.write.reset();
  ssize_t got;
  do got = ::read(report.read.get(), &failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof failure)) {
    ::waitpid(pid, nullptr, 0);
    return fail(failure.error);
  }
  pid_ = pid;
  ended_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!ended_) {
    const int why = errno;
    kill();
    reap();
    return fail(why);
  }
  ::fcntl(ended_.get(), F_SETFD, FD_CLOEXEC);
  output_ = std::move(output.read);
  input_ = std::move(input.write);
  leads_group_ = request.leads_group;
  return 0;
}

void ChildProcess::signal(int number) noexcept {
  // Not reaped yet, so neither the pid nor the id of its group has been reused.
  if (running()) ::kill(leads_group_ ? -pid_ : pid_, number);
}
bool ended_by_sigterm(const ExitStatus& end) noexcept {
  return end.code == (end.signalled ? SIGTERM : 128 + SIGTERM);
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
  input_.reset();
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
  entries_.push_back({fd.get(), POLLIN, false});
  return entries_.size() - 1;
}

std::size_t Poller::add_writer(const Fd& fd) {
  entries_.push_back({fd.get(), POLLOUT, false});
  return entries_.size() - 1;
}

bool Poller::wait(int timeout_ms) {
  std::vector<pollfd> fds;
  for (const Entry& entry : entries_) fds.push_back({entry.fd, entry.events, 0});
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

namespace {

/// Writes bytes for at most `timeout_ms`; ETIMEDOUT if some are left.
int write_within(const Fd& fd, std::string_view bytes, int timeout_ms, std::size_t& written) {
  // Blocked rather than ignored: the disposition belongs to the process, the mask to this thread.
  sigset_t pipe;
  sigset_t before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const std::int64_t end_ns = now_ns() + timeout_ms * 1'000'000LL;
  written = 0;
  int error = 0;
  while (written < bytes.size() && error == 0) {
    const ssize_t count = ::write(fd.get(), bytes.data() + written, bytes.size() - written);
    if (count > 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      const std::int64_t left_ms = (end_ns - now_ns()) / 1'000'000;
      pollfd space{fd.get(), POLLOUT, 0};
      if (left_ms <= 0 || ::poll(&space, 1, static_cast<int>(left_ms)) == 0) error = ETIMEDOUT;
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == EPIPE) {
    const timespec now = {};
    while (::sigtimedwait(&pipe, nullptr, &now) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace

int write_all(const Fd& fd, const std::string& bytes, int timeout_ms) {
  std::size_t written = 0;
  return write_within(fd, bytes, timeout_ms, written);
}

int write_available(const Fd& fd, std::string_view bytes, std::size_t& written) {
  const int error = write_within(fd, bytes, 0, written);
  return error == ETIMEDOUT ? 0 : error;
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

std::string kernel_release() {
  utsname name = {};
  return ::uname(&name) == 0 ? name.release : "";
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
