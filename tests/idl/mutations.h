#pragma once

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <vector>

/// Mutations of IDL text at the level of tokens, as typing errors produce them.
namespace orbweaver::idl {

/// Splits `text` into words, literals, comments, directives (to the end of their line) and single other
/// characters. The pieces joined in order give the text again.
inline std::vector<std::string> split_into_tokens(const std::string& text) {
  std::vector<std::string> out;
  auto is_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '#' || text.compare(at, 2, "//") == 0)
      end = std::min(text.find('\n', at), text.size());
    else if (text[at] == '"' || text[at] == '\'')
      end = std::min(text.find(text[at], at + 1), text.size() - 1) + 1;
    else
      while (is_word(at) && is_word(end)) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

/// Removes one token, duplicates it, or replaces it with one of `others`.
inline void mutate(std::vector<std::string>& list, const std::vector<std::string>& others,
                   std::mt19937& random) {
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::size_t at = below(list.size());
  while (std::isspace(static_cast<unsigned char>(list[at][0]))) at = below(list.size());
  switch (below(4)) {
    case 0: list.erase(list.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: list[at] += ' ' + list[at] + ' '; break;
    default: list[at] = ' ' + others[below(others.size())] + ' ';
  }
}

}  // namespace orbweaver::idl
