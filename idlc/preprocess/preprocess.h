#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "idlc/lex/token_source.h"
#include "idlc/source/diagnostics.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

struct PreprocessOptions {
  std::vector<std::string> include_dirs;  ///< searched in order, after the including file's own folder
  std::vector<std::string> defines;       ///< NAME or NAME=VALUE
  std::vector<std::string> undefines;
  bool keep_tokens = false;  ///< in Preprocessed::tokens, for `-E`
};

/// What is known of a translation unit; all of it once its last token has been taken.
struct Preprocessed {
  std::uint32_t main_file = 0;
  std::vector<Token> tokens;          ///< where they are to be kept; the last one is `end`
  std::vector<std::string> files;     ///< every file read, the main one first
  std::vector<std::string> includes;  ///< what the main file itself includes, as written there
  std::set<std::uint32_t> builtins;   ///< of the files entered, those that the compiler carries
  bool incomplete =
      false;             ///< an include was not found: names may be missing through no fault of their users
  bool stopped = false;  ///< a limit was reached; the tokens end early
};

/// Runs the C preprocessor's language over a file that is already loaded, as its tokens are asked for: no
/// file is in memory as tokens. Every limit on hostile input (nesting, expansion, includes) is an error,
/// never a crash; docs/decisions/0003-preprocessor.md says why this is not a library.
class Preprocessor final : public TokenSource {
 public:
  Preprocessor(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
               Diagnostics& diagnostics);
  ~Preprocessor() override;

  Token next() override;
  bool stopped() const override;
  std::vector<Token> imported(std::string_view module) override;
  /// Grows as tokens are taken.
  const Preprocessed& unit() const;
  /// Takes the tokens that are left.
  void drain();
  /// Gives up what is known.
  Preprocessed release();

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The whole unit at once, its tokens included.
Preprocessed preprocess(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
                        Diagnostics& diagnostics);

/// The tokens as text again, with line markers: what `orbweaver-idl -E` prints.
std::string to_text(const Preprocessed& unit, const Sources& sources);

}  // namespace orbweaver::idl
