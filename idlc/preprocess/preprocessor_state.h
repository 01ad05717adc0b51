#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "idlc/preprocess/conditionals.h"
#include "idlc/preprocess/macro_expansion.h"
#include "idlc/preprocess/macros.h"
#include "idlc/preprocess/preprocess.h"
#include "idlc/preprocess/token_cursor.h"

namespace orbweaver::idl {

/// The implementation of Preprocessor: reads the open files, the innermost first, and queues the output.
class Preprocessor::State {
 public:
  State(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
        Diagnostics& diagnostics);

  Token next();
  std::vector<Token> imported(std::string_view module);

  TranslationUnit unit_;

 private:
  using Line = std::vector<Token>;

  /// A file that is being read, from a lexer or from cached tokens. Tokens are cached only for small included
  /// files.
  struct OpenFile {
    OpenFile(std::uint32_t file, std::unique_ptr<Lexer> from)
        : id(file), lexer(std::move(from)), cursor(*lexer) {}
    OpenFile(std::uint32_t file, const std::vector<Token>& tokens) : id(file), cursor(tokens) {}

    std::uint32_t id;
    std::unique_ptr<Lexer> lexer;
    TokenCursor cursor;
    Conditionals conditionals;
    std::optional<Span> included;  // location of the #include; if set, markers enclose the tokens
    bool begun = false;
    bool unknown_token_reported = false;
  };

  // preprocess.cpp: the flow of tokens
  Token next_output();
  void define_from_command_line();
  void stop(std::string_view name, Span where, std::string message);
  void push(std::uint32_t id, std::optional<Span> included);
  void step();
  void leave();
  void mark(const OpenFile& file, TokenKind kind);
  bool usable(const Token& token, bool& unknown_token_reported);
  bool enter_builtin(const std::string& name, Span where);
  bool keeping() const { return open_.back()->conditionals.keeping(); }

  // directives.cpp
  void directive(OpenFile& file);
  void named_directive(std::uint32_t id, const Token& name, const Line& line, Span hash);
  void undefine(const Token& name, const Line& line);
  void user_message(const Token& name, const Line& line);
  void pragma(std::uint32_t id, const Token& name, const Line& line);
  void line_directive(std::uint32_t id, const Token& name, const Line& line, Span hash);
  void line_marker(std::uint32_t id, const Line& line, Span hash);
  bool check_line_marker(const Line& line, std::uint32_t& number);
  void include(std::uint32_t id, const Token& name, const Line& written);
  void open(std::uint32_t from, const std::string& path, bool quoted, Span where);
  void report_not_found(const std::string& path, const std::string& problem, Span where);
  std::string_view text_of(const Line& line) const;

  // Files are often included again: the tokens of small ones are cached, within these limits.
  static constexpr std::size_t kMaxCachedFileBytes = 256u << 10;
  static constexpr std::size_t kMaxCachedTokens = 500'000;

  Sources& sources_;
  const PreprocessOptions& options_;
  Diagnostics& diagnostics_;
  Macros macros_;
  MacroExpander expander_;
  std::vector<std::unique_ptr<OpenFile>> open_;  // the innermost last
  std::vector<Token> ready_;                     // output tokens that next() has not returned yet
  std::size_t ready_at_ = 0;
  Token end_;
  std::unordered_map<std::uint32_t, Line> cached_;  // tokens by file; open files refer to the stable nodes
  std::size_t cached_tokens_ = 0;
  std::set<std::uint32_t> once_;      // files with `#pragma once`
  std::set<std::uint32_t> included_;  // files that were included at least once
  std::map<std::string, std::uint32_t> builtin_ids_;
  std::size_t includes_ = 0;
  std::size_t tokens_read_ = 0;      // from files, counted at each inclusion
  std::size_t tokens_returned_ = 0;  // by next()
};

}  // namespace orbweaver::idl
