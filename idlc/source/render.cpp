#include "idlc/source/render.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "idlc/source/utf8.h"

namespace orbweaver::idl {
namespace {

struct Palette {
  const char *bold = "", *error = "", *warning = "", *note = "", *caret = "", *off = "";
};
constexpr Palette kColours{"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};

// Longest excerpt of a source line, in bytes; of a longer line only the part around the caret is shown.
constexpr std::size_t kMaxLine = 160;

bool printable(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

// Removes an incomplete UTF-8 character from the end.
std::string_view whole_characters(std::string_view text) {
  std::size_t end = text.size();
  for (int more = 0; more < 3 && end > 0 && continues_character(text[end - 1]); ++more) --end;
  if (end > 0 && static_cast<unsigned char>(text[end - 1]) >= 0xC0) return text.substr(0, end - 1);
  return text;
}

// The part of a source line around the caret. Only this part is examined: a line may be as long as the file.
struct Excerpt {
  std::string_view line;
  std::size_t from;   // where the excerpt begins in the line
  std::size_t caret;  // where the caret is in the line
  std::string_view text;
  bool cut_before;  // text before the excerpt is left out
  bool utf8;        // if not, non-ASCII bytes are printed as '?', which is safe for a terminal
};

Excerpt excerpt_at(const SourceFile& file, Span where) {
  Excerpt out{file.line(where.offset), 0, 0, {}, false, false};
  const std::string_view line = out.line;
  out.caret =
      std::min(where.offset - static_cast<std::size_t>(line.data() - file.text().data()), line.size());
  if (out.caret > kMaxLine / 2 && line.size() > kMaxLine) out.from = out.caret - kMaxLine / 2;
  out.cut_before = out.from > 0;
  while (out.from > 0 && out.from < line.size() && continues_character(line[out.from]) &&
         out.caret - out.from < kMaxLine / 2 + 4)
    --out.from;
  out.text = line.substr(out.from, kMaxLine);
  if (out.from + kMaxLine < line.size()) out.text = whole_characters(out.text);
  out.utf8 = is_utf8(out.text);
  return out;
}

// The white space before the caret. Tabs are copied from the source line, so that the caret is under its
// token with any tab width.
std::string indent_of(const Excerpt& excerpt) {
  std::string out = excerpt.cut_before ? " " : "";
  for (char c : excerpt.line.substr(excerpt.from, excerpt.caret - excerpt.from)) {
    if (c == '\t')
      out += '\t';
    else if (!excerpt.utf8 || !continues_character(c))
      out += ' ';
  }
  return out;
}

void add_source_line(std::string& out, const Sources& sources, Span where, const Palette& palette) {
  const Excerpt excerpt = excerpt_at(sources.file(where.file), where);
  std::string shown = excerpt.cut_before ? "…" : "";
  for (char c : excerpt.text) {
    const bool shows = printable(c) && (excerpt.utf8 || !(c & 0x80));
    shown += shows || c == '\t' ? c : '?';
  }
  const std::size_t end = excerpt.from + kMaxLine;
  const std::size_t remaining = std::min(excerpt.line.size(), end) - std::min(excerpt.caret, end);
  const std::size_t length = std::clamp<std::size_t>(where.length, 1, std::max<std::size_t>(remaining, 1));
  out += "    " + shown + "\n    " + indent_of(excerpt) + palette.caret + '^' + std::string(length - 1, '~') +
         palette.off + '\n';
}

void add_place(std::string& out, const Sources& sources, Span where, const Palette& palette) {
  if (!where.known()) {
    out += std::string(palette.bold) + "orbweaver-idl: " + palette.off;
    return;
  }
  auto at = sources.position(where);
  out += std::string(palette.bold) + std::string(at.path) + ':' + std::to_string(at.line) + ':' +
         std::to_string(at.column) + ": " + palette.off;
}

nlohmann::json place(const Sources& sources, Span where) {
  if (!where.known()) return nullptr;
  auto at = sources.position(where);
  return {{"file", at.path}, {"line", at.line}, {"column", at.column}, {"length", where.length}};
}

}  // namespace

std::string render_text(const Diagnostics& diagnostics, const Sources& sources, bool colour) {
  const Palette palette = colour ? kColours : Palette{};
  std::string out;
  for (const Diagnostic& each : diagnostics.all()) {
    bool error = each.severity == Severity::error;
    add_place(out, sources, each.where, palette);
    out += std::string(error ? palette.error : palette.warning) + (error ? "error: " : "warning: ") +
           palette.off + each.message + (error ? "" : " [-W" + std::string(each.name) + "]") + '\n';
    if (each.where.known()) add_source_line(out, sources, each.where, palette);
    if (!each.suggestion.empty()) {
      out += std::string("    ") + palette.note + "help: " + palette.off + each.suggestion + '\n';
    }
    for (const Note& note : each.notes) {
      add_place(out, sources, note.where, palette);
      out += std::string(palette.note) + "note: " + palette.off + note.message + '\n';
      add_source_line(out, sources, note.where, palette);
    }
  }
  if (diagnostics.error_count() > Diagnostics::kMaxErrors) {
    out += "orbweaver-idl: more than " + std::to_string(Diagnostics::kMaxErrors) +
           " errors; the rest is not shown\n";
  }
  return out;
}

std::string render_json(const Diagnostics& diagnostics, const Sources& sources) {
  auto rows = nlohmann::json::array();
  for (const Diagnostic& each : diagnostics.all()) {
    auto notes = nlohmann::json::array();
    for (const Note& note : each.notes) {
      notes.push_back({{"location", place(sources, note.where)}, {"message", note.message}});
    }
    rows.push_back({{"severity", each.severity == Severity::error ? "error" : "warning"},
                    {"name", each.name},
                    {"location", place(sources, each.where)},
                    {"message", each.message},
                    {"suggestion", each.suggestion},
                    {"notes", notes}});
  }
  return rows.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace orbweaver::idl
