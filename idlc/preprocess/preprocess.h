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
  bool keep_tokens = false;  ///< store the output in TranslationUnit::tokens, for `-E`
};

/// The result of preprocessing; complete after the last token has been taken.
struct TranslationUnit {
  std::uint32_t main_file = 0;
  std::vector<Token> tokens;          ///< with keep_tokens: all output; the last one is `end`
  std::vector<std::string> files;     ///< every file read, the main one first
  std::vector<std::string> includes;  ///< names in the main file's own #include lines, as written
  std::set<std::uint32_t> builtins;   ///< ids of the built-in files that were read
  bool incomplete = false;            ///< an included file was not found, so declarations may be missing
  bool stopped = false;               ///< a limit was reached; the tokens end early
};

/// Preprocesses a loaded file as C does, one token at a time: the tokens of a file are not in memory as a
/// whole. Input that exceeds a limit (nesting, expansion, includes) is an error, never a crash.
/// docs/decisions/0003-write-our-own-idl-preprocessor.md gives the reasons for not using an existing library.
/// Not thread-safe.
class Preprocessor final : public TokenSource {
 public:
  Preprocessor(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
               Diagnostics& diagnostics);
  ~Preprocessor() override;

  Token next() override;
  bool stopped() const override;
  std::vector<Token> imported(std::string_view module) override;
  /// The result so far; grows as tokens are taken.
  const TranslationUnit& unit() const;
  /// Takes all remaining tokens.
  void drain();
  /// Moves the result out of the preprocessor.
  TranslationUnit release();

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Preprocesses a whole file and returns the result with its tokens.
TranslationUnit preprocess(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
                           Diagnostics& diagnostics);

/// The tokens as text with line markers, as printed by `orbweaver-idl -E`.
std::string to_text(const TranslationUnit& unit, const Sources& sources);

}  // namespace orbweaver::idl
