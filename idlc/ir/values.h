#pragma once

#include <string>

#include "idlc/ir/ir.h"

namespace orbweaver::idl::ir {

std::string to_string(Integer value);
/// Decimal notation with a decimal point and without an exponent.
std::string to_string(const Fixed& value);
/// The shortest text that reads back as the same number of this type; always has a decimal point or an
/// exponent.
std::string to_string(long double value, TypeKind kind);
/// Encodes text as UTF-8.
std::string utf8(std::u32string_view text);

}  // namespace orbweaver::idl::ir
