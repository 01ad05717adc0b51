#include "subject.h"

#include <sys/prctl.h>
#include <time.h>

#include <cerrno>

#include "bench/harness/clock.h"
#include "bench/harness/machine.h"
#include "bench/harness/program.h"

namespace orbweaver::bench {
namespace {

void sleep_until(std::int64_t time_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec until{static_cast<time_t>(time_ns / kSecond), static_cast<long>(time_ns % kSecond)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

int run(const ProgramArguments& arguments, const ProfileSubject& subject) {
  const auto settings = profile_from_args(arguments.rest);
  const std::string stamps = arguments.value("--stamps");
  if (!settings || stamps.empty()) throw_not_for_users();
  // Timers of this thread and of those that it creates expire at their time, not up to 50 µs later.
  prctl(PR_SET_TIMERSLACK, 1UL);
  if (const std::string cpu = arguments.value("--cpu"); !cpu.empty()) pin_to(std::stoi(cpu));
  StampFile file(stamps, settings->all_packets(), StampFile::Mode::open);
  if (arguments.role == "serve")
    subject.serve({*settings, file.packets(), arguments.value("--scratch"), announce_ready});
  else
    subject.send({*settings, file.packets(), arguments.value("--address")});
  return 0;
}

}  // namespace

int profile_subject_main(int argc, char** argv, const ProfileSubject& subject) {
  return program_main(argv[0], [&] {
    return run(
        program_arguments(argc, argv, {"serve", "send"}, {"--stamps", "--cpu", "--scratch", "--address"}),
        subject);
  });
}

void send_profile_packets(const ProfileSender& sender, const std::function<void(std::uint32_t)>& prepare,
                          const std::function<void(std::uint32_t)>& send) {
  const std::int64_t interval_ns = std::int64_t{sender.settings.interval_us} * 1000;
  std::int64_t due_ns = steady_ns();
  for (std::uint32_t number = 0; number < sender.settings.all_packets(); ++number) {
    prepare(number);
    sleep_until(due_ns);
    PacketStamps& stamps = sender.stamps[number];
    stamps.called_ns = steady_ns();
    send(number);
    stamps.returned_ns = steady_ns();
    due_ns = stamps.called_ns + interval_ns;  // after a delay there is no burst
  }
}

}  // namespace orbweaver::bench
