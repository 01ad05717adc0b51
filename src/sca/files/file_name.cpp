#include "sca/files/file_name.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace orbweaver::sca {
namespace {

/// Prefix of the files into which a copy is written. Not a valid name, so that no client sees one.
constexpr std::string_view kTemporary = "~orbweaver-";

std::size_t max_length(FileNameRules rules) { return rules == FileNameRules::standard ? 40 : 255; }

bool is_valid_character(char c, FileNameRules rules) noexcept {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  if (c == '.' || c == '_' || c == '-') return true;
  return rules == FileNameRules::ascii && c >= ' ' && c <= '~' && c != '/' && c != '*' && c != '?';
}

/// A name as a message shows it: at most 64 characters, all printable.
std::string quoted(std::string_view name) {
  std::string text = "'";
  for (const char c : name.substr(0, 64)) {
    char escaped[8] = {c};
    if (c < ' ' || c > '~') std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
    text += escaped;
  }
  return text + (name.size() > 64 ? "...'" : "'");
}

FileName invalid(int error, std::string_view name, const std::string& reason) {
  return {{}, false, error, quoted(name) + ": " + reason};
}

/// Reads a name whose last part may have wild cards if `wild_cards`.
FileName parse(std::string_view name, FileNameRules rules, bool wild_cards) {
  if (name.size() > kMaxPathLength) {
    return invalid(
        ENAMETOOLONG, name,
        "it has " + std::to_string(name.size()) + " characters, more than " + std::to_string(kMaxPathLength));
  }
  if (name.empty() || name[0] != '/') return invalid(EINVAL, name, "it does not begin with '/'");
  FileName result;
  result.ends_with_slash = name.back() == '/';
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty()) continue;
    if (part == "." || part == "..") return invalid(EINVAL, name, quoted(part) + " is not allowed in it");
    if (part.size() > max_length(rules)) {
      return invalid(ENAMETOOLONG, name,
                     quoted(part) + " has more than " + std::to_string(max_length(rules)) + " characters");
    }
    const bool wild = wild_cards && end == name.size();
    const auto valid = [&](char c) {
      return is_valid_character(c, rules) || (wild && (c == '*' || c == '?'));
    };
    const auto bad = std::find_if_not(part.begin(), part.end(), valid);
    if (bad != part.end())
      return invalid(EINVAL, name, "the character " + quoted({&*bad, 1}) + " is not allowed there");
    if (part.substr(0, kTemporary.size()) == kTemporary)
      return invalid(EINVAL, name, "names that begin with " + quoted(kTemporary) + " are reserved");
    if (!result.path.empty()) result.path += '/';
    result.path += part;
  }
  return result;
}

}  // namespace

FileName parse_file_name(std::string_view name, FileNameRules rules) { return parse(name, rules, false); }

FileName parse_file_pattern(std::string_view pattern, FileNameRules rules) {
  FileName result = parse(pattern, rules, true);
  if (result.error == 0 && result.ends_with_slash) result.path = joined(result.path, "*");
  return result;
}

bool is_valid_part(std::string_view part, FileNameRules rules) noexcept {
  return !part.empty() && part != "." && part != ".." && part.size() <= max_length(rules) &&
         part.substr(0, kTemporary.size()) != kTemporary &&
         std::all_of(part.begin(), part.end(), [&](char c) { return is_valid_character(c, rules); });
}

bool matches_pattern(std::string_view pattern, std::string_view name) noexcept {
  // At a mismatch only the last "*" takes one more character: an earlier one need not take more.
  std::size_t p = 0, n = 0, star = std::string_view::npos, taken_to = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken_to = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken_to;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string last_part_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

}  // namespace orbweaver::sca
