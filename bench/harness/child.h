// A child process whose first line of output is awaited: how servers say where they are, clients what they
// saw.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace orbweaver::bench {

/// Owns one process. Killed and reaped on destruction, so that nothing outlives a run; the child is also
/// told by the kernel if this process dies. One thread.
class Child {
 public:
  /// Starts `program` with `args`; its standard output is ours to read, its errors go to our own.
  /// Throws std::system_error if the process cannot be made; a program that cannot be run exits 127.
  Child(const std::string& program, const std::vector<std::string>& args);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }

  /// The next line it prints, without its end; nothing if it exits or the time is over first.
  std::optional<std::string> read_line(std::chrono::milliseconds limit);

  /// Waits for its end; exit status, or 128 + signal. Nothing if it still runs when the time is over.
  std::optional<int> wait(std::chrono::milliseconds limit);

  bool running();
  void kill();

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string buffered_;
  std::optional<int> status_;
};

}  // namespace orbweaver::bench
