#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver::idl {

/// The number of insertions, deletions and replacements of one character that turn `a` into `b`; max_edits +
/// 1 if it is greater than `max_edits` or a word is longer than 64 bytes.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t max_edits);

/// The largest edit distance at which a word counts as a misspelling of `word`: 0 for words of one or two
/// characters, of which almost any two are similar.
std::size_t max_typo_distance(std::string_view word);

/// The element of `words` (a range of string views) that `word` is most likely a misspelling of; empty if
/// none is similar enough.
template <typename Words>
std::string_view nearest(std::string_view word, const Words& words) {
  std::string_view best;
  std::size_t max_edits = max_typo_distance(word);
  if (max_edits == 0) return best;
  for (std::string_view each : words) {
    std::size_t edits = edit_distance(word, each, max_edits);
    if (edits > max_edits || (edits == max_edits && !best.empty())) continue;
    best = each;
    max_edits = edits;
  }
  return best;
}

/// The word that `word` is most likely a misspelling of, among words offered one at a time in any order; of
/// equally similar ones, the first in the alphabet.
class NearestName {
 public:
  explicit NearestName(std::string_view word) : word_(word), max_edits_(max_typo_distance(word)) {}

  void offer(std::string_view candidate);
  /// Empty if none is similar enough.
  std::string_view best() const { return best_; }

 private:
  std::string_view word_, best_;
  std::size_t max_edits_;
};

}  // namespace orbweaver::idl
