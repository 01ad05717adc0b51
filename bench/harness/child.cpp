#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

namespace orbweaver::bench {
namespace {

using Clock = std::chrono::steady_clock;

int ms_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

}  // namespace

Child::Child(const std::string& program, const std::vector<std::string>& args) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);

  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // the parent died before prctl()
    dup2(ends[1], STDOUT_FILENO);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  close(ends[1]);
  output_ = ends[0];
}

Child::~Child() {
  kill();
  if (!status_) (void)wait(std::chrono::seconds(5));
  close(output_);
}

std::optional<std::string> Child::read_line(std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  for (;;) {
    if (const auto newline = buffered_.find('\n'); newline != std::string::npos) {
      std::string line = buffered_.substr(0, newline);
      buffered_.erase(0, newline + 1);
      return line;
    }
    pollfd ready{output_, POLLIN, 0};
    const int left = ms_until(end);
    if (poll(&ready, 1, left) < 0 && errno == EINTR) continue;
    if (ready.revents == 0) return std::nullopt;
    char chunk[512];
    const ssize_t got = read(output_, chunk, sizeof chunk);
    if (got <= 0) return std::nullopt;
    buffered_.append(chunk, static_cast<std::size_t>(got));
  }
}

std::optional<int> Child::wait(std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (!status_) {
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_)
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    else if (ms_until(end) == 0)
      return std::nullopt;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return status_;
}

bool Child::running() { return !wait(std::chrono::milliseconds(0)); }

void Child::kill() {
  if (!status_) ::kill(pid_, SIGKILL);
}

std::string describe_exit(const std::optional<int>& status) {
  if (!status) return "did not finish in time";
  if (*status > 128) return "was ended by signal " + std::to_string(*status - 128);
  return "ended with status " + std::to_string(*status);
}

}  // namespace orbweaver::bench
