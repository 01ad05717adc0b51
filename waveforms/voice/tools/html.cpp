// The functions of page.h that do not depend on the run: template, escaping, base64, number format.
#include <stdexcept>

#include "tools/page.h"

namespace orbweaver::voice {

std::string fill_template(const std::string& text,
                          const std::vector<std::pair<std::string, std::string>>& values) {
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = text.find("{{", at);
    out.append(text, at, open == std::string::npos ? open : open - at);
    if (open == std::string::npos) return out;
    const std::size_t close = text.find("}}", open);
    const std::string name = text.substr(open + 2, close - open - 2);
    bool found = false;
    for (const auto& [key, value] : values) {
      if (key != name) continue;
      out += value;
      found = true;
    }
    if (!found) throw std::logic_error("the page's template names {{" + name + "}}, which has no value");
    at = close + 2;
  }
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string base64(const std::string& octets) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((octets.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < octets.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < octets.size() ? static_cast<unsigned char>(octets[i + j]) : 0U);
    }
    for (unsigned j = 0; j < 4; ++j) out += kDigits[group >> (18 - 6 * j) & 63U];
    if (i + 1 >= octets.size()) out[out.size() - 2] = '=';
    if (i + 2 >= octets.size()) out.back() = '=';
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace orbweaver::voice
