#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "idlc/preprocess/token_cursor.h"
#include "idlc/source/diagnostics.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

struct Macro {
  Token name;
  bool function_like = false;
  bool variadic = false;
  std::vector<std::string_view> parameters;  // of a variadic macro the last one is "__VA_ARGS__"
  std::vector<Token> body;
  std::vector<int> parameter_of;  // by token of the body: the index of the parameter that it names, or -1
  bool active = false;            // being expanded: its name within the expansion is not expanded again
};

/// The table of defined macros, and their expansion (C++20 15.6: nested calls, #, ##, __VA_ARGS__).
class Macros {
 public:
  Macros(Sources& sources, Diagnostics& diagnostics) : sources_(sources), diagnostics_(diagnostics) {}

  /// Defines a macro; `line` has the tokens after `#define`.
  void define(const std::vector<Token>& line, Span directive);
  void undefine(std::string_view name) { macros_.erase(name); }
  const Macro* find(std::string_view name) const;

  /// Whether `token` is a macro's name, __FILE__ or __LINE__.
  bool is_macro(const Token& token) const;
  /// Expands the macro at `from`, takes its tokens (including arguments) and appends the result to `out`.
  /// Does not read beyond a directive. Returns false if a limit was reached.
  bool expand(TokenCursor& from, std::vector<Token>& out);
  /// Expands a whole line of #if, #include or #line. Returns false if a limit was reached.
  bool expand_all(const std::vector<Token>& tokens, std::vector<Token>& out);

 private:
  struct Context {
    std::vector<Token> tokens;
    std::size_t at = 0;
    Macro* macro = nullptr;
  };
  using Arguments = std::vector<std::vector<Token>>;

  bool is_well_formed(const Macro& macro);
  Macro* lookup(const Token& token);
  bool expand_predefined(const Token& token, std::vector<Token>& out);
  // Expands macros. `base`: source of the tokens after the end of all expansions.
  bool scan(TokenCursor& base, std::vector<Token>& out, bool only_first);
  bool next(std::vector<Context>& stack, TokenCursor& base, Token& token);
  static const Token& peek(const std::vector<Context>& stack, const TokenCursor& base);
  bool collect(const Macro& macro, std::vector<Context>& stack, TokenCursor& base, Arguments& arguments);
  std::vector<Token> substitute(const Macro& macro, const Arguments& arguments);
  Token stringise(const std::vector<Token>& tokens, const Token& hash);
  bool paste(Token& left, const Token& right);
  bool over_limit(std::size_t added);

  Sources& sources_;
  Diagnostics& diagnostics_;
  std::map<std::string_view, std::unique_ptr<Macro>, std::less<>> macros_;
  std::vector<std::unique_ptr<Macro>> retired_;  // redefined or undefined while in use
  Span site_;                                    // name of the outermost call: location for messages
  std::size_t depth_ = 0;
  std::size_t expanded_tokens_ = 0;
  std::size_t pasted_bytes_ = 0;
  bool stopped_ = false;
};

}  // namespace orbweaver::idl
