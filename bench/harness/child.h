// A child process that reports by lines on its standard output: servers print their address, clients their
// results.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace orbweaver::bench {

/// Owns one child process. Kills and reaps it on destruction; the kernel also kills it if this process dies.
/// Not thread-safe.
class Child {
 public:
  /// Starts `program` with `args`. Its standard output is read by read_line(), its standard error is
  /// inherited. Throws std::system_error if the process cannot be created; if the program cannot be executed,
  /// the child exits with 127.
  Child(const std::string& program, const std::vector<std::string>& args);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }

  /// Returns the next line of output without its newline; nullopt if the process exits or `limit` passes
  /// first.
  std::optional<std::string> read_line(std::chrono::milliseconds limit);

  /// Waits for the end of the process. Returns its exit status, or 128 + signal; nullopt if it still runs
  /// after `limit`.
  std::optional<int> wait(std::chrono::milliseconds limit);

  bool running();
  void kill();

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string buffered_;
  std::optional<int> status_;
};

/// How a child has ended, of Child::wait: "ended with status 1", "was ended by signal 9", "did not finish in
/// time".
std::string describe_exit(const std::optional<int>& status);

}  // namespace orbweaver::bench
