// What a run has to show, and whether it did.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/run_result.h"

namespace orbweaver::voice {

struct Verdict {
  bool holds = false;
  std::string claim;     ///< a sentence
  std::string evidence;  ///< the figures behind it
};

struct Audio {
  std::span<const std::int16_t> in;                    ///< what was spoken
  std::span<const std::int16_t> out;                   ///< what was heard
  std::span<const std::int16_t> expected;              ///< the codec alone
  std::optional<std::span<const std::int16_t>> other;  ///< heard in another deployment of the same assembly
};

/// The claims in the order of the page: the run completed; no packet lost or reordered; no bit error left
/// after error correction though the channel had some; the speech is that of the codec alone; and, where
/// `other` is given, the same in both deployments.
std::vector<Verdict> judge(const RunResult& run, const Audio& audio);

bool all_hold(const std::vector<Verdict>& verdicts);

}  // namespace orbweaver::voice
