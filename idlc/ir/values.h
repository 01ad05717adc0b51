#pragma once

#include <string>

#include "idlc/ir/ir.h"

namespace orbweaver::idl::ir {

std::string to_string(Integer value);
/// Digits, a point and digits; no exponent.
std::string to_string(const Fixed& value);
/// Shortest text that reads back as the same number; always with a point or an exponent.
std::string to_string(long double value, TypeKind kind);
/// UTF-8.
std::string utf8(std::u32string_view text);

}  // namespace orbweaver::idl::ir
