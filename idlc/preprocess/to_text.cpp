#include "idlc/preprocess/preprocess.h"

namespace orbweaver::idl {

std::string to_text(const TranslationUnit& unit, const Sources& sources) {
  std::string out;
  SourceFile::Position last{"", 0, 0};
  for (const Token& token : unit.tokens) {
    if (token.kind == TokenKind::end || token.kind == TokenKind::file_enter ||
        token.kind == TokenKind::file_leave)
      continue;
    auto at = sources.position(token.span);
    if (at.path != last.path || at.line < last.line || at.line > last.line + 8) {
      out += (out.empty() ? "# " : "\n# ") + std::to_string(at.line) + " \"" + std::string(at.path) + "\"\n";
    } else if (at.line > last.line) {
      out.append(at.line - last.line, '\n');
    } else if (token.space_before || token.from_macro) {
      out += ' ';
    }
    last = at;
    if (token.kind == TokenKind::pragma) out += "#pragma ";
    out += token.text;
  }
  return out + '\n';
}

}  // namespace orbweaver::idl
