#include "idlc/source/edit_distance.h"

#include <algorithm>
#include <vector>

namespace orbweaver::idl {

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t max_edits) {
  if (a.size() > b.size() + max_edits || b.size() > a.size() + max_edits || a.size() > 64 || b.size() > 64)
    return max_edits + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

std::size_t max_typo_distance(std::string_view word) { return word.size() < 3 ? 0 : word.size() < 5 ? 1 : 2; }

void NearestName::offer(std::string_view candidate) {
  if (max_edits_ == 0) return;
  const std::size_t edits = edit_distance(word_, candidate, max_edits_);
  if (edits > max_edits_ || (edits == max_edits_ && !best_.empty() && candidate >= best_)) return;
  best_ = candidate;
  max_edits_ = edits;
}

}  // namespace orbweaver::idl
