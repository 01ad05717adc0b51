#include "subject.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>

#include "bench/harness/program.h"
#include "work.h"

namespace orbweaver::bench {
namespace {

int run(const ProgramArguments& arguments, const PipelineSubject& subject) {
  const auto settings = pipeline_from_args(arguments.rest);
  if (!settings) throw_not_for_users();
  // Timers of this thread and of those that it creates expire at their time, not up to 50 µs later.
  prctl(PR_SET_TIMERSLACK, 1UL);
  if (arguments.role == "stage") {
    const std::string stage = arguments.value("--stage");
    if (stage.empty()) throw_not_for_users();
    subject.serve(*settings, static_cast<unsigned>(std::stoul(stage)), arguments.value("--next"),
                  announce_ready);
    return 0;
  }
  for (const std::string& text : to_lines(subject.produce(*settings, arguments.value("--next"))))
    std::printf("%s\n", text.c_str());
  return 0;
}

}  // namespace

int pipeline_subject_main(int argc, char** argv, const PipelineSubject& subject) {
  return program_main(argv[0], [&] {
    return run(program_arguments(argc, argv, {"stage", "produce"}, {"--next", "--stage"}), subject);
  });
}

Sends send_packets(const PipelineSettings& settings,
                   const std::function<void(std::uint32_t, const std::vector<double>&)>& send) {
  Sends sends;
  sends.send_us.reserve(settings.packets);
  std::vector<double> samples(kPacketSamples);
  sends.start_ns = steady_ns();
  for (std::uint32_t number = 0; number < settings.packets; ++number) {
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = sample_of(number, i);
    wait_until(sends.start_ns + static_cast<std::int64_t>(settings.pace_ms * 1e6 * number));
    const std::int64_t before_ns = steady_ns();
    send(number, samples);
    sends.send_us.push_back(static_cast<double>(steady_ns() - before_ns) / 1e3);
  }
  return sends;
}

std::uint64_t peak_memory_kib() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) : 0;
}

}  // namespace orbweaver::bench
