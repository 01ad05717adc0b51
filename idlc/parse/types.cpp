#include "idlc/parse/foreign_keywords.h"
#include "idlc/parse/parser.h"

namespace orbweaver::idl {

using namespace tree;
using ir::TypeKind;

bool Parser::at_constructed() const {
  return is(Keyword::struct_) || is(Keyword::union_) || is(Keyword::enum_);
}

// Whether `sequence<…>`, `string`, `fixed` or another type with parameters begins here.
bool Parser::at_template_type() const {
  return is(Keyword::sequence_) || is(Keyword::string_) || is(Keyword::wstring_) || is(Keyword::fixed_) ||
         (is(Keyword::map_) && peek().kind == TokenKind::less);
}

TypeSpec Parser::type_spec(std::string_view what, bool constructed_allowed) {
  Nesting deeper(*this);
  TypeSpec out;
  out.annotations = annotations();
  out.span = token_.span;
  if (at_constructed()) {
    if (!constructed_allowed) {
      fail("syntax", "a " + std::string(token_.text) + " cannot be defined here",
           "define it on its own and use its name");
    }
    out.kind = TypeKind::declared;
    out.constructed = constructed_type();
  } else if (at_template_type()) {
    Annotations kept = std::move(out.annotations);
    out = template_type();
    out.annotations = std::move(kept);
  } else if (!basic_type(out)) {
    out.kind = TypeKind::declared;
    out.name = type_name(what);
    out.span = out.name.span;
  }
  return out;
}

DefinitionPtr Parser::constructed_type() {
  auto out = std::make_unique<Definition>();
  out->start = token_.span;
  if (is(Keyword::struct_))
    struct_(*out);
  else if (is(Keyword::union_))
    union_(*out);
  else
    enum_(*out);
  return out;
}

// Parses the name of a type. Reports words that other languages have in its place.
ScopedName Parser::type_name(std::string_view what) {
  if (is(Keyword::void_)) fail("syntax", "'void' is only what an operation may return");
  if (is(Keyword::const_)) fail("syntax", "'const' has no meaning here", "remove it");
  // `signed` is not a modifier in IDL. Another type after it shows that it was meant as one.
  const bool before_type = peek().keyword != Keyword::none && !is_soft(peek().keyword);
  if (token_.text == "signed" && before_type)
    fail("syntax", "IDL has no word 'signed'", std::string(suggestion_for_foreign_type("signed")));
  if (!is(TokenKind::scope) && !at_identifier())
    fail("syntax", "expected " + std::string(what) + ", found " + describe_token());
  ScopedName out = scoped_name(what);
  if (!is(TokenKind::less)) return out;
  const std::string_view last = out.parts.back().text;
  const std::string_view advice = suggestion_for_foreign_type(last);
  fail("syntax", "IDL has no type '" + std::string(last) + "<…>'",
       advice.empty() ? "IDL's own are sequence<T>, map<K, V>, string<N>, wstring<N> and fixed<D, S>"
                      : std::string(advice));
}

// Reports `long long long` and `long int x`.
void Parser::reject_excess_type_keyword() {
  if (is(Keyword::long_) || is(Keyword::double_))
    fail("syntax", "IDL has no type 'long long " + std::string(token_.text) + "'",
         "use 'long long' (64 bits) or 'long double'");
  if (token_.text == "int" && peek().kind == TokenKind::identifier)
    fail("syntax", "IDL has no word 'int' here", "remove it: 'long' alone is the type");
}

namespace {

// The type that one keyword names; nullopt if it needs further words, or names no basic type.
std::optional<TypeKind> one_word_type(Keyword keyword) {
  switch (keyword) {
    case Keyword::boolean_: return TypeKind::boolean;
    case Keyword::char_: return TypeKind::char_;
    case Keyword::wchar_: return TypeKind::wchar;
    case Keyword::octet_: return TypeKind::octet;
    case Keyword::short_: return TypeKind::short_;
    case Keyword::float_: return TypeKind::float_;
    case Keyword::double_: return TypeKind::double_;
    case Keyword::any_: return TypeKind::any;
    case Keyword::object_: return TypeKind::object;
    case Keyword::value_base_: return TypeKind::value_base;
    default: return std::nullopt;
  }
}

}  // namespace

bool Parser::basic_type(TypeSpec& out) {
  if (const std::optional<TypeKind> kind = one_word_type(token_.keyword)) {
    take();
    out.kind = *kind;
  } else if (accept(Keyword::long_)) {
    out.kind = long_type();
  } else if (accept(Keyword::unsigned_)) {
    out.kind = unsigned_type();
  } else {
    return false;
  }
  if (last_.file == out.span.file && last_.offset >= out.span.offset)
    out.span.length = last_.offset + last_.length - out.span.offset;
  return true;
}

// Parses the words after `long`.
TypeKind Parser::long_type() {
  if (accept(Keyword::double_)) return TypeKind::longdouble;
  const bool twice = accept(Keyword::long_);
  reject_excess_type_keyword();
  return twice ? TypeKind::longlong : TypeKind::long_;
}

// Parses the words after `unsigned`.
TypeKind Parser::unsigned_type() {
  if (accept(Keyword::short_)) return TypeKind::ushort;
  if (!accept(Keyword::long_)) {
    fail("syntax", "expected 'short' or 'long' after 'unsigned', found " + describe_token(),
         token_.text == "int" ? "write 'unsigned long' (32 bits)"
         : is(Keyword::char_)
             ? "write 'octet'"
             : "there are unsigned short, unsigned long and unsigned long long; a byte is an octet");
  }
  const bool twice = accept(Keyword::long_);
  reject_excess_type_keyword();
  return twice ? TypeKind::ulonglong : TypeKind::ulong;
}

TypeSpec Parser::template_type() {
  TypeSpec out;
  out.span = token_.span;
  Keyword keyword = take().keyword;
  switch (keyword) {
    case Keyword::sequence_: out.kind = TypeKind::sequence; break;
    case Keyword::string_: out.kind = TypeKind::string; break;
    case Keyword::wstring_: out.kind = TypeKind::wstring; break;
    case Keyword::fixed_: out.kind = TypeKind::fixed; break;
    default: out.kind = TypeKind::map; break;
  }
  bool bare = keyword == Keyword::string_ || keyword == Keyword::wstring_ || keyword == Keyword::fixed_;
  if (bare && !is(TokenKind::less)) return out;
  expect(TokenKind::less, "after '" + std::string(spelling(keyword)) + "'");
  ++angles_;
  if (keyword == Keyword::sequence_) {
    out.element = std::make_unique<TypeSpec>(type_spec("the type of the elements"));
    if (accept(TokenKind::comma)) out.bound = expression();
  } else if (keyword == Keyword::map_) {
    out.key = std::make_unique<TypeSpec>(type_spec("the type of the keys"));
    expect(TokenKind::comma, "after the type of the keys");
    out.element = std::make_unique<TypeSpec>(type_spec("the type of the values"));
    if (accept(TokenKind::comma)) out.bound = expression();
  } else {
    out.bound = expression();
    if (keyword == Keyword::fixed_) {
      expect(TokenKind::comma, "between the digits and the scale of a fixed-point type");
      out.scale = expression();
    }
  }
  expect_closing_angle();
  return out;
}

}  // namespace orbweaver::idl
