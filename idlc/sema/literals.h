#pragma once

#include <optional>
#include <string>
#include <variant>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"

namespace orbweaver::idl {

/// The error result of the readers of literals (IDL 4.2, 7.2.6).
struct BadLiteral {
  std::string message;
  std::string suggestion;
};
using Number = std::variant<BadLiteral, ir::Integer, long double, ir::Fixed>;

/// Reads an integer, floating-point or fixed-point literal.
Number read_number(std::string_view text);

/// The value of a character or string literal.
struct TextLiteral {
  std::u32string characters;  // for a narrow literal: one element for each byte
  bool wide = false;
};
/// Reads a character or string literal that still has its quotes. The text of a wide one is UTF-8.
std::variant<BadLiteral, TextLiteral> read_text(std::string_view literal);

/// The noun for a literal in messages: "a wide string".
std::string_view literal_noun(const tree::Expression& literal);

}  // namespace orbweaver::idl
