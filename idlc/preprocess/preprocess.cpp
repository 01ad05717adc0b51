#include "idlc/preprocess/preprocess.h"

#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>

#include "idlc/builtin/builtin.h"
#include "idlc/lex/lexer.h"
#include "idlc/preprocess/condition.h"
#include "idlc/preprocess/includes.h"
#include "idlc/preprocess/limits.h"
#include "idlc/preprocess/macros.h"

namespace orbweaver::idl {
namespace {

struct Conditional {
  Span opened;
  bool active;  // this branch is kept
  bool taken;   // a branch has been kept already
  bool else_seen;
};

class Preprocessor {
 public:
  Preprocessor(Sources& sources, const PreprocessOptions& options, Diagnostics& diagnostics)
      : sources_(sources), options_(options), diagnostics_(diagnostics), macros_(sources, diagnostics) {}

  Preprocessed run(std::uint32_t main_file) {
    unit_.main_file = main_file;
    unit_.files.push_back(sources_.file(main_file).path());
    define_from_command_line();
    file(main_file);
    if (!unit_.stopped) {
      import_builtin("CORBA", "orb.idl");
      import_builtin("IOP", "IOP.idl");
    }
    Token end;
    std::uint32_t size = static_cast<std::uint32_t>(sources_.file(main_file).text().size());
    end.span = {main_file, size, 1};
    unit_.tokens.push_back(end);
    return std::move(unit_);
  }

 private:
  using Line = std::vector<Token>;

  void define_from_command_line() {
    // IDL files ask for omniidl to learn that escaped names and CORBA 3 are understood; they are, here too.
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
    file(sources_.add("<command line>", text));
  }

  const Line& tokens_of(std::uint32_t id) {
    auto [found, fresh] = lexed_.try_emplace(id);
    if (fresh) found->second = lex(sources_, id, diagnostics_);
    return found->second;
  }

  void stop(std::string_view name, Span where, std::string message) {
    if (!unit_.stopped) diagnostics_.error(name, where, std::move(message));
    unit_.stopped = true;
  }

  void file(std::uint32_t id) {
    const Line& tokens = tokens_of(id);
    std::vector<Conditional> outer;
    outer.swap(conditionals_);
    ++depth_;
    bool junk_told = false;
    read_tokens_ += tokens.size();
    if (read_tokens_ > limits::kReadTokens)
      stop("too-large", tokens[0].span, "the files included here are too large, or are included too often");
    for (std::size_t at = 0; !unit_.stopped && tokens[at].kind != TokenKind::end;) {
      const Token& token = tokens[at];
      if (token.kind == TokenKind::hash && token.starts_line) {
        directive(id, tokens, at);
      } else if (!keeping()) {
        ++at;
      } else if (macros_.is_macro(token)) {
        if (!macros_.expand(tokens, at, unit_.tokens)) unit_.stopped = true;
      } else {
        if (usable(token, junk_told)) unit_.tokens.push_back(token);
        ++at;
      }
      if (unit_.tokens.size() > limits::kTokens)
        stop("too-large", token.span, "this file and its includes are too large");
    }
    if (!conditionals_.empty() && !unit_.stopped) {
      diagnostics_
          .error("unterminated-conditional", conditionals_.back().opened, "this conditional has no #endif")
          .suggest("add #endif");
    }
    --depth_;
    conditionals_.swap(outer);
  }

  bool keeping() const { return conditionals_.empty() || conditionals_.back().active; }

  // Rubbish is told once a file; a literal without its end is told each time.
  bool usable(const Token& token, bool& junk_told) {
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
    if (!junk_told) {
      bool ascii = static_cast<unsigned char>(token.text[0]) < 0x80 && token.text[0] >= ' ';
      diagnostics_.error("stray-character", token.span,
                         ascii ? "'" + std::string(token.text) + "' means nothing in IDL here"
                               : "this byte is no part of IDL text outside of comments and strings");
    }
    junk_told = true;
    return false;
  }

  void directive(std::uint32_t id, const Line& tokens, std::size_t& at) {
    Span hash = tokens[at++].span;
    std::size_t end = at;
    while (tokens[end].kind != TokenKind::end && !tokens[end].starts_line) ++end;
    Line line(tokens.begin() + static_cast<std::ptrdiff_t>(at),
              tokens.begin() + static_cast<std::ptrdiff_t>(end));
    at = end;
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
      if (conditionals_.size() >= limits::kConditionalDepth) {
        stop("nesting", name.span, "conditionals are nested too deeply");
        return true;
      }
      bool holds =
          keeping() && (word == "if" ? condition(name, line) : defined(name, line) == (word == "ifdef"));
      // Within a part that is left out, no branch is ever kept: count it as taken already.
      conditionals_.push_back({name.span, holds, holds || !keeping(), false});
      return true;
    }
    if (word != "elif" && word != "else" && word != "endif") return false;
    if (conditionals_.empty()) {
      diagnostics_.error("stray-conditional", name.span, "'#" + std::string(word) + "' without an #if");
      return true;
    }
    if (word == "endif") {
      conditionals_.pop_back();
      return true;
    }
    Conditional& top = conditionals_.back();
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

  // The source text of a line's tokens, first to last.
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
    unit_.tokens.push_back(token);
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

  // # 12 "file" flags: the text that follows comes from there; flag 1 enters an include, 2 leaves it.
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
      if (token.kind != TokenKind::end) unit_.tokens.push_back(token);
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
    // Written as it stands, the name is the text between the brackets, spaces included.
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
    if (depth_ > limits::kIncludeDepth)
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
      // Opening a pipe that nobody writes to, or reading a device, need not end.
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
      enter_builtin(path, where);  // has what that file may not have, and yields to what it has
      if (!unit_.stopped) enter(loaded.id, where);
      return;
    }
    if (enter_builtin(path, where)) return;
    unit_.incomplete = true;
    auto& told = diagnostics_.error("include-not-found", where, "'" + path.substr(0, 200) + "' " + problem);
    if (problem == "is not found") {
      told.suggest(options_.include_dirs.empty() ? "name the folder that holds it with -I"
                                                 : "none of the folders named with -I holds it");
    }
  }

  // A file that the compiler carries; false if there is none of that name.
  bool enter_builtin(const std::string& name, Span where) {
    std::string_view text = builtin_idl(name);
    if (text.empty()) return false;
    auto [at, fresh] = builtin_ids_.try_emplace(name, 0);
    if (!fresh) return true;
    at->second = sources_.add("<built-in>/" + name, std::string(text));
    unit_.builtins.insert(at->second);
    enter(at->second, where);
    return true;
  }

  // `import ::CORBA` means what `#include <orb.idl>` before its definition would mean.
  void import_builtin(std::string_view module, const char* name) {
    const std::size_t at = import_of(module, unit_.tokens);
    if (at == unit_.tokens.size()) return;
    const auto here = unit_.tokens.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<Token> behind(here, unit_.tokens.end());
    unit_.tokens.erase(here, unit_.tokens.end());
    enter_builtin(name, behind[0].span);
    unit_.tokens.insert(unit_.tokens.end(), behind.begin(), behind.end());
  }

  void enter(std::uint32_t id, Span where) {
    Token marker;
    marker.kind = TokenKind::file_enter;
    marker.span = where;
    unit_.tokens.push_back(marker);
    file(id);
    marker.kind = TokenKind::file_leave;
    unit_.tokens.push_back(marker);
  }

  Sources& sources_;
  const PreprocessOptions& options_;
  Diagnostics& diagnostics_;
  Macros macros_;
  Preprocessed unit_;
  std::unordered_map<std::uint32_t, Line> lexed_;  // a node never moves: `file` holds references into it
  std::set<std::uint32_t> once_, seen_;
  std::map<std::string, std::uint32_t> builtin_ids_;
  std::vector<Conditional> conditionals_;
  std::size_t depth_ = 0;
  std::size_t includes_ = 0;
  std::size_t read_tokens_ = 0;
};

}  // namespace

Preprocessed preprocess(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
                        Diagnostics& diagnostics) {
  return Preprocessor(sources, options, diagnostics).run(main_file);
}

}  // namespace orbweaver::idl
