// Checks of a run of the voice waveform.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/run_result.h"

namespace orbweaver::voice {

/// The result of one check.
struct Verdict {
  bool holds = false;
  std::string claim;     ///< the checked statement, a sentence
  std::string evidence;  ///< the figures that support or refute it
};

/// The recordings that judge() compares; it does not own them.
struct Audio {
  std::span<const std::int16_t> in;                    ///< input of the run
  std::span<const std::int16_t> out;                   ///< output of the run
  std::span<const std::int16_t> expected;              ///< output of the codec alone
  std::optional<std::span<const std::int16_t>> other;  ///< output of another deployment of the assembly
};

/// Returns the verdicts in the order of the page: the run completed; no packet was lost or reordered; the
/// channel had bit errors and none is left after error correction; the speech equals that of the codec alone;
/// and, if `other` is given, both deployments give the same speech.
std::vector<Verdict> judge(const RunResult& run, const Audio& audio);

bool all_hold(const std::vector<Verdict>& verdicts);

}  // namespace orbweaver::voice
