#include "values.h"

#include <orbweaver/any.h>

#include <cmath>
#include <cstdio>
#include <limits>

namespace foreign {
namespace {

using Foreign::Numbers;

template <class T>
constexpr T lowest_of = std::numeric_limits<T>::lowest();
template <class T>
constexpr T highest_of = std::numeric_limits<T>::max();

/// As two doubles, whatever the format.
std::string text_of(long double number) {
  const auto rounded = static_cast<double>(number);
  char text[80];
  std::snprintf(
      text, sizeof text, "%a %a", rounded,
      std::isfinite(rounded) ? static_cast<double>(number - static_cast<long double>(rounded)) : 0.0);
  return text;
}

std::string text_of(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", number);
  return text;
}

std::string text_of(const std::wstring& wide) {
  std::string text;
  for (const wchar_t c : wide) text += "U+" + std::to_string(static_cast<unsigned long>(c)) + " ";
  return text;
}

}  // namespace

Numbers lowest() {
  return {0,
          lowest_of<std::int16_t>,
          1,
          lowest_of<std::int64_t>,
          0,
          0,
          false,
          lowest_of<std::int32_t>,
          ' ',
          lowest_of<double>,
          0,
          lowest_of<float>,
          2,
          -std::ldexp(1.0L, 900) - std::ldexp(1.0L, 840),
          L'\ufeff',
          3,
          L"",
          "",
          Foreign::Price("-9999999.99")};
}

Numbers highest() {
  return {255,
          highest_of<std::int16_t>,
          254,
          highest_of<std::int64_t>,
          highest_of<std::uint16_t>,
          highest_of<std::uint64_t>,
          true,
          highest_of<std::int32_t>,
          '~',
          highest_of<double>,
          highest_of<std::uint32_t>,
          highest_of<float>,
          253,
          1.0L + std::ldexp(1.0L, -60),
          L'\U0001F600',
          252,
          L"\ufeff\u4e2d\U0001F600 wide",
          std::string(100'000, 'x'),
          Foreign::Price("9999999.99")};
}

Numbers special() {
  Numbers n;
  n.s(0x0102);
  n.us(0x0304);
  n.l(0x01020304);
  n.ul(0x05060708);
  n.ll(0x0102030405060708);
  n.ull(0x090a0b0c0d0e0f10);
  n.d(std::numeric_limits<double>::denorm_min());
  n.f(-std::numeric_limits<float>::infinity());
  n.ld(-std::numeric_limits<long double>::infinity());
  n.c('\0');
  n.letter(L'\0');
  n.text("zero: \xc3\xa9");
  return n;
}

Foreign::Table table() {
  return {
      {}, {1}, {lowest_of<std::int64_t>, -1, highest_of<std::int64_t>}, std::vector<std::int64_t>(1000, 7)};
}

Foreign::Choices choices() {
  Foreign::Choices all(5);
  all[0].all(highest());
  all[1].rows(table());
  all[2].text("the highest discriminator");
  all[3].other(-0.0, 2);
  all[4].other(0.1, lowest_of<std::int64_t>);
  return all;
}

IDL::traits<Foreign::Node>::ref_type nodes() {
  const auto make = [](std::uint8_t octet, std::int64_t number) {
    auto node = IDL::traits<Foreign::Node>::make_reference();
    node->o(octet);
    node->number(number);
    return node;
  };
  const auto first = make(1, lowest_of<std::int64_t>), second = make(2, 2), third = make(3, -3);
  first->rows(table());
  first->content() <<= lowest();
  first->next(second);
  second->content() <<= choices();
  second->next(third);
  third->content() <<= highest_of<std::uint64_t>;
  return first;
}

std::string text(const Numbers& n) {
  std::string out;
  const auto add = [&out](const std::string& each) { out += each + ";"; };
  for (const int octet : {n.o(), n.o2(), n.o3(), n.o4()}) add(std::to_string(octet));
  add(std::to_string(n.s()));
  add(std::to_string(n.us()));
  add(std::to_string(n.l()));
  add(std::to_string(n.ul()));
  add(std::to_string(n.ll()));
  add(std::to_string(n.ull()));
  add(text_of(static_cast<double>(n.f())));
  add(text_of(n.d()));
  add(text_of(n.ld()));
  add(n.truth() ? "true" : "false");
  add(std::to_string(static_cast<unsigned char>(n.c())));
  add(text_of(std::wstring(1, n.letter())));
  add(text_of(n.wide()));
  add(n.text());
  add(n.cost().to_string());
  return out;
}

std::string text(const Foreign::Table& t) {
  std::string out;
  for (const auto& row : t) {
    for (const std::int64_t each : row) out += std::to_string(each) + ",";
    out += "|";
  }
  return out;
}

std::string text(const Foreign::Choices& c) {
  std::string out;
  for (const Foreign::Choice& each : c) {
    out += std::to_string(each._d()) + ":";
    switch (each._d()) {
      case -9223372036854775807: out += text(each.all()); break;
      case 0: out += text(each.rows()); break;
      case 9223372036854775807: out += each.text(); break;
      default: out += text_of(each.other());
    }
    out += "\n";
  }
  return out;
}

std::string text(const CORBA::Any& a) {
  Numbers numbers;
  Foreign::Choices choices;
  Foreign::Table rows;
  std::uint64_t ulonglong;
  std::string words;
  if (a >>= numbers) return text(numbers);
  if (a >>= choices) return text(choices);
  if (a >>= rows) return text(rows);
  if (a >>= ulonglong) return std::to_string(ulonglong);
  if (a >>= words) return words;
  return "?";
}

std::string text(const IDL::traits<Foreign::Node>::ref_type& n) {
  if (n == nullptr) return "nil";
  return std::to_string(n->o()) + " " + std::to_string(n->number()) + " " + text(n->rows()) + " " +
         text(n->content()) + " -> " + text(n->next());
}

std::string this_machine() {
  return std::to_string(8 * sizeof(void*)) + "-bit " +
         (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big-endian" : "little-endian");
}

}  // namespace foreign
