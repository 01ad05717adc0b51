// The directives of the preprocessor, except conditionals.
#include <charconv>
#include <utility>

#include "idlc/preprocess/includes.h"
#include "idlc/preprocess/limits.h"
#include "idlc/preprocess/preprocessor_state.h"

namespace orbweaver::idl {

namespace {

Span span_of(const std::vector<Token>& line) {
  const Span first = line.front().span, last = line.back().span;
  return {first.file, first.offset, last.offset + last.length - first.offset};
}

}  // namespace

// The source text of a line from its first token to its last.
std::string_view Preprocessor::State::text_of(const Line& line) const { return sources_.text(span_of(line)); }

void Preprocessor::State::directive(OpenFile& file) {
  const std::uint32_t id = file.id;
  const Span hash = file.cursor.take().span;
  Line line;
  while (!file.cursor.at_end() && !file.cursor.peek().starts_line) line.push_back(file.cursor.take());
  if (line.empty()) return;
  const Token name = line[0];
  if (name.kind == TokenKind::number && keeping()) return line_marker(id, line, hash);
  line.erase(line.begin());
  if (Conditionals::is_directive(name.text)) {
    if (!file.conditionals.handle(name, line, expander_, diagnostics_))
      stop("nesting", name.span, "conditionals are nested too deeply");
  } else if (keeping()) {
    named_directive(id, name, line, hash);
  }
}

void Preprocessor::State::named_directive(std::uint32_t id, const Token& name, const Line& line, Span hash) {
  if (name.text == "include") return include(id, name, line);
  if (name.text == "define") return macros_.define(line, name.span);
  if (name.text == "undef") return undefine(name, line);
  if (name.text == "pragma") return pragma(id, name, line);
  if (name.text == "line") return line_directive(id, name, line, hash);
  if (name.text == "error" || name.text == "warning") return user_message(name, line);
  if (name.text == "ident" || name.text == "sccs") return;
  diagnostics_.error("unknown-directive", name.span, "'#" + std::string(name.text) + "' is not a directive")
      .suggest(
          "the preprocessor knows include, define, undef, if, ifdef, ifndef, elif, else, endif, pragma, "
          "line, "
          "error and warning");
}

void Preprocessor::State::undefine(const Token& name, const Line& line) {
  if (line.empty() || line[0].kind != TokenKind::identifier) {
    diagnostics_.error("bad-define", name.span, "#undef needs a name");
    return;
  }
  macros_.undefine(line[0].text);
}

// #error and #warning.
void Preprocessor::State::user_message(const Token& name, const Line& line) {
  const std::string text(line.empty() ? std::string_view() : text_of(line));
  const std::string message = "#" + std::string(name.text) + " " + text;
  if (name.text == "error")
    diagnostics_.error("hash-error", name.span, message);
  else
    diagnostics_.warning("hash-warning", name.span, message);
}

void Preprocessor::State::pragma(std::uint32_t id, const Token& name, const Line& line) {
  if (line.empty()) return;
  if (line[0].text == "once") {
    once_.insert(id);
    return;
  }
  Token token;
  token.kind = TokenKind::pragma;
  token.text = text_of(line);
  token.span = {name.span.file, line[0].span.offset, static_cast<std::uint32_t>(token.text.size())};
  ready_.push_back(token);
}

void Preprocessor::State::line_directive(std::uint32_t id, const Token& name, const Line& line, Span hash) {
  Line expanded;
  if (!expander_.expand_all(line, expanded)) return;
  if (expanded.empty()) {
    diagnostics_.error("bad-line", name.span, "#line needs a line number");
    return;
  }
  line_marker(id, expanded, hash);
}

// Handles a line marker `# 12 "file" flags`: sets the position of the following text. Flag 1 enters an
// included file, flag 2 leaves it.
void Preprocessor::State::line_marker(std::uint32_t id, const Line& line, Span hash) {
  std::uint32_t number = 0;
  if (!check_line_marker(line, number)) return;
  std::string path;
  if (line.size() > 1) path = line[1].text.substr(1, line[1].text.size() - 2);
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

bool Preprocessor::State::check_line_marker(const Line& line, std::uint32_t& number) {
  const std::string_view digits = line[0].text;
  const char* end = digits.data() + digits.size();
  const auto [stopped_at, error] = std::from_chars(digits.data(), end, number);
  const bool name_missing = line.size() > 1 && line[1].kind != TokenKind::string;
  if (error == std::errc() && stopped_at == end && !name_missing) return true;
  diagnostics_.error("bad-line", line[0].span, "a line marker is a line number and a file name in quotes");
  return false;
}

void Preprocessor::State::include(std::uint32_t id, const Token& name, const Line& written) {
  Line line = written;
  const bool direct = !line.empty() && (line[0].kind == TokenKind::string || line[0].kind == TokenKind::less);
  if (!direct) {
    Line expanded;
    if (!expander_.expand_all(line, expanded)) return;
    line = std::move(expanded);
  }
  const bool quoted = !line.empty() && line[0].kind == TokenKind::string;
  // Without macros, the name is the source text between the brackets, including spaces.
  const std::string path = included_name(line, direct ? text_of(line) : std::string_view());
  if (!path.empty()) return open(id, path, quoted, direct ? span_of(line) : name.span);
  diagnostics_.error("bad-include", line.empty() ? name.span : line[0].span, "#include needs a file name")
      .suggest("write #include \"file.idl\" or #include <file.idl>");
  unit_.incomplete = true;
}

void Preprocessor::State::open(std::uint32_t from, const std::string& path, bool quoted, Span where) {
  if (open_.size() > limits::kIncludeDepth)
    return stop("nesting", where, "includes are nested too deeply; does a file include itself?");
  if (++includes_ > limits::kIncludes) return stop("too-large", where, "too many files are included");
  if (unit_.builtins.contains(from)) {
    enter_builtin(path, where);
    return;
  }
  const IncludeResult found =
      find_include(sources_, sources_.file(from).path(), path, quoted, options_.include_dirs);
  if (!found.loaded.file) {
    if (!enter_builtin(path, where)) report_not_found(path, found.loaded.problem, where);
    return;
  }
  if (from == unit_.main_file) unit_.includes.push_back(path);
  if (once_.contains(found.loaded.id)) return;
  if (included_.insert(found.loaded.id).second) unit_.files.push_back(found.path);
  push(found.loaded.id, where);
  // Read before that file: it declares what the file may lack, and its declarations yield to those of the
  // file.
  enter_builtin(path, where);
}

void Preprocessor::State::report_not_found(const std::string& path, const std::string& problem, Span where) {
  unit_.incomplete = true;
  auto& diagnostic =
      diagnostics_.error("include-not-found", where, "'" + path.substr(0, 200) + "' " + problem);
  if (problem != "is not found") return;
  diagnostic.suggest(options_.include_dirs.empty() ? "name the folder that holds it with -I"
                                                   : "none of the folders named with -I holds it");
}

}  // namespace orbweaver::idl
