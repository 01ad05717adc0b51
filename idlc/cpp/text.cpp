#include "idlc/cpp/text.h"

namespace orbweaver::idl::cpp {

std::string fill(std::string_view pattern,
                 std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string out;
  while (!pattern.empty()) {
    std::size_t end = pattern.find('\n');
    std::string_view line = pattern.substr(0, end);
    pattern.remove_prefix(end == std::string_view::npos ? pattern.size() : end + 1);
    std::string expanded;
    bool replaced = false;
    for (std::size_t at = 0; at < line.size();) {
      std::size_t open = line.find('$', at);
      std::size_t close = open == std::string_view::npos ? open : line.find('$', open + 1);
      if (close == std::string_view::npos) {
        expanded += line.substr(at);
        break;
      }
      expanded += line.substr(at, open - at);
      std::string_view name = line.substr(open + 1, close - open - 1);
      for (const auto& [key, value] : values) {
        if (key == name) expanded += value;
      }
      replaced = true;
      at = close + 1;
    }
    bool vanishes = replaced && expanded.find_first_not_of(' ') == std::string::npos;
    if (vanishes) continue;
    out += expanded;
    if (end != std::string_view::npos && !expanded.ends_with('\n')) out += '\n';
  }
  return out;
}

std::string indented(std::string_view text, int spaces) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty()) out.append(static_cast<std::size_t>(spaces), ' ');
    out += line;
    out += '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string list(std::string head, const std::vector<std::string>& items, std::string_view tail, int column) {
  constexpr std::size_t kWidth = 110;
  std::size_t indent = head.size();
  // After a very long head the items begin on the next line.
  if (indent > kWidth * 2 / 3 && !items.empty()) {
    indent = 4;
    head += '\n' + std::string(indent, ' ');
  }
  const std::size_t moved = static_cast<std::size_t>(column);
  std::size_t at = moved + indent;
  for (std::size_t i = 0; i < items.size(); ++i) {
    bool last = i + 1 == items.size();
    std::size_t needed = items[i].size() + (last ? tail.size() : 1);
    if (i > 0) {
      if (at + 1 + needed > kWidth) {
        head += '\n' + std::string(indent, ' ');
        at = moved + indent;
      } else {
        head += ' ';
        ++at;
      }
    }
    head += items[i];
    if (!last) head += ',';
    at += items[i].size() + (last ? 0 : 1);
  }
  return head + std::string(tail);
}

std::string join(const std::vector<std::string>& items, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) out += (i ? std::string(separator) : "") + items[i];
  return out;
}

std::string in_namespace(const std::string& name, const std::string& text) {
  if (text.empty() || name.empty()) return text;
  return "namespace " + name + " {\n\n" + text + (text.ends_with("\n\n") ? "" : "\n") + "}  // namespace " +
         name + "\n\n";
}

}  // namespace orbweaver::idl::cpp
