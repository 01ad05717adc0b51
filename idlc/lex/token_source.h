#pragma once

#include <string_view>
#include <vector>

#include "idlc/lex/token.h"

namespace orbweaver::idl {

/// Source of the parser's tokens. They contain no directives except pragmas, and have markers at the
/// beginning and the end of each included file.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// The next token; after the last one, `end` at every call.
  virtual Token next() = 0;
  /// True if a limit was reached: the tokens have ended early, and the error has been reported.
  virtual bool stopped() const = 0;
  /// The tokens that `import ::CORBA` or `import ::IOP` stands for: all tokens of the built-in file for this
  /// module. Empty if there is no such file, or if it has been included before.
  virtual std::vector<Token> imported(std::string_view module) = 0;
};

}  // namespace orbweaver::idl
