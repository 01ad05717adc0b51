#include "roudi.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "bench/harness/child.h"

namespace orbweaver::bench {
namespace {

using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

/// Waits until a daemon that ends has removed its shared memory, at most 3 s: that of one that was killed
/// remains. A daemon that is started meanwhile does not become ready.
void wait_for_end_of_another() {
  const auto end = Clock::now() + 3s;
  while (access("/dev/shm/iceoryx_mgmt", F_OK) == 0 && Clock::now() < end) std::this_thread::sleep_for(20ms);
  std::this_thread::sleep_for(100ms);
}

/// Waits until the daemon prints that it is ready; false if it has ended before.
bool is_ready(Child& daemon) {
  while (const auto line = daemon.read_line(3s))
    if (line->find("ready for clients") != std::string::npos) return true;
  return false;
}

}  // namespace

std::string roudi_program() {
  const std::string program = "/usr/bin/iox-roudi";
  return access(program.c_str(), X_OK) == 0 ? program : "";
}

void start_roudi() {
  const auto end = Clock::now() + 15s;
  do {
    wait_for_end_of_another();
    // SIGTERM at the end of this process instead of SIGKILL (Child).
    auto daemon = std::make_unique<Child>(
        "/bin/sh", std::vector<std::string>{"-c", "exec setpriv --pdeathsig TERM " + roudi_program() +
                                                      " --monitoring-mode off 2>/dev/null"});
    if (is_ready(*daemon)) {
      (void)daemon.release();  // its end would be SIGKILL
      return;
    }
  } while (Clock::now() < end);
  throw std::runtime_error("iox-roudi does not start: does another one run?");
}

void ignore_end_of_roudi() { signal(SIGTERM, SIG_IGN); }

}  // namespace orbweaver::bench
