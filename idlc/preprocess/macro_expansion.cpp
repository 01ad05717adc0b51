#include "idlc/preprocess/macro_expansion.h"

#include <string>

#include "idlc/preprocess/limits.h"

namespace orbweaver::idl {

/// One pass over tokens that expands the macros in them. `base` is the source of the tokens after the end of
/// all expansions.
class MacroExpander::Scan {
 public:
  Scan(MacroExpander& expander, TokenCursor& base) : expander_(expander), base_(base) { ++expander_.depth_; }
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  ~Scan() {
    for (Expansion& each : stack_) each.macro->active = false;
    --expander_.depth_;
  }

  /// `only_first`: stops after the expansion of the first macro; the tokens after it are left to the caller.
  void run(std::vector<Token>& out, bool only_first) {
    Token token;
    bool first = true;
    while (!expander_.over_limit(1) && (first || !only_first || !stack_.empty()) && next(token)) {
      first = false;
      Macro* macro = expander_.macros_.find(token);
      const bool call = macro && (!macro->function_like || peek().kind == TokenKind::left_paren);
      if (!call) {
        if (!expander_.expand_predefined(token, out)) out.push_back(token);
      } else if (!expand(*macro, token)) {
        return;
      }
      // Removed only after the lookahead above: a function-like macro's name at the end of an expansion may
      // have its '(' in the tokens that follow.
      pop_finished();
    }
  }

 private:
  struct Expansion {
    std::vector<Token> tokens;
    std::size_t at = 0;
    Macro* macro = nullptr;
  };

  void pop_finished() {
    while (!stack_.empty() && stack_.back().at == stack_.back().tokens.size()) {
      stack_.back().macro->active = false;
      stack_.pop_back();
    }
  }

  bool next(Token& token) {
    pop_finished();
    if (!stack_.empty()) {
      token = stack_.back().tokens[stack_.back().at++];
    } else {
      if (base_.at_end()) return false;
      token = base_.take();
    }
    if (const Macro* macro = expander_.macros_.find(token); macro && macro->active) token.no_expand = true;
    return true;
  }

  const Token& peek() const {
    for (std::size_t i = stack_.size(); i > 0; --i) {
      const Expansion& each = stack_[i - 1];
      if (each.at < each.tokens.size()) return each.tokens[each.at];
    }
    return base_.peek();
  }

  // Puts the expansion of a macro before the tokens that follow. Returns false if a limit was reached. A call
  // with wrong arguments is reported, and expands to nothing.
  bool expand(Macro& macro, const Token& name);
  bool read_arguments(const Macro& macro, Arguments& arguments);
  bool check_argument_count(const Macro& macro, Arguments& arguments);

  MacroExpander& expander_;
  TokenCursor& base_;
  std::vector<Expansion> stack_;
};

/// The body of a macro with arguments for its parameters.
class MacroExpander::Substitution {
 public:
  Substitution(MacroExpander& expander, const Macro& macro, const Arguments& arguments)
      : expander_(expander), macro_(macro), arguments_(arguments) {}

  std::vector<Token> run() {
    for (std::size_t i = 0; i < macro_.body.size() && !expander_.stopped_; ++i) {
      if (is_paste(i)) {
        pasting_ = true;
        continue;
      }
      const Token& token = macro_.body[i];
      std::vector<Token> piece = is_stringise(i) ? stringised(i) : piece_at(i);
      if (!piece.empty()) piece[0].space_before = token.space_before;
      if (!append(std::move(piece))) break;
    }
    return std::move(out_);
  }

 private:
  bool is_paste(std::size_t i) const {
    return i < macro_.body.size() && macro_.body[i].kind == TokenKind::hash_hash;
  }

  bool is_stringise(std::size_t i) const {
    return macro_.function_like && macro_.body[i].kind == TokenKind::hash && i + 1 < macro_.body.size() &&
           argument_of(i + 1);
  }

  const std::vector<Token>* argument_of(std::size_t i) const {
    const int number = macro_.parameter_of[i];
    return number < 0 ? nullptr : &arguments_[static_cast<std::size_t>(number)];
  }

  // The argument after the '#' at index `i`, as a string. Advances `i` to the parameter.
  std::vector<Token> stringised(std::size_t& i) {
    const Token& hash = macro_.body[i];
    return {expander_.stringise(*argument_of(++i), hash)};
  }

  // A token of the body, or the argument for it, which is expanded except beside '##'.
  std::vector<Token> piece_at(std::size_t i) {
    if (const std::vector<Token>* argument = argument_of(i))
      return pasting_ || is_paste(i + 1) ? *argument : expander_.expand_argument(*argument);
    Token token = macro_.body[i];
    token.span = expander_.site_;
    token.from_macro = true;
    token.starts_line = false;
    return {token};
  }

  // Returns false if a limit was reached.
  bool append(std::vector<Token> piece) {
    if (pasting_ && !left_empty_ && !out_.empty() && !piece.empty() && expander_.paste(out_.back(), piece[0]))
      piece.erase(piece.begin());
    left_empty_ = pasting_ ? left_empty_ && piece.empty() : piece.empty();
    if (expander_.over_limit(1 + piece.size())) return false;  // empty expansions count as well
    out_.insert(out_.end(), piece.begin(), piece.end());
    pasting_ = false;
    return true;
  }

  MacroExpander& expander_;
  const Macro& macro_;
  const Arguments& arguments_;
  std::vector<Token> out_;
  bool pasting_ = false;     // the next piece is the right operand of '##'
  bool left_empty_ = false;  // its left operand is empty
};

bool MacroExpander::Scan::expand(Macro& macro, const Token& name) {
  Arguments arguments;
  if (macro.function_like && !read_arguments(macro, arguments)) return true;
  Expansion expansion{Substitution(expander_, macro, arguments).run(), 0, &macro};
  if (!expansion.tokens.empty()) expansion.tokens[0].space_before = name.space_before;
  if (expander_.over_limit(expansion.tokens.size())) return false;
  macro.active = true;
  stack_.push_back(std::move(expansion));
  // Limits the nesting. Finished expansions are removed, so a long chain of macros does not accumulate.
  if (stack_.size() > limits::kMacroDepth * 20) {
    expander_.depth_ += limits::kMacroDepth;
    expander_.over_limit(0);
    expander_.depth_ -= limits::kMacroDepth;
  }
  return true;
}

bool MacroExpander::Scan::read_arguments(const Macro& macro, Arguments& arguments) {
  Token token;
  next(token);  // the '('
  arguments.emplace_back();
  for (std::size_t nesting = 1;;) {
    const Token& follow = peek();
    const bool directive = follow.kind == TokenKind::hash && follow.starts_line && stack_.empty();
    if (directive || !next(token)) {
      expander_.diagnostics_
          .error("macro-arguments", expander_.site_,
                 "the call of macro '" + std::string(macro.name.text) + "' has no ')'")
          .note(macro.name.span, "defined here");
      return false;
    }
    if (token.kind == TokenKind::left_paren) ++nesting;
    if (token.kind == TokenKind::right_paren && --nesting == 0) return check_argument_count(macro, arguments);
    const bool rest = macro.variadic && arguments.size() == macro.parameters.size();
    if (token.kind == TokenKind::comma && nesting == 1 && !rest) {
      arguments.emplace_back();
      if (arguments.size() > limits::kMacroArguments) return !expander_.over_limit(limits::kExpandedTokens);
    } else {
      if (expander_.over_limit(1)) return false;
      arguments.back().push_back(token);
    }
  }
}

// Also adds the empty argument that a variadic macro may lack.
bool MacroExpander::Scan::check_argument_count(const Macro& macro, Arguments& arguments) {
  if (macro.parameters.empty() && arguments.size() == 1 && arguments[0].empty()) arguments.clear();
  if (macro.variadic && arguments.size() + 1 == macro.parameters.size()) arguments.emplace_back();
  if (arguments.size() == macro.parameters.size()) return true;
  expander_.diagnostics_
      .error("macro-arguments", expander_.site_,
             "macro '" + std::string(macro.name.text) + "' takes " + std::to_string(macro.parameters.size()) +
                 " arguments, not " + std::to_string(arguments.size()))
      .note(macro.name.span, "defined here");
  return false;
}

bool MacroExpander::expand(TokenCursor& from, std::vector<Token>& out) {
  site_ = from.peek().span;
  Scan(*this, from).run(out, true);
  return !stopped_;
}

bool MacroExpander::expand_all(const std::vector<Token>& tokens, std::vector<Token>& out) {
  if (!tokens.empty()) site_ = tokens[0].span;
  TokenCursor from(tokens);
  Scan(*this, from).run(out, false);
  return !stopped_;
}

std::vector<Token> MacroExpander::expand_argument(const std::vector<Token>& argument) {
  std::vector<Token> out;
  TokenCursor from(argument);
  Scan(*this, from).run(out, false);
  return out;
}

bool MacroExpander::expand_predefined(const Token& token, std::vector<Token>& out) {
  if (!token.text.starts_with("__") || macros_.contains(token.text) || !site_.known()) return false;
  Token result = token;
  result.from_macro = true;
  const SourceFile::Position at = sources_.position(site_);
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

bool MacroExpander::over_limit(std::size_t added) {
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

Token MacroExpander::stringise(const std::vector<Token>& tokens, const Token& hash) {
  std::string text = "\"";
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && (tokens[i].space_before || tokens[i].starts_line)) text += ' ';
    const bool quoted = tokens[i].kind == TokenKind::string || tokens[i].kind == TokenKind::character;
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

namespace {

// The kind of the token that '##' makes of two; `unknown` if it makes none.
TokenKind pasted_kind(const Token& left, const Token& right, const std::string& text) {
  const auto word = [](const Token& token) {
    return token.kind == TokenKind::identifier || token.kind == TokenKind::number;
  };
  if (left.text == "L" && (right.kind == TokenKind::string || right.kind == TokenKind::character))
    return right.kind;
  if (text == "::") return TokenKind::scope;
  if (text == "<<") return TokenKind::shift_left;
  if (text == ">>") return TokenKind::shift_right;
  return word(left) && word(right) ? left.kind : TokenKind::unknown;
}

}  // namespace

bool MacroExpander::paste(Token& left, const Token& right) {
  std::string text = std::string(left.text) + std::string(right.text);
  const TokenKind kind = pasted_kind(left, right, text);
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
