#include "idlc/preprocess/macros.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "idlc/preprocess/limits.h"

namespace orbweaver::idl {
namespace {

bool is_open(const Token& token) { return token.kind == TokenKind::left_paren; }
bool is_close(const Token& token) { return token.kind == TokenKind::right_paren; }

bool same_body(const Macro& a, const Macro& b) {
  return a.function_like == b.function_like && a.parameters == b.parameters &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
                    [](const Token& x, const Token& y) { return x.text == y.text; });
}

}  // namespace

const Macro* Macros::find(std::string_view name) const {
  auto found = macros_.find(name);
  return found == macros_.end() ? nullptr : found->second.get();
}

void Macros::define(const std::vector<Token>& line, Span directive) {
  if (line.empty() || line[0].kind != TokenKind::identifier) {
    diagnostics_.error("bad-define", line.empty() ? directive : line[0].span, "#define needs a name");
    return;
  }
  if (line[0].text == "defined") {
    diagnostics_.error("bad-define", line[0].span, "'defined' cannot be a macro's name");
    return;
  }
  auto macro = std::make_unique<Macro>();
  macro->name = line[0];
  std::size_t at = 1;
  if (line.size() > 1 && is_open(line[1]) && !line[1].space_before) {
    macro->function_like = true;
    for (at = 2; at < line.size() && !is_close(line[at]); ++at) {
      if (line[at].kind == TokenKind::identifier) macro->parameters.push_back(line[at].text);
      if (line[at].kind == TokenKind::ellipsis) {
        macro->variadic = true;
        macro->parameters.push_back("__VA_ARGS__");
      }
      bool separator = line[at].kind == TokenKind::comma;
      bool wants_separator = (at % 2) == 1;
      bool name = line[at].kind == TokenKind::identifier || line[at].kind == TokenKind::ellipsis;
      if (separator != wants_separator || name == wants_separator ||
          macro->parameters.size() > limits::kMacroArguments)
        break;
    }
    if (at >= line.size() || !is_close(line[at]) || line[at - 1].kind == TokenKind::comma) {
      diagnostics_.error("bad-define", line[0].span,
                         "the parameters of macro '" + std::string(line[0].text) +
                             "' are not a list of names in parentheses");
      return;
    }
    ++at;
  }
  macro->body.assign(line.begin() + static_cast<std::ptrdiff_t>(at), line.end());
  std::unordered_map<std::string_view, int> numbers;
  for (std::string_view each : macro->parameters) numbers.emplace(each, static_cast<int>(numbers.size()));
  for (const Token& each : macro->body) {
    const auto number = each.kind == TokenKind::identifier ? numbers.find(each.text) : numbers.end();
    macro->parameter_of.push_back(number == numbers.end() ? -1 : number->second);
  }
  if (!is_well_formed(*macro)) return;
  auto& slot = macros_[macro->name.text];
  if (slot && !same_body(*slot, *macro)) {
    diagnostics_
        .warning("macro-redefined", macro->name.span,
                 "macro '" + std::string(macro->name.text) + "' is defined again, differently")
        .suggest("#undef it first, if that is meant")
        .note(slot->name.span, "the earlier definition");
  }
  slot = std::move(macro);
}

// Checks the rules of C for a definition: distinct parameter names, '##' between two tokens, '#' before a
// parameter.
bool Macros::is_well_formed(const Macro& macro) {
  std::unordered_set<std::string_view> names;
  for (std::string_view each : macro.parameters) {
    if (names.insert(each).second) continue;
    diagnostics_.error(
        "bad-define", macro.name.span,
        "macro '" + std::string(macro.name.text) + "' has two parameters named '" + std::string(each) + "'");
    return false;
  }
  for (std::size_t i = 0; i < macro.body.size(); ++i) {
    const Token& token = macro.body[i];
    bool last = i + 1 == macro.body.size();
    if (token.kind == TokenKind::hash_hash && (i == 0 || last)) {
      diagnostics_.error("bad-define", token.span, "'##' needs an operand on both sides");
      return false;
    }
    bool quotes = macro.function_like && token.kind == TokenKind::hash;
    if (quotes && (last || macro.parameter_of[i + 1] < 0)) {
      diagnostics_.error("bad-define", token.span, "'#' stands before a parameter of the macro only");
      return false;
    }
  }
  return true;
}

Macro* Macros::lookup(const Token& token) {
  if (token.kind != TokenKind::identifier || token.no_expand || macros_.empty()) return nullptr;
  auto found = macros_.find(token.text);
  return found == macros_.end() ? nullptr : found->second.get();
}

bool Macros::is_macro(const Token& token) const {
  if (token.kind != TokenKind::identifier) return false;
  if (token.text.starts_with("__") && (token.text == "__FILE__" || token.text == "__LINE__")) return true;
  return !macros_.empty() && macros_.contains(token.text);
}

bool Macros::expand_predefined(const Token& token, std::vector<Token>& out) {
  if (!token.text.starts_with("__") || macros_.contains(token.text)) return false;
  Token result = token;
  result.from_macro = true;
  if (!site_.known()) return false;
  auto at = sources_.position(site_);
  if (token.text == "__LINE__") {
    result.kind = TokenKind::number;
    result.text = sources_.keep(std::to_string(at.line));
  } else if (token.text == "__FILE__") {
    result.kind = TokenKind::string;
    result.text = sources_.keep('"' + std::string(at.path) + '"');
  } else {
    return false;
  }
  out.push_back(result);
  return true;
}

bool Macros::expand(TokenCursor& from, std::vector<Token>& out) {
  site_ = from.peek().span;
  return scan(from, out, true);
}

bool Macros::expand_all(const std::vector<Token>& tokens, std::vector<Token>& out) {
  if (!tokens.empty()) site_ = tokens[0].span;
  TokenCursor from(tokens);
  return scan(from, out, false);
}

bool Macros::over_limit(std::size_t added) {
  expanded_tokens_ += added;
  if (!stopped_ && (expanded_tokens_ > limits::kExpandedTokens || depth_ > limits::kMacroDepth ||
                    pasted_bytes_ > limits::kPastedBytes)) {
    stopped_ = true;
    diagnostics_.error("macro-limit", site_,
                       depth_ > limits::kMacroDepth ? "macro calls are nested too deeply"
                                                    : "macro expansion does not end within reason");
  }
  return stopped_;
}

bool Macros::next(std::vector<Context>& stack, TokenCursor& base, Token& token) {
  while (!stack.empty() && stack.back().at == stack.back().tokens.size()) {
    stack.back().macro->active = false;
    stack.pop_back();
  }
  if (!stack.empty()) {
    token = stack.back().tokens[stack.back().at++];
  } else {
    if (base.at_end()) return false;
    token = base.take();
  }
  if (Macro* macro = lookup(token); macro && macro->active) token.no_expand = true;
  return true;
}

const Token& Macros::peek(const std::vector<Context>& stack, const TokenCursor& base) {
  for (auto context = stack.rbegin(); context != stack.rend(); ++context) {
    if (context->at < context->tokens.size()) return context->tokens[context->at];
  }
  return base.peek();
}

bool Macros::scan(TokenCursor& base, std::vector<Token>& out, bool only_first) {
  std::vector<Context> stack;
  ++depth_;
  Token token;
  bool first = true;
  while (!over_limit(1) && (first || !only_first || !stack.empty()) && next(stack, base, token)) {
    // With only_first, tokens after the end of the expansion are left to the caller.
    first = false;
    Macro* macro = lookup(token);
    bool call = macro && (!macro->function_like || is_open(peek(stack, base)));
    if (!call) {
      if (!expand_predefined(token, out)) out.push_back(token);
    } else {
      Arguments arguments;
      if (!macro->function_like || collect(*macro, stack, base, arguments)) {
        Context context{substitute(*macro, arguments), 0, macro};
        if (!context.tokens.empty()) context.tokens[0].space_before = token.space_before;
        if (over_limit(context.tokens.size())) break;
        macro->active = true;
        stack.push_back(std::move(context));
        // Limits the nesting. Exhausted contexts are removed below, so a long chain of macros does not
        // accumulate.
        if (stack.size() > limits::kMacroDepth * 20) {
          depth_ += limits::kMacroDepth;
          over_limit(0);
          depth_ -= limits::kMacroDepth;
        }
      }
    }
    while (!stack.empty() && stack.back().at == stack.back().tokens.size()) {
      // Removed only after the lookahead above: a function-like macro's name at the end of an expansion may
      // have its '(' in the tokens that follow.
      stack.back().macro->active = false;
      stack.pop_back();
    }
  }
  for (Context& context : stack) context.macro->active = false;
  --depth_;
  return !stopped_;
}

bool Macros::collect(const Macro& macro, std::vector<Context>& stack, TokenCursor& base,
                     Arguments& arguments) {
  Token token;
  next(stack, base, token);  // the '('
  arguments.emplace_back();
  for (std::size_t nesting = 1;;) {
    const Token& follow = peek(stack, base);
    bool directive = follow.kind == TokenKind::hash && follow.starts_line && stack.empty();
    if (directive || !next(stack, base, token)) {
      diagnostics_
          .error("macro-arguments", site_,
                 "the call of macro '" + std::string(macro.name.text) + "' has no ')'")
          .note(macro.name.span, "defined here");
      return false;
    }
    if (is_open(token)) ++nesting;
    if (is_close(token) && --nesting == 0) break;
    bool rest = macro.variadic && arguments.size() == macro.parameters.size();
    if (token.kind == TokenKind::comma && nesting == 1 && !rest) {
      arguments.emplace_back();
      if (arguments.size() > limits::kMacroArguments) return !over_limit(limits::kExpandedTokens);
    } else {
      if (over_limit(1)) return false;
      arguments.back().push_back(token);
    }
  }
  if (macro.parameters.empty() && arguments.size() == 1 && arguments[0].empty()) arguments.clear();
  if (macro.variadic && arguments.size() + 1 == macro.parameters.size()) arguments.emplace_back();
  if (arguments.size() == macro.parameters.size()) return true;
  diagnostics_
      .error("macro-arguments", site_,
             "macro '" + std::string(macro.name.text) + "' takes " + std::to_string(macro.parameters.size()) +
                 " arguments, not " + std::to_string(arguments.size()))
      .note(macro.name.span, "defined here");
  return false;
}

std::vector<Token> Macros::substitute(const Macro& macro, const Arguments& arguments) {
  std::vector<Token> out;
  auto argument_of = [&](std::size_t place) -> const std::vector<Token>* {
    const int number = macro.parameter_of[place];
    return number < 0 ? nullptr : &arguments[static_cast<std::size_t>(number)];
  };
  bool pasting = false;  // the next token is the right operand of '##'
  bool left_empty = false;
  for (std::size_t i = 0; i < macro.body.size() && !stopped_; ++i) {
    const Token& token = macro.body[i];
    if (token.kind == TokenKind::hash_hash && i > 0 && i + 1 < macro.body.size()) {
      pasting = true;
      continue;
    }
    std::vector<Token> piece;
    const std::vector<Token>* argument = argument_of(i);
    bool next_pastes = i + 1 < macro.body.size() && macro.body[i + 1].kind == TokenKind::hash_hash;
    if (token.kind == TokenKind::hash && macro.function_like && i + 1 < macro.body.size() &&
        argument_of(i + 1)) {
      piece.push_back(stringise(*argument_of(++i), token));
      next_pastes = i + 1 < macro.body.size() && macro.body[i + 1].kind == TokenKind::hash_hash;
    } else if (argument && (pasting || next_pastes)) {
      piece = *argument;
    } else if (argument) {
      TokenCursor from(*argument);
      scan(from, piece, false);
    } else {
      piece.push_back(token);
      piece[0].span = site_;
      piece[0].from_macro = true;
      piece[0].starts_line = false;
    }
    if (!piece.empty()) piece[0].space_before = token.space_before;
    if (pasting && !left_empty && !out.empty() && !piece.empty() && paste(out.back(), piece[0]))
      piece.erase(piece.begin());
    left_empty = pasting ? left_empty && piece.empty() : piece.empty();
    if (over_limit(1 + piece.size())) break;  // empty expansions count as well
    out.insert(out.end(), piece.begin(), piece.end());
    pasting = false;
  }
  return out;
}

Token Macros::stringise(const std::vector<Token>& tokens, const Token& hash) {
  std::string text = "\"";
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && (tokens[i].space_before || tokens[i].starts_line)) text += ' ';
    bool quoted = tokens[i].kind == TokenKind::string || tokens[i].kind == TokenKind::character;
    for (char c : tokens[i].text) {
      if (quoted && (c == '"' || c == '\\')) text += '\\';
      text += c;
    }
  }
  Token result = hash;
  result.kind = TokenKind::string;
  result.span = site_;
  result.from_macro = true;
  pasted_bytes_ += text.size();
  result.text = sources_.keep(text + '"');
  return result;
}

bool Macros::paste(Token& left, const Token& right) {
  std::string text = std::string(left.text) + std::string(right.text);
  auto word = [](const Token& token) {
    return token.kind == TokenKind::identifier || token.kind == TokenKind::number;
  };
  TokenKind kind = TokenKind::unknown;
  if (word(left) && word(right)) kind = left.kind;
  if (text == "::") kind = TokenKind::scope;
  if (text == "<<") kind = TokenKind::shift_left;
  if (text == ">>") kind = TokenKind::shift_right;
  if (left.text == "L" && (right.kind == TokenKind::string || right.kind == TokenKind::character))
    kind = right.kind;
  if (kind == TokenKind::unknown) {
    diagnostics_.error("bad-paste", site_, "'" + text.substr(0, 40) + "', made by ##, is not a token");
    return false;
  }
  pasted_bytes_ += text.size();
  left.text = sources_.keep(std::move(text));
  left.kind = kind;
  left.keyword = kind == TokenKind::identifier ? keyword_of(left.text) : Keyword::none;
  return true;
}

}  // namespace orbweaver::idl
