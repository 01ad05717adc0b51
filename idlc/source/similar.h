#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver::idl {

/// Edits that turn one word into the other; more than `most`, or a very long word, counts as most + 1.
std::size_t edits_between(std::string_view a, std::string_view b, std::size_t most);

/// How many edits a misspelling of `word` may be away: none for words so short that all are alike.
std::size_t likely_edits(std::string_view word);

/// Of `words` (anything with string views in it) the nearest that `word` may have been meant for; or empty.
template <typename Words>
std::string_view nearest(std::string_view word, const Words& words) {
  std::string_view best;
  std::size_t most = likely_edits(word);
  if (most == 0) return best;
  for (std::string_view each : words) {
    std::size_t edits = edits_between(word, each, most);
    if (edits > most || (edits == most && !best.empty())) continue;
    best = each;
    most = edits;
  }
  return best;
}

}  // namespace orbweaver::idl
