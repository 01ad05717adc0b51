// A naming service as a process, and programs that are run to their end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/process.h"

namespace naming_test {

using Words = std::vector<std::string>;

/// Output to both streams, and exit status; -1: killed by a signal.
struct Ended {
  int status = -1;
  std::string output;
};
/// Runs a program to its end.
Ended run(const std::string& program, const Words& arguments);
/// Runs `orbweaver naming`.
Ended naming(Words arguments);

/// A folder for the files of a test, removed at its end.
class Folder {
 public:
  Folder();
  ~Folder();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// `orbweaver naming` with a state file, on a free port.
class Service {
 public:
  /// Starts the service; returns when it serves. Throws std::runtime_error with its output if it ends.
  explicit Service(std::string state_file, Words options = {});

  void restart();
  void kill();
  /// Ends it by the signal, and returns its exit status; -1 if the signal killed it.
  int end_by(int signal);
  int pid() const { return process_.pid(); }
  const std::string& port() const { return port_; }
  /// The root's URL, with a GIOP version if it is not empty: "1.0".
  std::string url(const std::string& version = {}) const;
  /// Runs a command with this service.
  Ended command(Words arguments) const;

 private:
  void start();

  const std::string state_file_;
  const Words options_;
  std::string port_;
  orbweaver::platform::ChildProcess process_;
};

}  // namespace naming_test
