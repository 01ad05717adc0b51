#pragma once

#include <memory>
#include <vector>

#include "idlc/lex/token_source.h"
#include "idlc/parse/tree.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl {

/// Receives definitions from the parser one at a time and in order, so that the tree of a file is never in
/// memory as a whole.
class DefinitionSink {
 public:
  virtual ~DefinitionSink() = default;
  /// Begins a module: the following definitions up to module_ends() belong to it. `module` has an empty body
  /// and is valid only during the call.
  virtual void module_begins(const tree::Definition& module) = 0;
  virtual void module_ends() = 0;
  virtual void definition(tree::DefinitionPtr definition) = 0;
  /// Receives the definitions of a built-in file that is imported; they belong to the global scope.
  virtual void imported(std::vector<tree::DefinitionPtr> body) = 0;
  /// A definition had a syntax error before its name, so its name is unknown.
  virtual void definition_lost() = 0;
};

/// Parses tokens as IDL 4.2 (including all of CORBA 3 IDL) and passes the definitions to `sink`. Each syntax
/// error is reported once; parsing continues with the next definition, so that further errors are found in
/// the same run. Nesting deeper than `kMaxNesting` and names longer than `kMaxNameBytes` are errors. Returns
/// false if a limit was reached; the result must not be checked further then.
bool parse(TokenSource& tokens, DefinitionSink& sink, Diagnostics& diagnostics);

inline constexpr int kMaxNesting = 200;
inline constexpr std::size_t kMaxNameBytes = 1024;  // the minimum recommended by C++ (annex B)

}  // namespace orbweaver::idl
