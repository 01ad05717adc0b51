#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "platform/process.h"
#include "target.h"
#include "testing/test_orb.h"

namespace faulttest {

using orbtest::becomes_true;
using orbtest::descriptors;
using orbtest::Options;
using orbtest::TestOrb;
using orbtest::threads;

/// The reliable transports between processes that this machine supports.
std::vector<std::string> transports();
/// The same and UDP.
std::vector<std::string> transports_with_udp();
/// Options of one end: the transport of plugins/kill_points.cpp (UDP: the built-in one), small rings, and a
/// call timeout.
Options options_for(const std::string& transport_name, const Options& more = {});

/// The object of a stringified reference, without a call to it.
TargetRef reference_to_target(TestOrb& broker, const std::string& reference);

/// A process that serves or calls a target, and may kill itself at a given step. The destructor kills it.
class PeerUnderTest {
 public:
  /// `die_at`: the step at which it kills itself; 0: never.
  PeerUnderTest(const std::string& role, const std::string& what, const Options& options, long die_at = 0);

  /// The first line of its output; empty if it died before.
  const std::string& line() const { return line_; }
  void kill() { process_.kill(); }
  void stop();
  void go_on() { process_.signal(SIGCONT); }
  bool is_alive();
  orbweaver::platform::ExitStatus end() { return process_.reap(); }

 private:
  orbweaver::platform::ChildProcess process_;
  std::string line_;
};

/// Resources of this process, to be compared before and after its peers have been killed. `threads` does not
/// count ow-limits, which an ORB starts when the first message arrives in parts, and keeps.
struct ResourceSnapshot {
  std::size_t descriptors, threads, files;
  static ResourceSnapshot now();
  /// Waits until no resource exceeds this snapshot. False after a time that only a leak takes.
  bool are_restored() const;
  std::string difference() const;
};

/// Memory in use, in bytes: allocated by malloc, and mapped from Orbweaver's memory files.
std::size_t heap_bytes();
std::size_t mapped_shared_bytes();
/// Wait until the memory in use is again what it was `before` (bytes of the functions above; the heap may
/// keep 64 KiB of caches). Another thread may still be releasing a connection whose thread has ended.
::testing::AssertionResult heap_restored(std::size_t before);
::testing::AssertionResult shared_mappings_restored(std::size_t before);

}  // namespace faulttest
