#include "idlc/parse/parser.h"

namespace orbweaver::idl {

using namespace tree;

bool parse(TokenSource& tokens, DefinitionSink& sink, Diagnostics& diagnostics) {
  return Parser(tokens, sink, diagnostics).run();
}

Parser::Parser(TokenSource& tokens, DefinitionSink& sink, Diagnostics& diagnostics)
    : tokens_(tokens), sink_(sink), diagnostics_(diagnostics) {
  take();
}

bool Parser::run() {
  try {
    for (;;) {
      emit_definitions(Token{});
      if (is(TokenKind::end)) break;
      diagnostics_.error("stray-brace", token_.span, "unmatched '}'")
          .suggest("remove it, or find the missing '{'");
      take();
      accept(TokenKind::semicolon);
      braces_ = 0;
    }
  } catch (SyntaxError) {
    // Too many errors: stop parsing.
  }
  return !stopped_ && !tokens_.stopped();
}

const Token& Parser::peek(std::size_t ahead) const {
  const Token* found = &token_;
  for (std::size_t at = 0; ahead > 0 && found->kind != TokenKind::end; ++at) {
    if (at == lookahead_.size()) lookahead_.push_back(tokens_.next());
    found = &lookahead_[at];
    if (found->kind < TokenKind::pragma) --ahead;
  }
  return *found;
}

Token Parser::take() {
  Token taken = token_;
  last_ = token_.span;
  previous_ = taken.kind == TokenKind::identifier ? taken.text : std::string_view();
  if (taken.kind == TokenKind::left_brace) ++braces_;
  if (taken.kind == TokenKind::right_brace) --braces_;
  if (stopped_ || (taken_ > 0 && taken.kind == TokenKind::end)) return taken;
  ++taken_;
  for (;;) {
    if (lookahead_.empty()) {
      token_ = tokens_.next();
    } else {
      token_ = lookahead_.front();
      lookahead_.pop_front();
    }
    if (token_.kind < TokenKind::pragma) return taken;
    queue_marker(token_);
  }
}

// Keeps a pragma or file marker, which may stand anywhere, until the next definition begins.
void Parser::queue_marker(const Token& token) {
  auto marker = std::make_unique<Definition>();
  marker->start = token.span;
  if (token.kind == TokenKind::pragma) marker->body = Pragma{token.text};
  if (token.kind == TokenKind::file_enter) marker->body = FileEnter{};
  if (token.kind == TokenKind::file_leave) marker->body = FileLeave{};
  pending_markers_.push_back(std::move(marker));
}

bool Parser::accept(TokenKind kind) {
  if (token_.kind != kind) return false;
  take();
  return true;
}

bool Parser::accept(Keyword keyword) {
  if (token_.keyword != keyword) return false;
  take();
  return true;
}

Token Parser::expect(TokenKind kind, std::string_view where) {
  if (token_.kind != kind)
    fail("syntax", "expected " + std::string(describe(kind)) + " " + std::string(where) + ", found " +
                       describe_token());
  return take();
}

void Parser::expect(Keyword keyword, std::string_view where) {
  if (!accept(keyword))
    fail("syntax", "expected '" + std::string(spelling(keyword)) + "' " + std::string(where) + ", found " +
                       describe_token());
}

void Parser::expect_semicolon(std::string_view after) {
  if (accept(TokenKind::semicolon)) return;
  bool forgotten = token_.starts_line || is(TokenKind::right_brace) || is(TokenKind::end);
  if (is(TokenKind::end) && (end_reported_ || tokens_.stopped())) return;
  // An unterminated literal has been reported already.
  if (!is(TokenKind::unknown)) {
    diagnostics_
        .error("missing-semicolon", last_.after(),
               "expected ';' after " + std::string(after) + (forgotten ? "" : ", found " + describe_token()))
        .suggest(forgotten ? "add ';' here" : "");
  }
  if (forgotten) return;
  angles_ = 0;
  throw SyntaxError{};
}

bool Parser::begins_definition() const {
  return is(Keyword::module_) || is(Keyword::interface_) || is(Keyword::struct_) || is(Keyword::union_) ||
         is(Keyword::enum_) || is(Keyword::typedef_) || is(Keyword::exception_) || is(Keyword::const_) ||
         is(Keyword::valuetype_) || is(Keyword::oneway_) || is(Keyword::attribute_) || is(Keyword::case_);
}

bool Parser::at_end_of_forward() const {
  return is(TokenKind::semicolon) || (token_.starts_line && begins_definition());
}

// Takes a '>'. Splits a '>>', which may close two templates.
void Parser::expect_closing_angle() {
  --angles_;
  if (is(TokenKind::shift_right)) {
    token_.kind = TokenKind::greater;
    token_.text.remove_prefix(1);
    ++token_.span.offset;
    token_.span.length = 1;
    return;
  }
  if (!is(TokenKind::greater)) {
    angles_ = 0;
    fail("syntax", "expected '>', found " + describe_token());
  }
  take();
}

void Parser::fail(std::string_view rule, std::string message, std::string suggestion) {
  angles_ = 0;
  bool at_end = is(TokenKind::end);
  // An unterminated literal or a premature end of the tokens has been reported where it occurred.
  if (!(at_end && (end_reported_ || tokens_.stopped())) && !is(TokenKind::unknown)) {
    diagnostics_.error(rule, at_end ? last_.after() : token_.span, std::move(message))
        .suggest(std::move(suggestion));
  }
  end_reported_ = end_reported_ || at_end;
  throw SyntaxError{};
}

std::string Parser::describe_token() const {
  if (is(TokenKind::end)) return "the end of the file";
  std::string text(token_.text.substr(0, 40));
  if (token_.keyword != Keyword::none && !is_soft(token_.keyword)) return "the keyword '" + text + "'";
  return is(TokenKind::string) ? text : "'" + text + "'";
}

// Skips to the end of the definition with the error, or to the start of the next one.
void Parser::recover(int depth) {
  while (!is(TokenKind::end)) {
    if (braces_ <= depth) {
      if (is(TokenKind::right_brace)) return;
      if (accept(TokenKind::semicolon)) return;
      if (begins_definition() && token_.starts_line) return;
    }
    bool closes = is(TokenKind::right_brace) && braces_ == depth + 1;
    take();
    if (closes) {
      // Names that follow on the same line belong to the definition: `struct { … } S;`
      while (!token_.starts_line && !is(TokenKind::semicolon) && at_identifier()) {
        take();
        if (!accept(TokenKind::comma)) break;
      }
      accept(TokenKind::semicolon);
      return;
    }
  }
}

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kMaxNesting) {
    --parser_.nesting_;
    bool was_reported = std::exchange(parser_.end_reported_, true);
    parser_.stopped_ = true;
    if (!was_reported) {
      parser_.diagnostics_.error("nesting", parser_.token_.span,
                                 "this is nested more than " + std::to_string(kMaxNesting) + " levels deep");
    }
    // The rest cannot be parsed: continue at the end of the file.
    parser_.token_.kind = TokenKind::end;
    parser_.token_.keyword = Keyword::none;
    throw SyntaxError{};
  }
}

bool Parser::at_identifier() const {
  return is(TokenKind::identifier) && (token_.keyword == Keyword::none || is_soft(token_.keyword));
}

Identifier Parser::identifier(std::string_view what, bool declared) {
  if (!is(TokenKind::identifier))
    fail("syntax", "expected " + std::string(what) + ", found " + describe_token());
  // `unsinged long x`, `onewya void f()`: the previous word may be a misspelt keyword.
  if (!at_identifier() && !previous_.empty() && keyword_of(previous_) == Keyword::none) {
    if (std::string_view near = nearest_keyword(previous_, KeywordPosition::modifier); !near.empty()) {
      angles_ = 0;
      diagnostics_.error("syntax", last_, "'" + std::string(previous_) + "' is not a keyword")
          .suggest("did you mean '" + std::string(near) + "'?");
      throw SyntaxError{};
    }
  }
  if (!at_identifier()) {
    fail("keyword",
         "'" + std::string(token_.text) + "' is a keyword; it cannot be used as " + std::string(what),
         "write '_" + std::string(token_.text) + "' to use the word as a name");
  }
  if (token_.text.size() > kMaxNameBytes)
    fail("too-large", "this name is longer than " + std::to_string(kMaxNameBytes) + " characters");
  Token token = take();
  Identifier out{token.text, token.span, false};
  if (out.text[0] == '_') {
    out.escaped = true;
    out.text.remove_prefix(1);
    bool bad = out.text.empty() || out.text[0] == '_' || (out.text[0] >= '0' && out.text[0] <= '9');
    if (bad) {
      diagnostics_
          .error("bad-identifier", token.span, "'" + std::string(token.text) + "' is not an identifier")
          .suggest("an identifier begins with a letter; one leading underscore escapes it");
      out.text = token.text;
    }
  } else if (std::string_view like = keyword_ignoring_case(out.text); declared && !like.empty()) {
    diagnostics_
        .error("keyword", token.span,
               "'" + std::string(token.text) + "' differs only in case from the keyword '" +
                   std::string(like) + "'")
        .suggest("choose another name, or write '_" + std::string(token.text) + "'");
  }
  return out;
}

ScopedName Parser::scoped_name(std::string_view what) {
  ScopedName out;
  out.span = token_.span;
  out.absolute = accept(TokenKind::scope);
  do {
    if (!out.parts.empty() && out.parts[0].text == "std" && is(TokenKind::identifier) && !at_identifier()) {
      fail("syntax", "IDL has no type 'std::" + std::string(token_.text) + "'",
           "write '" + std::string(token_.text) + "' alone");
    }
    out.parts.push_back(identifier(out.parts.empty() ? what : "a name after '::'", false));
    if (out.parts.size() > 1000) fail("syntax", "this name has too many parts");
  } while (accept(TokenKind::scope));
  if (last_.file == out.span.file && last_.offset >= out.span.offset) {
    out.span.length = last_.offset + last_.length - out.span.offset;
  }
  return out;
}

std::vector<ScopedName> Parser::scoped_names(std::string_view what) {
  std::vector<ScopedName> out;
  do out.push_back(scoped_name(what));
  while (accept(TokenKind::comma));
  return out;
}

std::vector<ScopedName> Parser::parenthesised_names(std::string_view what) {
  expect(TokenKind::left_paren, "before the list of exceptions");
  std::vector<ScopedName> out = scoped_names(what);
  expect(TokenKind::right_paren, "after the list of exceptions");
  return out;
}

Annotations Parser::annotations() {
  Annotations out;
  while (is(TokenKind::at) && peek().text != "annotation") out.push_back(annotation());
  return out;
}

Annotation Parser::annotation() {
  Annotation out;
  out.span = take().span;
  out.name.span = token_.span;
  // `@default` and `@map` are annotations, although the words are keywords.
  out.name.absolute = accept(TokenKind::scope);
  do {
    if (!is(TokenKind::identifier))
      fail("syntax", "expected the name of an annotation after '@', found " + describe_token());
    const Token name = take();
    out.name.parts.push_back({name.text, name.span, false});
  } while (accept(TokenKind::scope));
  out.span.length = last_.offset + last_.length - out.span.offset;
  if (accept(TokenKind::left_paren)) {
    if (!is(TokenKind::right_paren)) out.arguments = annotation_arguments();
    expect(TokenKind::right_paren, "after the arguments of an annotation");
  }
  return out;
}

std::vector<Annotation::Argument> Parser::annotation_arguments() {
  std::vector<Annotation::Argument> out;
  do {
    Annotation::Argument argument;
    if (is(TokenKind::identifier) && peek().kind == TokenKind::equals) {
      const Token name = take();
      argument.name = {name.text, name.span, false};
      take();
    }
    argument.value = expression();
    out.push_back(std::move(argument));
  } while (accept(TokenKind::comma));
  return out;
}

}  // namespace orbweaver::idl
