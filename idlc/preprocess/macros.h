#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "idlc/preprocess/cursor.h"
#include "idlc/source/diagnostics.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

struct Macro {
  Token name;
  bool function_like = false;
  bool variadic = false;
  std::vector<std::string_view> parameters;  // "__VA_ARGS__" is the last of a variadic macro
  std::vector<Token> body;
  std::vector<int> parameter_of;  // for each token of the body: the number of the parameter that it names, or -1
  bool active = false;  // being expanded: its name inside means itself no more
};

/// The macros that are defined now, and their expansion (C++20 15.6: nested calls, #, ##, __VA_ARGS__).
class Macros {
 public:
  Macros(Sources& sources, Diagnostics& diagnostics) : sources_(sources), diagnostics_(diagnostics) {}

  /// `line` holds what follows `#define`.
  void define(const std::vector<Token>& line, Span directive);
  void undefine(std::string_view name) { macros_.erase(name); }
  const Macro* find(std::string_view name) const;

  /// True if `token` is a macro's name or __FILE__ or __LINE__.
  bool is_macro(const Token& token) const;
  /// Expands the macro that `from` is at, takes what it consumes (arguments too) and appends the result to
  /// `out`. `from` stops before a directive. False when a limit was reached.
  bool expand(TokenCursor& from, std::vector<Token>& out);
  /// Expands a whole line (of #if, #include or #line).
  bool expand_all(const std::vector<Token>& tokens, std::vector<Token>& out);

 private:
  struct Context {
    std::vector<Token> tokens;
    std::size_t at = 0;
    Macro* macro = nullptr;
  };
  using Arguments = std::vector<std::vector<Token>>;

  bool sound(const Macro& macro);
  Macro* lookup(const Token& token);
  bool predefined(const Token& token, std::vector<Token>& out);
  // `base`: where tokens come from when no expansion is left to read.
  bool scan(TokenCursor& base, std::vector<Token>& out, bool only_first);
  bool next(std::vector<Context>& stack, TokenCursor& base, Token& token);
  static const Token& peek(const std::vector<Context>& stack, const TokenCursor& base);
  bool collect(const Macro& macro, std::vector<Context>& stack, TokenCursor& base, Arguments& arguments);
  std::vector<Token> substitute(const Macro& macro, const Arguments& arguments);
  Token stringise(const std::vector<Token>& tokens, const Token& hash);
  bool paste(Token& left, const Token& right);
  bool over_limit(std::size_t made);

  Sources& sources_;
  Diagnostics& diagnostics_;
  std::map<std::string_view, std::unique_ptr<Macro>, std::less<>> macros_;
  std::vector<std::unique_ptr<Macro>> retired_;  // redefined or undefined while in use
  Span site_;                                    // the outermost macro's name, where messages point
  std::size_t depth_ = 0;
  std::size_t made_ = 0;
  std::size_t pasted_ = 0;
  bool stopped_ = false;
};

}  // namespace orbweaver::idl
