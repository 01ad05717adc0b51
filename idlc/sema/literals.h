#pragma once

#include <optional>
#include <string>
#include <variant>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"

namespace orbweaver::idl {

/// What a literal says, or why it says nothing. IDL 4.2, 7.2.6.
struct BadLiteral {
  std::string message;
  std::string suggestion;
};
using Number = std::variant<BadLiteral, ir::Integer, long double, ir::Fixed>;

Number read_number(std::string_view text);

struct Text {
  std::u32string characters;  // of a narrow literal: bytes
  bool wide = false;
};
/// A character or string literal, with its quotes.
std::variant<BadLiteral, Text> read_text(std::string_view literal);

/// How messages name a literal: "a wide string".
std::string_view literal_noun(const tree::Expression& literal);

}  // namespace orbweaver::idl
