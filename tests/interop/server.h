// The server process of an interoperability test: its references and output.
#pragma once

#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "platform/process.h"

namespace interop {

/// A free port of the loopback interface, reserved for this process while it runs.
std::string free_port();

/// Starts a server program and waits for its two lines: an IOR, and a corbaloc of the same object.
/// The destructor kills the server. Throws std::runtime_error with the output of the program if a line is
/// missing.
class Server {
 public:
  /// `environment`: "NAME=value", in addition to this process's.
  explicit Server(const std::string& program, std::vector<std::string> environment = {});

  /// Kills the server, and starts it again at the same port.
  void restart();
  /// Kills the server with SIGKILL; returns when it has ended. Any thread.
  void kill();
  /// Stops the server with SIGSTOP; returns when it has stopped.
  void stop();
  /// Continues the stopped server.
  void go_on();
  /// The sockets of the server, as the kernel names them: those it listens at, and its connections.
  std::set<std::string> sockets() const;

  const std::string& port() const { return port_; }
  const std::string& ior() const { return ior_; }
  const std::string& corbaloc() const { return corbaloc_; }

 private:
  bool start(std::string& output);

  const std::string program_;
  const std::vector<std::string> environment_;
  std::string port_;
  std::string ior_;
  std::string corbaloc_;
  std::mutex mutex_;  // for kill() and restart()
  orbweaver::platform::ChildProcess process_;
};

/// Stops a process with SIGSTOP; returns when it has stopped.
void stop_process(orbweaver::platform::ChildProcess& process);

/// Result of a program: its output to both streams; `status` is -1 if it could not be started, was killed, or
/// did not end within the limit.
struct ProgramResult {
  int status = -1;
  std::string output;
};
/// Runs a program to its end, at most for `limit`.
ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          std::chrono::seconds limit = std::chrono::seconds(120));

/// Further options for Orbweaver from the environment variable INTEROP_ORB_OPTIONS, separated by spaces.
std::vector<std::string> options_from_environment();

/// The version of GIOP of the server's references, from the environment variable INTEROP_GIOP: 1.2 by
/// default.
std::string giop_version();

/// A program in the folder of the running one.
std::string sibling_program(const std::string& name);

}  // namespace interop
