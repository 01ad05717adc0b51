#pragma once

#include <cstddef>
#include <vector>

#include "idlc/preprocess/macros.h"
#include "idlc/preprocess/token_cursor.h"
#include "idlc/source/diagnostics.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// Expands macros: nested calls, #, ##, __VA_ARGS__ (C++20 15.6). Limits the depth and the size of all
/// expansions together. Not thread-safe.
class MacroExpander {
 public:
  MacroExpander(Macros& macros, Sources& sources, Diagnostics& diagnostics)
      : macros_(macros), sources_(sources), diagnostics_(diagnostics) {}

  /// Expands the macro at `from`, takes its tokens (including arguments) and appends the result to `out`.
  /// Does not read beyond a directive. Returns false if a limit was reached.
  bool expand(TokenCursor& from, std::vector<Token>& out);
  /// Expands a whole line of #if, #include or #line. Returns false if a limit was reached.
  bool expand_all(const std::vector<Token>& tokens, std::vector<Token>& out);

  const Macros& macros() const { return macros_; }

 private:
  class Scan;
  class Substitution;
  using Arguments = std::vector<std::vector<Token>>;

  bool expand_predefined(const Token& token, std::vector<Token>& out);
  std::vector<Token> expand_argument(const std::vector<Token>& argument);
  Token stringise(const std::vector<Token>& tokens, const Token& hash);
  bool paste(Token& left, const Token& right);
  bool over_limit(std::size_t added);

  Macros& macros_;
  Sources& sources_;
  Diagnostics& diagnostics_;
  Span site_;  // name of the outermost call: location for messages
  std::size_t depth_ = 0;
  std::size_t expanded_tokens_ = 0;
  std::size_t pasted_bytes_ = 0;
  bool stopped_ = false;  // a limit was reached
};

}  // namespace orbweaver::idl
