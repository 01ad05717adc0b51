#pragma once

#include <string_view>
#include <vector>

#include "idlc/lex/token.h"

namespace orbweaver::idl {

/// Where the parser's tokens come from: no directives but pragmas, and marks where included files begin and
/// end.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// The next token; behind the last one `end`, however often it is asked for.
  virtual Token next() = 0;
  /// True where a limit was reached: the tokens have ended early, and the error has been reported.
  virtual bool stopped() const = 0;
  /// What `import ::CORBA` or `import ::IOP` brings in: all tokens of the file that the compiler carries for
  /// it; none where there is no such file, or where it has been included before.
  virtual std::vector<Token> imported(std::string_view module) = 0;
};

}  // namespace orbweaver::idl
