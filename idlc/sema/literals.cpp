#include "idlc/sema/literals.h"

#include <cstdlib>
#include <string_view>

#include "idlc/source/utf8.h"

namespace orbweaver::idl {
namespace {

constexpr ir::Integer kMaxUnsigned = static_cast<ir::Integer>(~std::uint64_t{0});

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

Number read_integer(std::string_view digits, int base) {
  if (digits.empty()) return BadLiteral{"a hexadecimal number needs digits after 0x", ""};
  ir::Integer value = 0;
  for (char c : digits) {
    if (digit(c) >= base) {
      bool octal = base == 8 && digit(c) < 10;
      return BadLiteral{
          std::string("'") + c + "' is no digit of " + (octal ? "an octal number" : "this number"),
          octal ? "a number that begins with 0 is octal; write it without the 0" : ""};
    }
    value = value * base + digit(c);
    if (value > kMaxUnsigned) return BadLiteral{"this number does not fit in 64 bits", ""};
  }
  return value;
}

Number read_fixed(std::string_view text) {
  text.remove_suffix(1);
  ir::Fixed out;
  bool point = false;
  int digits = 0;
  for (char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9')
      return BadLiteral{"this is not a fixed-point number", "write digits, a point, digits and 'd': 1.25d"};
    out.digits = out.digits * 10 + (c - '0');
    if (out.digits != 0) ++digits;
    if (point) ++out.scale;
    if (digits > 31) return BadLiteral{"a fixed-point number has at most 31 digits", ""};
  }
  while (out.scale > 0 && out.digits % 10 == 0) {
    out.digits /= 10;
    --out.scale;
  }
  return out;
}

Number read_floating(std::string_view text) {
  std::string copy(text);
  char* end = nullptr;
  long double value = std::strtold(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || text.find('x') != std::string_view::npos)
    return BadLiteral{"this is not a number", ""};
  return value;
}

struct Reader {
  std::string_view text;
  std::size_t at = 0;

  // Reads up to `max_digits` digits of base `base`; -1 if there is none.
  long long digits(int base, int max_digits) {
    long long value = -1;
    for (int i = 0; i < max_digits && at < text.size() && digit(text[at]) < base; ++i, ++at) {
      value = (value < 0 ? 0 : value) * base + digit(text[at]);
    }
    return value;
  }

  // Reads an escape sequence after its backslash; -1: a continued line, -2: an unknown escape.
  long long escape() {
    constexpr std::string_view kLetters = "ntvbrfa\\?'\"", kMeanings = "\n\t\v\b\r\f\a\\?'\"";
    const char c = text[at++];
    if (const std::size_t letter = kLetters.find(c); letter != std::string_view::npos)
      return kMeanings[letter];
    if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
    if (c == '\r' || c == '\n') return -1;
    if (c == 'x' || c == 'u') {
      const long long value = digits(16, c == 'x' ? 2 : 4);
      return value < 0 ? -2 : value;
    }
    if (digit(c) >= 8) return -2;
    --at;
    return digits(8, 3);
  }

  // Completes a character of which an escape sequence gave the UTF-16 code unit `high`, by the escape
  // sequence after it; nothing if they are not a surrogate pair (Unicode, D71 to D75).
  std::optional<char32_t> surrogate_pair(long long high) {
    if (high >= 0xdc00 || !text.substr(at).starts_with("\\u")) return std::nullopt;
    at += 2;
    const long long low = digits(16, 4);
    if (low < 0xdc00 || low > 0xdfff) return std::nullopt;
    return static_cast<char32_t>(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
  }

  // Reads one byte of a narrow literal, or one UTF-8 character of a wide one; nothing if it is invalid.
  std::optional<char32_t> character(bool wide) {
    if (!wide) return static_cast<unsigned char>(text[at++]);
    const Utf8Character out = first_character(text.substr(at));
    if (!out.valid) return std::nullopt;
    at += out.bytes;
    return out.code;
  }
};

}  // namespace

Number read_number(std::string_view text) {
  bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) return read_integer(text.substr(2), 16);
  if (text.back() == 'd' || text.back() == 'D') return read_fixed(text);
  if (text.find_first_of(".eE") != std::string_view::npos) return read_floating(text);
  char last = text.back();
  if (last == 'u' || last == 'U' || last == 'l' || last == 'L' || last == 'f' || last == 'F') {
    return BadLiteral{"IDL numbers have no suffix '" + std::string(1, last) + "'",
                      "remove it: the constant's type says what it is"};
  }
  return read_integer(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
}

std::variant<BadLiteral, TextLiteral> read_text(std::string_view literal) {
  TextLiteral out;
  out.wide = literal[0] == 'L';
  literal.remove_prefix(out.wide ? 2 : 1);
  literal.remove_suffix(1);
  Reader reader{literal};
  while (reader.at < literal.size()) {
    if (literal[reader.at] != '\\') {
      const std::optional<char32_t> character = reader.character(out.wide);
      if (!character)
        return BadLiteral{
            "this wide literal is not valid UTF-8",
            "save the file as UTF-8, or write the character as an escape sequence: L\"\\u00e9\""};
      out.characters += *character;
      continue;
    }
    std::size_t begin = reader.at++;
    bool unicode = literal[reader.at] == 'u';
    long long value = reader.escape();
    if (value == -1) continue;
    std::string written(literal.substr(begin, reader.at - begin));
    if (value == -2)
      return BadLiteral{"'" + written + "' is not an escape sequence",
                        "a backslash itself is written '\\\\'"};
    if (!out.wide && (unicode || value > 255)) {
      return BadLiteral{"'" + written + "' does not fit in a character of 8 bits",
                        "use a wide literal: L\"…\""};
    }
    if (value >= 0xd800 && value <= 0xdfff) {
      const std::optional<char32_t> character = reader.surrogate_pair(value);
      if (!character)
        return BadLiteral{"'" + written + "' is one half of a surrogate pair",
                          "write both halves, as in L\"\\ud83d\\ude00\", or the character itself in UTF-8"};
      out.characters += *character;
      continue;
    }
    out.characters += static_cast<char32_t>(value);
  }
  return out;
}

std::string_view literal_noun(const tree::Expression& literal) {
  switch (literal.literal[0].kind) {
    case TokenKind::string: return literal.literal[0].text[0] == 'L' ? "a wide string" : "a string";
    case TokenKind::character: return literal.literal[0].text[0] == 'L' ? "a wide character" : "a character";
    case TokenKind::identifier: return "a boolean";
    default: {
      Number number = read_number(literal.literal[0].text);
      return std::holds_alternative<ir::Integer>(number) ? "an integer"
             : std::holds_alternative<ir::Fixed>(number) ? "a fixed-point number"
                                                         : "a floating-point number";
    }
  }
}

}  // namespace orbweaver::idl
