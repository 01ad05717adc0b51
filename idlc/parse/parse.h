#pragma once

#include <memory>
#include <vector>

#include "idlc/lex/token_source.h"
#include "idlc/parse/tree.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl {

/// Takes what the parser reads, one definition at a time and in order, so that the tree of a file is never in
/// memory as a whole.
class DefinitionSink {
 public:
  virtual ~DefinitionSink() = default;
  /// What follows, up to module_ends(), stands in this module. Its body is empty, and it does not outlive the
  /// call.
  virtual void module_begins(const tree::Definition& module) = 0;
  virtual void module_ends() = 0;
  virtual void definition(tree::DefinitionPtr definition) = 0;
  /// What an `import` brings in; it belongs to the global scope.
  virtual void imported(std::vector<tree::DefinitionPtr> body) = 0;
  /// A definition was so broken that not even its name is known.
  virtual void definition_lost() = 0;
};

/// Reads the tokens as IDL 4.2 (and all of CORBA 3 IDL). A syntax error is reported once; reading goes on at
/// the next definition, so that further errors are found in the same run. Nesting beyond `kMaxNesting` and
/// names longer than `kMostNameBytes` are errors. False where a limit was reached: what is known is not worth
/// checking any further.
bool parse(TokenSource& tokens, DefinitionSink& sink, Diagnostics& diagnostics);

inline constexpr int kMaxNesting = 200;
inline constexpr std::size_t kMostNameBytes = 1024;  // as C++ asks of compilers (annex B)

}  // namespace orbweaver::idl
