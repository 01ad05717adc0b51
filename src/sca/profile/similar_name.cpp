#include "sca/profile/similar_name.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace orbweaver::sca {
namespace {

constexpr std::size_t kMaxLength = 64;
constexpr std::size_t kMaxNames = 500;
constexpr std::size_t kEdit = 2;  // the weight of an edit; that of a letter in the other case is 1

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::size_t replacement(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? 1 : kEdit;
}

/// The weight of the edits that turn `a` into `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, kMaxLength + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j * kEdit;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const auto& before = rows[(i - 1) % 3];
    auto& row = rows[i % 3];
    row[0] = i * kEdit;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({before[j] + kEdit, row[j - 1] + kEdit, before[j - 1] + replacement(a[i - 1], b[j - 1])});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + kEdit);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string_view similar_name(std::string_view word, const std::vector<std::string_view>& names) {
  std::string_view best;
  if (word.empty() || word.size() > kMaxLength || names.size() > kMaxNames) return best;
  // A third of the letters may differ.
  std::size_t limit = std::max<std::size_t>(word.size() * kEdit / 3, 1);
  for (const std::string_view name : names) {
    if (name.size() > kMaxLength) continue;
    const std::size_t longer = std::max(word.size(), name.size()),
                      shorter = std::min(word.size(), name.size());
    if ((longer - shorter) * kEdit > limit) continue;
    const std::size_t edits = distance(word, name);
    if (edits > limit || (edits == limit && !best.empty())) continue;
    best = name;
    limit = edits;
  }
  return best;
}

}  // namespace orbweaver::sca
