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
/// A label of a union as a number: of an enumerator, its position.
Integer label_number(const Value& label);

}  // namespace orbweaver::idl::ir
