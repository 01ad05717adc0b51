#include "runner.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "bench/harness/child.h"
#include "bench/harness/machine.h"
#include "bench/harness/scratch.h"

namespace orbweaver::bench {
namespace {

constexpr std::chrono::seconds kStartLimit{120};

std::vector<std::string> arguments(const char* role, const ProfileSettings& settings,
                                   std::vector<std::string> more) {
  std::vector<std::string> args{role};
  for (std::string& arg : to_args(settings)) args.push_back(std::move(arg));
  for (std::string& arg : more) args.push_back(std::move(arg));
  return args;
}

/// Twenty times the time that the packets take with their interval, and two minutes.
std::chrono::milliseconds run_limit(const ProfileSettings& s) {
  return std::chrono::milliseconds(std::uint64_t{20} * s.all_packets() * (s.interval_us + 50) / 1000) +
         std::chrono::minutes(2);
}

}  // namespace

ProfileRun run_profile(const ProfileSettings& settings, const std::string& program, Pin pin) {
  const Scratch scratch;
  const Placement cpus = placement(pin, allowed_cpus());
  const std::string file = scratch.path() + "/stamps";
  StampFile stamps(file, settings.all_packets(), StampFile::Mode::create);
  Child receiver(program, arguments("serve", settings,
                                    {"--stamps", file, "--cpu", std::to_string(cpus.server), "--scratch",
                                     scratch.path()}));
  const auto ready = receiver.read_line(kStartLimit);
  if (!ready || !ready->starts_with("ready "))
    throw std::runtime_error("the receiver " + describe_exit(receiver.wait(kStartLimit)));
  Child sender(program, arguments("send", settings,
                                  {"--stamps", file, "--cpu", std::to_string(cpus.client), "--address",
                                   ready->substr(6)}));
  if (const auto status = sender.wait(run_limit(settings)); status != 0)
    throw std::runtime_error("the sender " + describe_exit(status));
  const auto measured = stamps.packets().subspan(kProfileWarmUp);
  return {{measured.begin(), measured.end()}};
}

ProcessorLoad::ProcessorLoad(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const pid_t process = fork();
    if (process < 0) {
      const int error = errno;
      end();
      throw std::system_error(error, std::generic_category(), "cannot start a process");
    }
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (volatile bool on = true; on;) {
      }
      _exit(0);
    }
    processes_.push_back(process);
  }
}

ProcessorLoad::~ProcessorLoad() { end(); }

void ProcessorLoad::end() {
  for (const pid_t process : processes_) kill(process, SIGKILL);
  for (const pid_t process : processes_) waitpid(process, nullptr, 0);
}

}  // namespace orbweaver::bench
