// The other side of an interoperation test: a server process, where it is and what it printed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "platform/process.h"

namespace interop {

/// A port of the loopback interface at which nobody listens, and which no other test gets while this process lives.
std::string free_port();

/// Starts a server program and waits for its two lines: an IOR, and a corbaloc of the same object.
/// The server dies with this object. Throws std::runtime_error with what the program said instead.
class Server {
 public:
  explicit Server(const std::string& program);

  /// Kills it, and starts it again at the same port.
  void restart();

  const std::string& port() const { return port_; }
  const std::string& ior() const { return ior_; }
  const std::string& corbaloc() const { return corbaloc_; }

 private:
  bool start(std::string& said);

  const std::string program_;
  std::string port_;
  std::string ior_;
  std::string corbaloc_;
  orbweaver::platform::ChildProcess process_;
};

/// Runs a program to its end. What it printed, both streams; `status` is -1 if it could not be started, was
/// killed, or did not end within `limit`.
struct Finished {
  int status = -1;
  std::string output;
};
Finished run_to_end(const std::string& program, const std::vector<std::string>& arguments,
                    std::chrono::seconds limit = std::chrono::seconds(120));

/// Further options for our ORB, from the environment variable INTEROP_ORB_OPTIONS: words between spaces.
std::vector<std::string> options_from_environment();

/// A program in the folder of the running one.
std::string beside_us(const std::string& name);

}  // namespace interop
