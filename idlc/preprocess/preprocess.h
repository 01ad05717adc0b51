#pragma once

#include <set>
#include <string>
#include <vector>

#include "idlc/lex/token.h"
#include "idlc/source/diagnostics.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

struct PreprocessOptions {
  std::vector<std::string> include_dirs;  ///< searched in order, after the including file's own folder
  std::vector<std::string> defines;       ///< NAME or NAME=VALUE
  std::vector<std::string> undefines;
  bool keep_tokens = false;  ///< after they are parsed, for `-E`
};

/// One translation unit as the parser wants it.
struct Preprocessed {
  std::uint32_t main_file = 0;
  std::vector<Token> tokens;          ///< no directives but pragmas; the last one is `end`
  std::vector<std::string> files;     ///< every file read, the main one first
  std::vector<std::string> includes;  ///< what the main file itself includes, as written there
  std::set<std::uint32_t> builtins;   ///< of the files entered, those that the compiler carries
  bool incomplete =
      false;             ///< an include was not found: names may be missing through no fault of their users
  bool stopped = false;  ///< a limit was reached; the tokens end early
};

/// Runs the C preprocessor's language over a file that is already loaded. Every limit on hostile input
/// (nesting, expansion, includes) is an error, never a crash; docs/decisions/0003-preprocessor.md says why
/// this is not a library.
Preprocessed preprocess(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
                        Diagnostics& diagnostics);

/// The tokens as text again, with line markers: what `orbweaver-idl -E` prints.
std::string to_text(const Preprocessed& unit, const Sources& sources);

}  // namespace orbweaver::idl
