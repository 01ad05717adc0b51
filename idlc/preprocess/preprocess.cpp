#include "idlc/preprocess/preprocess.h"

#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "idlc/builtin/builtin.h"
#include "idlc/preprocess/condition.h"
#include "idlc/preprocess/includes.h"
#include "idlc/preprocess/limits.h"
#include "idlc/preprocess/macros.h"
#include "idlc/preprocess/token_cursor.h"

namespace orbweaver::idl {
namespace {

struct Conditional {
  Span opened;
  bool active;  // the current branch is compiled
  bool taken;   // the current or an earlier branch was compiled
  bool else_seen;
};

// A file that is being read, from a lexer or from cached tokens. Tokens are cached only for small included
// files.
struct OpenFile {
  OpenFile(std::uint32_t file, std::unique_ptr<Lexer> from)
      : id(file), lexer(std::move(from)), cursor(*lexer) {}
  OpenFile(std::uint32_t file, const std::vector<Token>& tokens) : id(file), cursor(tokens) {}

  std::uint32_t id;
  std::unique_ptr<Lexer> lexer;
  TokenCursor cursor;
  std::vector<Conditional> conditionals;
  std::optional<Span> included;  // location of the #include; if set, markers enclose the tokens
  bool begun = false;
  bool unknown_token_reported = false;
};

}  // namespace

class Preprocessor::State {
 public:
  State(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options, Diagnostics& diagnostics)
      : sources_(sources), options_(options), diagnostics_(diagnostics), macros_(sources, diagnostics) {
    unit_.main_file = main_file;
    unit_.files.push_back(sources_.file(main_file).path());
    end_.span = {main_file, static_cast<std::uint32_t>(sources_.file(main_file).text().size()), 1};
    push(main_file, std::nullopt);
    define_from_command_line();
  }

  Token next() {
    const Token token = made();
    if (options_.keep_tokens && (unit_.tokens.empty() || unit_.tokens.back().kind != TokenKind::end))
      unit_.tokens.push_back(token);
    return token;
  }

  std::vector<Token> imported(std::string_view module) {
    const std::string name = module == "CORBA" ? "orb.idl" : module == "IOP" ? "IOP.idl" : "";
    std::vector<Token> out;
    if (name.empty() || unit_.stopped) return out;
    // The tokens that are ready follow those of the built-in file.
    std::vector<Token> waiting(ready_.begin() + static_cast<std::ptrdiff_t>(ready_at_), ready_.end());
    ready_.clear();
    ready_at_ = 0;
    const std::size_t depth = open_.size();
    enter_builtin(name, end_.span);
    while (open_.size() > depth && !unit_.stopped) step();
    out.swap(ready_);
    ready_.swap(waiting);
    if (options_.keep_tokens) unit_.tokens.insert(unit_.tokens.end(), out.begin(), out.end());
    return out;
  }

  TranslationUnit unit_;

 private:
  using Line = std::vector<Token>;

  Token made() {
    while (ready_at_ == ready_.size()) {
      ready_.clear();
      ready_at_ = 0;
      if (unit_.stopped || open_.empty()) return end_;
      step();
    }
    if (++tokens_ > limits::kTokens) {
      stop("too-large", ready_[ready_at_].span, "this file and its includes are too large");
      return end_;
    }
    return ready_[ready_at_++];
  }

  void define_from_command_line() {
    // IDL files test for omniidl to find out whether escaped names and CORBA 3 are supported, as they are
    // here.
    std::string text = "#define __ORBWEAVER_IDL__ 1\n#define __OMNIIDL__ 0x4020\n";
    for (std::string define : options_.defines) {
      std::size_t equals = define.find('=');
      if (equals == std::string::npos)
        define += " 1";
      else
        define[equals] = ' ';
      text += "#define " + define + '\n';
    }
    for (const std::string& name : options_.undefines) text += "#undef " + name + '\n';
    push(sources_.add("<command line>", text), std::nullopt);
  }

  void stop(std::string_view name, Span where, std::string message) {
    if (!unit_.stopped) diagnostics_.error(name, where, std::move(message));
    unit_.stopped = true;
  }

  // Starts reading a file; the open files continue after it.
  void push(std::uint32_t id, std::optional<Span> included) {
    const Span start{id, 0, 1};
    const std::size_t bytes = sources_.file(id).text().size();
    auto kept = kept_.find(id);
    if (kept == kept_.end() && included && bytes <= kMaxCachedFileBytes &&
        cached_tokens_ < kMaxCachedTokens) {
      kept = kept_.emplace(id, lex(sources_, id, diagnostics_)).first;
      cached_tokens_ += kept->second.size();
    }
    if (kept != kept_.end()) {
      read_ += kept->second.size();
      open_.push_back(std::make_unique<OpenFile>(id, kept->second));
    } else {
      read_ += bytes / 4;
      open_.push_back(std::make_unique<OpenFile>(id, std::make_unique<Lexer>(sources_, id, diagnostics_)));
    }
    open_.back()->included = included;
    if (read_ > limits::kReadTokens)
      stop("too-large", start, "the files included here are too large, or are included too often");
  }

  // Reads a token, a directive or a macro call from the innermost file.
  void step() {
    OpenFile& file = *open_.back();
    if (!file.begun) {
      file.begun = true;
      mark(file, TokenKind::file_enter);
    }
    const Token& token = file.cursor.peek();
    if (token.kind == TokenKind::end) return leave();
    if (token.kind == TokenKind::hash && token.starts_line) {
      directive(file);
    } else if (!keeping()) {
      file.cursor.take();
    } else if (macros_.is_macro(token)) {
      if (!macros_.expand(file.cursor, ready_)) unit_.stopped = true;
    } else {
      if (usable(token, file.unknown_token_reported)) ready_.push_back(token);
      file.cursor.take();
    }
  }

  void leave() {
    OpenFile& file = *open_.back();
    if (!file.conditionals.empty()) {
      diagnostics_
          .error("unterminated-conditional", file.conditionals.back().opened,
                 "this conditional has no #endif")
          .suggest("add #endif");
    }
    mark(file, TokenKind::file_leave);
    open_.pop_back();
  }

  void mark(const OpenFile& file, TokenKind kind) {
    if (!file.included) return;
    Token token;
    token.kind = kind;
    token.span = *file.included;
    ready_.push_back(token);
  }

  std::vector<Conditional>& conditionals() { return open_.back()->conditionals; }
  bool keeping() const {
    const auto& all = open_.back()->conditionals;
    return all.empty() || all.back().active;
  }

  // Whether a token can be passed on. Reports invalid bytes once per file, and each unterminated literal.
  bool usable(const Token& token, bool& unknown_token_reported) {
    if (token.kind < TokenKind::hash || token.kind >= TokenKind::pragma) {
      if (token.kind != TokenKind::unknown) return true;
      char first = token.text[0];
      if (first == '"' || first == '\'' || token.text.size() > 1) {
        bool string = token.text.find('"') < 2;
        diagnostics_.error("unterminated-literal", token.span,
                           string ? "this string has no closing '\"' on its line"
                                  : "this character literal has no closing '");
        return true;
      }
    }
    if (!unknown_token_reported) {
      bool ascii = static_cast<unsigned char>(token.text[0]) < 0x80 && token.text[0] >= ' ';
      diagnostics_.error("stray-character", token.span,
                         ascii ? "'" + std::string(token.text) + "' means nothing in IDL here"
                               : "this byte is valid only in comments and strings");
    }
    unknown_token_reported = true;
    return false;
  }

  void directive(OpenFile& file) {
    const std::uint32_t id = file.id;
    const Span hash = file.cursor.take().span;
    Line line;
    while (!file.cursor.at_end() && !file.cursor.peek().starts_line) line.push_back(file.cursor.take());
    if (line.empty()) return;
    Token name = line[0];
    if (name.kind == TokenKind::number && keeping()) return line_marker(id, line, hash);
    line.erase(line.begin());
    if (conditional(name, line)) return;
    if (!keeping()) return;
    if (name.text == "include")
      include(id, name, line);
    else if (name.text == "define")
      macros_.define(line, name.span);
    else if (name.text == "undef")
      undefine(name, line);
    else if (name.text == "pragma")
      pragma(id, name, line);
    else if (name.text == "line")
      line_directive(id, name, line, hash);
    else if (name.text == "error" || name.text == "warning")
      user_message(name, line);
    else if (name.text != "ident" && name.text != "sccs") {
      diagnostics_
          .error("unknown-directive", name.span, "'#" + std::string(name.text) + "' is not a directive")
          .suggest(
              "the preprocessor knows include, define, undef, if, ifdef, ifndef, elif, else, endif, pragma, "
              "line, "
              "error and warning");
    }
  }

  bool conditional(const Token& name, const Line& line) {
    std::string_view word = name.text;
    bool is_if = word == "if" || word == "ifdef" || word == "ifndef";
    if (is_if) {
      if (conditionals().size() >= limits::kConditionalDepth) {
        stop("nesting", name.span, "conditionals are nested too deeply");
        return true;
      }
      bool holds =
          keeping() && (word == "if" ? condition(name, line) : defined(name, line) == (word == "ifdef"));
      // Within a skipped part no branch is compiled: mark the conditional as taken.
      conditionals().push_back({name.span, holds, holds || !keeping(), false});
      return true;
    }
    if (word != "elif" && word != "else" && word != "endif") return false;
    if (conditionals().empty()) {
      diagnostics_.error("stray-conditional", name.span, "'#" + std::string(word) + "' without an #if");
      return true;
    }
    if (word == "endif") {
      conditionals().pop_back();
      return true;
    }
    Conditional& top = conditionals().back();
    if (top.else_seen) {
      diagnostics_.error("stray-conditional", name.span, "'#" + std::string(word) + "' after #else")
          .note(top.opened, "the conditional begins here");
      return true;
    }
    top.else_seen = word == "else";
    top.active = !top.taken && (word == "else" || condition(name, line));
    top.taken = top.taken || top.active;
    return true;
  }

  bool condition(const Token& name, const Line& line) {
    if (line.empty()) {
      diagnostics_.error("bad-condition", name.span, "'#" + std::string(name.text) + "' needs a condition");
      return false;
    }
    return condition_holds(line, name.span, macros_, diagnostics_);
  }

  bool defined(const Token& name, const Line& line) {
    if (line.empty() || line[0].kind != TokenKind::identifier) {
      diagnostics_.error("bad-condition", name.span, "'#" + std::string(name.text) + "' needs a name");
      return false;
    }
    return macros_.is_macro(line[0]);
  }

  void undefine(const Token& name, const Line& line) {
    if (line.empty() || line[0].kind != TokenKind::identifier) {
      diagnostics_.error("bad-define", name.span, "#undef needs a name");
      return;
    }
    macros_.undefine(line[0].text);
  }

  void user_message(const Token& name, const Line& line) {
    std::string_view text;
    if (!line.empty()) text = rest(line);
    std::string message = "#" + std::string(name.text) + " " + std::string(text);
    if (name.text == "error")
      diagnostics_.error("hash-error", name.span, message);
    else
      diagnostics_.warning("hash-warning", name.span, message);
  }

  // The source text of a line from its first token to its last.
  std::string_view rest(const Line& line) const {
    Span first = line.front().span, last = line.back().span;
    return sources_.text({first.file, first.offset, last.offset + last.length - first.offset});
  }

  void pragma(std::uint32_t id, const Token& name, const Line& line) {
    if (!line.empty() && line[0].text == "once") {
      once_.insert(id);
      return;
    }
    if (line.empty()) return;
    Token token;
    token.kind = TokenKind::pragma;
    token.text = rest(line);
    token.span = {name.span.file, line[0].span.offset, static_cast<std::uint32_t>(token.text.size())};
    ready_.push_back(token);
  }

  void line_directive(std::uint32_t id, const Token& name, const Line& line, Span hash) {
    Line expanded;
    if (!macros_.expand_all(line, expanded)) return;
    if (expanded.empty()) {
      diagnostics_.error("bad-line", name.span, "#line needs a line number");
      return;
    }
    line_marker(id, expanded, hash);
  }

  // Handles a line marker `# 12 "file" flags`: sets the position of the following text. Flag 1 enters an
  // included file, flag 2 leaves it.
  void line_marker(std::uint32_t id, const Line& line, Span hash) {
    std::uint32_t number = 0;
    std::string_view digits = line[0].text;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    bool has_path = line.size() > 1 && line[1].kind == TokenKind::string;
    if (error != std::errc() || end != digits.data() + digits.size() || (line.size() > 1 && !has_path)) {
      diagnostics_.error("bad-line", line[0].span,
                         "a line marker is a line number and a file name in quotes");
      return;
    }
    std::string path =
        has_path ? std::string(line[1].text.substr(1, line[1].text.size() - 2)) : std::string();
    if (path.size() > limits::kMarkerPath) {
      diagnostics_.error("bad-line", line[1].span, "the file name of this line marker is too long");
      return;
    }
    sources_.file(id).mark(hash.offset, path, number);
    for (std::size_t i = 2; i < line.size(); ++i) {
      Token token;
      token.span = hash;
      if (line[i].text == "1") token.kind = TokenKind::file_enter;
      if (line[i].text == "2") token.kind = TokenKind::file_leave;
      if (token.kind != TokenKind::end) ready_.push_back(token);
    }
  }

  void include(std::uint32_t id, const Token& name, const Line& written) {
    Line line = written;
    bool direct = !line.empty() && (line[0].kind == TokenKind::string || line[0].kind == TokenKind::less);
    if (!direct) {
      Line expanded;
      if (!macros_.expand_all(line, expanded)) return;
      line = std::move(expanded);
    }
    bool quoted = !line.empty() && line[0].kind == TokenKind::string;
    // Without macros, the name is the source text between the brackets, including spaces.
    std::string path = included_name(line, direct ? rest(line) : std::string_view());
    if (path.empty()) {
      diagnostics_.error("bad-include", line.empty() ? name.span : line[0].span, "#include needs a file name")
          .suggest("write #include \"file.idl\" or #include <file.idl>");
      unit_.incomplete = true;
      return;
    }
    open(id, path, quoted, direct ? span_of(line) : name.span);
  }

  static Span span_of(const Line& line) {
    Span first = line.front().span, last = line.back().span;
    return {first.file, first.offset, last.offset + last.length - first.offset};
  }

  void open(std::uint32_t from, const std::string& path, bool quoted, Span where) {
    if (open_.size() > limits::kIncludeDepth)
      return stop("nesting", where, "includes are nested too deeply; does a file include itself?");
    if (++includes_ > limits::kIncludes) return stop("too-large", where, "too many files are included");
    if (unit_.builtins.contains(from)) {
      enter_builtin(path, where);
      return;
    }
    std::string problem = "is not found";
    const std::string& own = sources_.file(from).path();
    for (const std::string& candidate : include_candidates(own, path, quoted, options_.include_dirs)) {
      std::error_code ignored;
      const auto status = std::filesystem::status(candidate, ignored);
      if (!std::filesystem::exists(status)) continue;
      // Opening a pipe without a writer may block, and reading a device may not end.
      if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status)) {
        problem = "is a pipe, a socket or a device; include a file";
        continue;
      }
      auto loaded = sources_.load(candidate);
      if (!loaded.file) {
        problem = loaded.problem;
        continue;
      }
      if (from == unit_.main_file) unit_.includes.push_back(path);
      if (once_.contains(loaded.id)) return;
      if (seen_.insert(loaded.id).second) unit_.files.push_back(candidate);
      push(loaded.id, where);
      // Read before that file: it declares what the file may lack, and its declarations yield to those of the
      // file.
      enter_builtin(path, where);
      return;
    }
    if (enter_builtin(path, where)) return;
    unit_.incomplete = true;
    auto& diagnostic =
        diagnostics_.error("include-not-found", where, "'" + path.substr(0, 200) + "' " + problem);
    if (problem == "is not found") {
      diagnostic.suggest(options_.include_dirs.empty() ? "name the folder that holds it with -I"
                                                       : "none of the folders named with -I holds it");
    }
  }

  // Starts reading a built-in file; false if there is none with this name.
  bool enter_builtin(const std::string& name, Span where) {
    std::string_view text = builtin_idl(name);
    if (text.empty()) return false;
    auto [at, fresh] = builtin_ids_.try_emplace(name, 0);
    if (!fresh) return true;
    at->second = sources_.add("<built-in>/" + name, std::string(text));
    unit_.builtins.insert(at->second);
    push(at->second, where);
    return true;
  }

  // Files are often included again: the tokens of small ones are cached, within these limits.
  static constexpr std::size_t kMaxCachedFileBytes = 256u << 10;
  static constexpr std::size_t kMaxCachedTokens = 500'000;

  Sources& sources_;
  const PreprocessOptions& options_;
  Diagnostics& diagnostics_;
  Macros macros_;
  std::vector<std::unique_ptr<OpenFile>> open_;  // the innermost last
  std::vector<Token> ready_;                     // output tokens that next() has not returned yet
  std::size_t ready_at_ = 0;
  Token end_;
  std::unordered_map<std::uint32_t, Line> kept_;  // cached tokens; open files refer to the stable nodes
  std::size_t cached_tokens_ = 0;
  std::set<std::uint32_t> once_, seen_;
  std::map<std::string, std::uint32_t> builtin_ids_;
  std::size_t includes_ = 0;
  std::size_t read_ = 0;    // tokens read from files, counted at each inclusion
  std::size_t tokens_ = 0;  // tokens returned by next()
};

Preprocessor::Preprocessor(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
                           Diagnostics& diagnostics)
    : state_(std::make_unique<State>(sources, main_file, options, diagnostics)) {}
Preprocessor::~Preprocessor() = default;

Token Preprocessor::next() { return state_->next(); }
bool Preprocessor::stopped() const { return state_->unit_.stopped; }
std::vector<Token> Preprocessor::imported(std::string_view module) { return state_->imported(module); }
const TranslationUnit& Preprocessor::unit() const { return state_->unit_; }

TranslationUnit Preprocessor::release() { return std::move(state_->unit_); }

void Preprocessor::drain() {
  while (next().kind != TokenKind::end) {
  }
}

TranslationUnit preprocess(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
                           Diagnostics& diagnostics) {
  PreprocessOptions keeping = options;
  keeping.keep_tokens = true;
  Preprocessor preprocessor(sources, main_file, keeping, diagnostics);
  preprocessor.drain();
  return preprocessor.release();
}

}  // namespace orbweaver::idl
