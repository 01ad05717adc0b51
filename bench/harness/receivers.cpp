#include "receivers.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "clock.h"
#include "machine.h"

namespace orbweaver::bench {
namespace {

/// Interval at which the producer looks for a receiver that has ended.
constexpr int kCheck_ms = 500;

ReceptionBoard* make_board() {
  void* memory =
      mmap(nullptr, sizeof(ReceptionBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  return new (memory) ReceptionBoard();
}

/// Reads one line; empty if the writer has closed its end first.
std::string read_line(int from) {
  std::string line;
  for (char c = 0; read(from, &c, 1) == 1;) {
    if (c == '\n') return line;
    line += c;
  }
  return {};
}

}  // namespace

void ReceptionBoard::note_arrival(std::int64_t arrived_ns, bool intact) noexcept {
  if (!intact) corrupt_.fetch_add(1, std::memory_order_relaxed);
  std::int64_t last_ns = last_ns_.load(std::memory_order_relaxed);
  while (last_ns < arrived_ns && !last_ns_.compare_exchange_weak(last_ns, arrived_ns)) {
  }
  // A1: seq_cst, as A2 to A4: this process sees the announcement, or the producer sees this arrival.
  const std::uint32_t arrivals = arrivals_.fetch_add(1) + 1;
  const std::uint32_t expected = expected_.load();  // A2
  if (expected != 0 && arrivals >= expected)
    syscall(SYS_futex, &arrivals_, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool ReceptionBoard::wait_for(std::uint32_t receivers, int limit_ms) noexcept {
  const std::int64_t end_ns = steady_ns() + std::int64_t{limit_ms} * 1'000'000;
  expected_.store(receivers);  // A3
  std::uint32_t seen = 0;
  while ((seen = arrivals_.load()) < receivers) {  // A4
    const std::int64_t left_ns = end_ns - steady_ns();
    if (left_ns <= 0) return false;
    const timespec limit{static_cast<time_t>(left_ns / 1'000'000'000),
                         static_cast<long>(left_ns % 1'000'000'000)};
    syscall(SYS_futex, &arrivals_, FUTEX_WAIT, seen, &limit, nullptr, 0);
  }
  expected_.store(0);
  return true;
}

std::int64_t ReceptionBoard::take_last_arrival() noexcept {
  arrivals_.store(0);
  return last_ns_.exchange(0);
}

Receivers::Receivers(const Case& c, const std::function<void(const Receiver&)>& serve)
    : what_(c), board_(make_board()), processes_(c.receivers, -1) {
  try {
    start_all(serve);
  } catch (...) {
    end_all();
    throw;
  }
}

Receivers::~Receivers() { end_all(); }

void Receivers::start_all(const std::function<void(const Receiver&)>& serve) {
  std::string next;
  const Placement cpus = placement(what_.pin, allowed_cpus());
  for (unsigned number = what_.receivers; number > 0; --number) {
    // The other processor and the producer's in turn; a child has the affinity of its creation.
    pin_to(number % 2 == 1 ? cpus.server : cpus.client);
    start(number, next, serve);
    if (is_chain(what_)) {
      next = destinations_.back();
      if (number > 1) destinations_.clear();
    }
  }
  pin_to(cpus.client);
}

void Receivers::start(unsigned number, const std::string& next,
                      const std::function<void(const Receiver&)>& serve) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent died before prctl()
    close(ends[0]);
    try {
      serve({number, next, *board_, [&](const std::string& address) {
               const std::string line = address + "\n";
               if (write(ends[1], line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
               close(ends[1]);
             }});
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "receiver %u: %s\n", number, problem.what());
    }
    _exit(1);
  }
  processes_[number - 1] = pid;
  close(ends[1]);
  const std::string address = read_line(ends[0]);
  close(ends[0]);
  if (address.empty()) throw std::runtime_error("receiver " + std::to_string(number) + " has ended");
  destinations_.push_back(address);
}

void Receivers::end_all() {
  for (const pid_t pid : processes_) {
    if (pid <= 0) continue;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  munmap(board_, sizeof(ReceptionBoard));
}

void Receivers::wait_for_arrivals() {
  const std::uint32_t receivers = is_chain(what_) ? 1 : what_.receivers;
  while (!board_->wait_for(receivers, kCheck_ms)) {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (waitpid(processes_[i], nullptr, WNOHANG) != processes_[i]) continue;
      processes_[i] = -1;
      throw std::runtime_error("receiver " + std::to_string(i + 1) + " has ended");
    }
  }
}

double Receivers::cpu_us_of_all() const {
  double total_us = cpu_us(0);
  for (const pid_t pid : processes_) total_us += cpu_us(pid);
  return total_us;
}

Summary Receivers::measure(const Loop& loop, const std::function<std::int64_t(std::uint32_t)>& send) {
  std::uint32_t number = 0;
  const auto one = [&] {
    const std::int64_t began_ns = send(++number);
    wait_for_arrivals();
    return static_cast<double>(board_->take_last_arrival() - began_ns) / 1e3;
  };
  for (std::uint64_t i = 0; i < loop.warm_up(); ++i) (void)one();
  const double hops = is_chain(what_) ? what_.receivers : 1;
  std::vector<double> samples_us(loop.calls);
  const std::uint64_t copied_before = board_->copied_bytes();
  const double cpu_before_us = cpu_us_of_all();
  for (double& sample : samples_us) sample = one() / hops;
  const auto packets = static_cast<double>(loop.calls);
  const double cpu_total_us = cpu_us_of_all() - cpu_before_us;
  if (board_->corrupt() != 0)
    throw std::runtime_error(std::to_string(board_->corrupt()) + " packets arrived with wrong content");
  Summary s = summarise(samples_us);
  s.calls = loop.calls;
  s.cpu_us_per_call = cpu_total_us / packets;
  s.copied_bytes = static_cast<double>(board_->copied_bytes() - copied_before) / packets;
  return s;
}

std::optional<std::string> cannot_spin(const Case& c) {
  if (c.wait != Wait::spin || allowed_cpus().size() > c.receivers) return std::nullopt;
  return "--wait spin needs a processor for each of the " + std::to_string(c.receivers + 1) + " processes";
}

void fill_packet(double* data, std::size_t count, std::uint32_t number) {
  std::fill(data, data + count, static_cast<double>(number));
}

void mark_packet(double* data, std::size_t count, std::uint32_t number) {
  if (count != 0) data[0] = data[count - 1] = static_cast<double>(number);
}

bool packet_is(std::uint32_t number, const double* data, std::size_t count, std::size_t expected_count) {
  return count == expected_count && (count == 0 || (data[0] == number && data[count - 1] == number));
}

}  // namespace orbweaver::bench
