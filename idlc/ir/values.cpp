#include "idlc/ir/values.h"

#include <cstdio>
#include <cstdlib>

namespace orbweaver::idl::ir {

std::string to_string(Integer value) {
  bool negative = value < 0;
  std::string out;
  do {
    int digit = static_cast<int>(value % 10);
    out.insert(out.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  return (negative ? "-" : "") + out;
}

std::string to_string(const Fixed& value) {
  std::string digits = to_string(value.digits < 0 ? -value.digits : value.digits);
  std::size_t scale = static_cast<std::size_t>(value.scale);
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  std::string out = value.digits < 0 ? "-" : "";
  out.append(digits, 0, digits.size() - scale);
  if (scale > 0) out.append(1, '.').append(digits, digits.size() - scale);
  return out;
}

std::string to_string(long double value, TypeKind kind) {
  char buffer[64];
  int max_digits = kind == TypeKind::float_ ? 9 : kind == TypeKind::double_ ? 17 : 21;
  for (int digits = 1; digits <= max_digits; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*Lg", digits, value);
    long double back = std::strtold(buffer, nullptr);
    bool same = kind == TypeKind::float_    ? static_cast<float>(back) == static_cast<float>(value)
                : kind == TypeKind::double_ ? static_cast<double>(back) == static_cast<double>(value)
                                            : back == value;
    if (same) break;
  }
  std::string out = buffer;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

Integer label_number(const Value& label) {
  if (auto* integer = std::get_if<Integer>(&label)) return *integer;
  if (auto* boolean = std::get_if<bool>(&label)) return *boolean;
  if (auto* character = std::get_if<char>(&label)) return static_cast<unsigned char>(*character);
  if (auto* wide = std::get_if<WideText>(&label)) return wide->text[0];
  if (auto* enumerator = std::get_if<const Enumerator*>(&label)) return (*enumerator)->value;
  return 0;
}

}  // namespace orbweaver::idl::ir
