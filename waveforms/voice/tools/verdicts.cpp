#include "tools/verdicts.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsp/rates.h"
#include "tools/page.h"

namespace orbweaver::voice {
namespace {

/// Formats a counter, which the result holds as a floating-point number.
std::string whole(double count) { return grouped(static_cast<std::uint64_t>(std::clamp(count, 0.0, 1e18))); }

Verdict completed(const RunResult& run) {
  const auto open =
      std::count_if(run.hops.begin(), run.hops.end(), [](const RunHop& h) { return !h.end_of_stream; });
  Verdict verdict{run.outcome == "completed" && open == 0 && !run.hops.empty(),
                  "The run completed and every stream reached its end", ""};
  verdict.evidence =
      fmt::format("{}; {} components, {} hops", run.outcome, run.components.size(), run.hops.size());
  if (open > 0) verdict.evidence += fmt::format(", {} of them without end of stream", open);
  if (!run.message.empty()) verdict.evidence += ": " + run.message;
  return verdict;
}

Verdict packets(const RunResult& run) {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  std::uint64_t reordered = 0;
  for (const RunHop& hop : run.hops) {
    sent += hop.packets;
    lost += hop.lost;
    reordered += hop.reordered;
  }
  return {sent > 0 && lost == 0 && reordered == 0, "No packet was lost or reordered",
          fmt::format("{} packets over {} hops: {} lost, {} reordered", grouped(sent), run.hops.size(),
                      grouped(lost), grouped(reordered))};
}

Verdict bits(const RunResult& run) {
  Verdict verdict{false, "The channel had bit errors, and all were corrected", ""};
  const auto errors = run.stat("channel_bit_errors");
  const auto compared = run.stat("channel_bits_compared");
  const auto good = run.stat("frames_good");
  const auto bad = run.stat("frames_bad");
  const auto lost = run.stat("frames_lost");
  if (!errors || !compared || !good || !bad || !lost) {
    verdict.evidence = "no component has these counters";
    return verdict;
  }
  verdict.holds = *errors > 0 && *good > 0 && *bad == 0 && *lost == 0;
  verdict.evidence = fmt::format(
      "before: {} of {} channel bits wrong ({:.1e}); after: {} frames, {} failed their checksum, {} lost",
      whole(*errors), whole(*compared), *compared > 0 ? *errors / *compared : 0.0, whole(*good), whole(*bad),
      whole(*lost));
  return verdict;
}

Verdict same(std::string claim, std::span<const std::int16_t> received,
             std::span<const std::int16_t> expected, const char* origin) {
  Verdict verdict{false, std::move(claim), ""};
  const std::size_t common = std::min(received.size(), expected.size());
  std::size_t different = 0;
  std::size_t first = common;
  for (std::size_t i = common; i-- > 0;) {
    if (received[i] == expected[i]) continue;
    ++different;
    first = i;
  }
  verdict.holds = different == 0 && received.size() == expected.size() && !received.empty();
  if (verdict.holds) {
    verdict.evidence = fmt::format("{} samples, {:.2f} s, all equal", grouped(received.size()),
                                   static_cast<double>(received.size()) / kSpeechRate);
  } else {
    verdict.evidence =
        fmt::format("{} samples received, {} {}", grouped(received.size()), grouped(expected.size()), origin);
    if (different > 0) {
      verdict.evidence += fmt::format(", {} differ, the first at {:.3f} s", grouped(different),
                                      static_cast<double>(first) / kSpeechRate);
    }
  }
  return verdict;
}

}  // namespace

std::vector<Verdict> judge(const RunResult& run, const Audio& audio) {
  std::vector<Verdict> verdicts{completed(run), packets(run), bits(run),
                                same("The decoded speech equals that of the codec alone", audio.out,
                                     audio.expected, "from the codec alone")};
  if (audio.other) {
    verdicts.push_back(same("Another deployment of the same assembly gives the same speech", audio.out,
                            *audio.other, "in the other deployment"));
  }
  return verdicts;
}

bool all_hold(const std::vector<Verdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) { return verdict.holds; });
}

}  // namespace orbweaver::voice
