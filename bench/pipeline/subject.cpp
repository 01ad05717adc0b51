#include "subject.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "work.h"

namespace orbweaver::bench {
namespace {

struct CommandLine {
  std::string role;
  PipelineSettings settings;
  unsigned stage = 0;
  std::string next;
};

CommandLine parsed(int argc, char** argv) {
  CommandLine line;
  if (argc > 1) line.role = argv[1];
  std::vector<std::string> rest;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    if (key == "--next")
      line.next = argv[i + 1];
    else if (key == "--stage")
      line.stage = static_cast<unsigned>(std::stoul(argv[i + 1]));
    else
      rest.insert(rest.end(), {key, argv[i + 1]});
  }
  const auto settings = pipeline_from_args(rest);
  if (!settings || argc % 2 != 0 || (line.role != "stage" && line.role != "produce"))
    throw std::runtime_error("this program is started by `orbweaver bench pipeline`; run that instead");
  line.settings = *settings;
  return line;
}

int run(const CommandLine& line, const PipelineSubject& subject) {
  // Timers of this thread and of those that it creates expire at their time, not up to 50 µs later.
  prctl(PR_SET_TIMERSLACK, 1UL);
  if (line.role == "stage") {
    subject.serve(line.settings, line.stage, line.next, [](const std::string& address) {
      std::printf("ready %s\n", address.c_str());
      std::fflush(stdout);
    });
    return 0;
  }
  for (const std::string& text : to_lines(subject.produce(line.settings, line.next)))
    std::printf("%s\n", text.c_str());
  return 0;
}

}  // namespace

int pipeline_subject_main(int argc, char** argv, const PipelineSubject& subject) {
  try {
    return run(parsed(argc, argv), subject);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
    return 1;
  }
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
