#pragma once

#include <signal.h>

#include <string>
#include <vector>

#include "platform/process.h"
#include "target.h"
#include "testing/broker.h"

namespace faulttest {

using orbtest::becomes_true;
using orbtest::Broker;
using orbtest::Options;
using orbtest::descriptors;
using orbtest::threads;

/// Roads between processes that this machine has, and that lose nothing.
std::vector<std::string> roads();
/// … and UDP.
std::vector<std::string> roads_with_datagrams();
/// The options of one end on that road: the road of plug-ins/mortal.cpp (UDP: the library's own), small rings, no
/// endless call.
Options options_for(const std::string& road, const Options& more = {});

/// The object behind the text, unasked.
TargetRef reference_to_target(Broker& broker, const std::string& reference);

/// A process that serves a target or calls one, and is going to die. Killed with this object.
class Peer {
 public:
  /// `die_at`: the step at which it kills itself; 0: at none.
  Peer(const std::string& role, const std::string& what, const Options& options, long die_at = 0);

  /// Its first line; empty if it died before.
  const std::string& line() const { return line_; }
  void kill() { process_.kill(); }
  void stop();
  void go_on() { process_.signal(SIGCONT); }
  bool is_alive();
  orbweaver::platform::ProcessEnd end() { return process_.reap(); }

 private:
  orbweaver::platform::ChildProcess process_;
  std::string line_;
};

/// What this process has, and what it should have again when its peers have gone. `threads` does not count
/// ow-limits, which an ORB starts when the first message arrives in parts, and keeps.
struct Belongings {
  std::size_t descriptors, threads, files;
  static Belongings now();
  /// Within a time that only a leak can take.
  bool are_again() const;
  std::string and_now() const;
};

/// Memory in use, bytes: what malloc has given, and what is mapped of shared files.
std::size_t heap_bytes();
std::size_t mapped_shared_bytes();

}  // namespace faulttest
