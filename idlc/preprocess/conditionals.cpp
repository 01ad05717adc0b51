#include "idlc/preprocess/conditionals.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "idlc/preprocess/condition.h"
#include "idlc/preprocess/limits.h"

namespace orbweaver::idl {

namespace {

using Line = std::vector<Token>;

// The condition of #if or #elif.
bool condition(const Token& name, const Line& line, MacroExpander& expander, Diagnostics& diagnostics) {
  if (!line.empty()) return condition_holds(line, name.span, expander, diagnostics);
  diagnostics.error("bad-condition", name.span, "'#" + std::string(name.text) + "' needs a condition");
  return false;
}

// Whether the macro that #ifdef or #ifndef names is defined.
bool is_defined(const Token& name, const Line& line, MacroExpander& expander, Diagnostics& diagnostics) {
  if (!line.empty() && line[0].kind == TokenKind::identifier) return expander.macros().is_macro(line[0]);
  diagnostics.error("bad-condition", name.span, "'#" + std::string(name.text) + "' needs a name");
  return false;
}

}  // namespace

bool Conditionals::is_directive(std::string_view name) {
  constexpr std::string_view kNames[] = {"if", "ifdef", "ifndef", "elif", "else", "endif"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool Conditionals::handle(const Token& name, const Line& line, MacroExpander& expander,
                          Diagnostics& diagnostics) {
  if (name.text.starts_with("if")) {
    if (open_.size() >= limits::kConditionalDepth) return false;
    begin(name, line, expander, diagnostics);
  } else if (open_.empty()) {
    diagnostics.error("stray-conditional", name.span, "'#" + std::string(name.text) + "' without an #if");
  } else if (name.text == "endif") {
    open_.pop_back();
  } else {
    next_branch(name, line, expander, diagnostics);
  }
  return true;
}

void Conditionals::begin(const Token& name, const Line& line, MacroExpander& expander,
                         Diagnostics& diagnostics) {
  bool holds = false;
  if (keeping()) {
    holds = name.text == "if" ? condition(name, line, expander, diagnostics)
                              : is_defined(name, line, expander, diagnostics) == (name.text == "ifdef");
  }
  // Within a skipped part no branch is compiled: mark the conditional as taken.
  open_.push_back({name.span, holds, holds || !keeping(), false});
}

void Conditionals::next_branch(const Token& name, const Line& line, MacroExpander& expander,
                               Diagnostics& diagnostics) {
  Conditional& top = open_.back();
  if (top.else_seen) {
    diagnostics.error("stray-conditional", name.span, "'#" + std::string(name.text) + "' after #else")
        .note(top.opened, "the conditional begins here");
    return;
  }
  top.else_seen = name.text == "else";
  top.active = !top.taken && (top.else_seen || condition(name, line, expander, diagnostics));
  top.taken = top.taken || top.active;
}

void Conditionals::check_closed(Diagnostics& diagnostics) const {
  if (open_.empty()) return;
  diagnostics.error("unterminated-conditional", open_.back().opened, "this conditional has no #endif")
      .suggest("add #endif");
}

}  // namespace orbweaver::idl
