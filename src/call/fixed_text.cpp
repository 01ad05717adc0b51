#include "call/fixed_text.h"

#include <algorithm>

namespace orbweaver::call {
namespace {

constexpr std::uint8_t kPositive = 0xc, kNegative = 0xd;  // the last half of the last octet

}  // namespace

std::optional<std::vector<std::uint8_t>> fixed_from_text(const std::string& text, std::uint32_t digits,
                                                         std::int32_t scale) {
  if (scale < 0 || static_cast<std::uint32_t>(scale) > digits) return std::nullopt;
  const bool negative = text.starts_with('-');
  std::string whole = text.substr(negative ? 1 : 0), fraction;
  if (const std::size_t point = whole.find('.'); point != std::string::npos) {
    fraction = whole.substr(point + 1);
    whole.resize(point);
  }
  const auto is_digits = [](const std::string& part) {
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() + fraction.empty() == 2 || !is_digits(whole) || !is_digits(fraction)) return std::nullopt;
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  if (fraction.size() > static_cast<std::size_t>(scale) ||
      whole.size() + static_cast<std::size_t>(scale) > digits)
    return std::nullopt;
  fraction.append(static_cast<std::size_t>(scale) - fraction.size(), '0');
  const std::string all = std::string(digits - whole.size() - fraction.size(), '0') + whole + fraction;
  const bool is_zero = all.find_first_not_of('0') == std::string::npos;
  std::vector<std::uint8_t> halves(digits % 2 == 0 ? 1 : 0);
  for (const char c : all) halves.push_back(static_cast<std::uint8_t>(c - '0'));
  halves.push_back(negative && !is_zero ? kNegative : kPositive);
  std::vector<std::uint8_t> octets;
  for (std::size_t i = 0; i < halves.size(); i += 2)
    octets.push_back(static_cast<std::uint8_t>(halves[i] << 4 | halves[i + 1]));
  return octets;
}

std::string fixed_to_text(const std::uint8_t* octets, std::uint32_t digits, std::int32_t scale) {
  if (scale < 0 || static_cast<std::uint32_t>(scale) > digits) return {};
  const std::size_t count = (digits + 2) / 2;
  std::string all;
  for (std::size_t i = 0; i < 2 * count - 1; ++i) {
    const int half = i % 2 == 0 ? octets[i / 2] >> 4 : octets[i / 2] & 0xf;
    if (half > 9) return {};
    all += static_cast<char>('0' + half);
  }
  const int sign = octets[count - 1] & 0xf;
  if (sign != kPositive && sign != kNegative) return {};
  const std::size_t whole = all.size() - static_cast<std::size_t>(scale);
  std::string text = all.substr(0, whole);
  text.erase(0, std::min(text.find_first_not_of('0'), text.size()));
  if (text.empty()) text = "0";
  if (scale > 0) text += "." + all.substr(whole);
  return (sign == kNegative ? "-" : "") + text;
}

}  // namespace orbweaver::call
