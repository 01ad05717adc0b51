#include "sca/deploy/component_output.h"

#include <cctype>

namespace orbweaver::sca {
namespace {

/// Limit of remembered line patterns. Beyond it every new pattern is printed even if it repeats, because
/// patterns are kept for the whole run.
constexpr std::size_t kMaxLinePatterns = 1000;

/// The line without digits and quoted words, to recognise repetitions: "[a] no 'x' in 12 ms" and "[b] no 'yz'
/// in 3 ms" both become "no '' in 0 ms".
std::string line_pattern(const std::string& text) {
  std::string pattern;
  bool quoted = false;
  for (const char c : text) {
    if (c == '\'') quoted = !quoted;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (quoted && c != '\'') continue;
    if (digit && !pattern.empty() && pattern.back() == '0') continue;
    pattern += digit ? '0' : c;
  }
  return pattern;
}

bool is_broken_connection(const std::string& text) {
  return text.starts_with("connection '") && text.find("' is broken: ") != std::string::npos;
}

bool is_cause(const std::string& text) {
  return text.starts_with("component ") && (text.find(" failed: ") != std::string::npos ||
                                            text.find(" cannot be created: ") != std::string::npos);
}

}  // namespace

void ComponentOutput::line(std::size_t process, const std::string& name, const std::string& text) {
  if (is_broken_connection(text)) {
    if (broken_++ == 0) first_broken_ = "[" + name + "] " + text;
    return;
  }
  if (is_cause(text)) causes_.emplace(process, text);
  const bool is_new = printed_.size() < kMaxLinePatterns ? printed_.insert(line_pattern(text)).second
                                                         : printed_.count(line_pattern(text)) == 0;
  if (failed_ && !is_new) {
    ++repeated_;
    return;
  }
  print_("[" + name + "] " + text);
}

std::string ComponentOutput::cause(std::size_t process) const {
  const auto found = causes_.find(process);
  return found == causes_.end() ? "" : found->second;
}

std::string ComponentOutput::summary() const {
  std::string text;
  if (broken_ == 1) text = "a connection broke: " + first_broken_;
  if (broken_ > 1) text = std::to_string(broken_) + " connections broke, first: " + first_broken_;
  if (repeated_ > 0) {
    text += (text.empty() ? "" : "\n") + std::to_string(repeated_) +
            " more component lines like those above were omitted";
  }
  return text;
}

}  // namespace orbweaver::sca
