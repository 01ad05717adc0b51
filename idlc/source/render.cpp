#include "idlc/source/render.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace orbweaver::idl {
namespace {

struct Palette {
  const char *bold = "", *error = "", *warning = "", *note = "", *caret = "", *off = "";
};
constexpr Palette kColours{"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};

// Longest excerpt of a source line, in bytes; of a longer line only the part around the caret is shown.
constexpr std::size_t kMaxLine = 160;

bool printable(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

// Whether `text` is UTF-8, by an approximate check. If not, non-ASCII bytes are printed as '?', which is safe
// for a terminal.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    unsigned char lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    int more = lead >= 0xF0 && lead < 0xF5   ? 3
               : lead >= 0xE0 && lead < 0xF0 ? 2
               : lead >= 0xC2 && lead < 0xE0 ? 1
                                             : -1;
    if (more < 0) return false;
    for (; more > 0; --more, ++i) {
      if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return false;
    }
  }
  return true;
}

// Removes an incomplete UTF-8 character from the end.
std::string_view whole_characters(std::string_view text) {
  std::size_t end = text.size();
  for (int more = 0; more < 3 && end > 0 && (static_cast<unsigned char>(text[end - 1]) & 0xC0) == 0x80;
       ++more)
    --end;
  if (end > 0 && static_cast<unsigned char>(text[end - 1]) >= 0xC0) return text.substr(0, end - 1);
  return text;
}

void add_source_line(std::string& out, const Sources& sources, Span where, const Palette& palette) {
  const SourceFile& file = sources.file(where.file);
  std::string_view line = file.line(where.offset);
  std::size_t offset_in_line =
      std::min(where.offset - static_cast<std::size_t>(line.data() - file.text().data()), line.size());
  std::size_t from =
      offset_in_line > kMaxLine / 2 && line.size() > kMaxLine ? offset_in_line - kMaxLine / 2 : 0;
  std::string shown = from > 0 ? "…" : "";
  std::string under = from > 0 ? " " : "";
  // Examines only the part that is shown: a line may be as long as the file.
  while (from > 0 && from < line.size() && (static_cast<unsigned char>(line[from]) & 0xC0) == 0x80 &&
         offset_in_line - from < kMaxLine / 2 + 4)
    --from;
  std::string_view part = line.substr(from, kMaxLine);
  if (from + kMaxLine < line.size()) part = whole_characters(part);
  bool utf8 = is_utf8(part);
  for (char c : part) shown += (printable(c) && (utf8 || !(c & 0x80))) || c == '\t' ? c : '?';
  // Tabs are copied to the line below, so that the caret is under its token with any tab width.
  for (char c : line.substr(from, offset_in_line - from)) {
    if (c == '\t')
      under += '\t';
    else if (!utf8 || (static_cast<unsigned char>(c) & 0xC0) != 0x80)
      under += ' ';
  }
  std::size_t remaining = std::min(line.size(), from + kMaxLine) - std::min(offset_in_line, from + kMaxLine);
  std::size_t length = std::clamp<std::size_t>(where.length, 1, std::max<std::size_t>(remaining, 1));
  out += "    " + shown + "\n    " + under + palette.caret + '^' + std::string(length - 1, '~') +
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
