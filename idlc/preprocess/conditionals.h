#pragma once

#include <string_view>
#include <vector>

#include "idlc/preprocess/macro_expansion.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl {

/// The conditionals of one file (#if, #ifdef, #ifndef, #elif, #else, #endif) that are open at one line.
class Conditionals {
 public:
  static bool is_directive(std::string_view name);

  /// Handles a directive; `line` has the tokens after its name. Returns false if conditionals are nested too
  /// deeply.
  bool handle(const Token& name, const std::vector<Token>& line, MacroExpander& expander,
              Diagnostics& diagnostics);

  /// Whether the text at this line is compiled.
  bool keeping() const { return open_.empty() || open_.back().active; }
  /// Reports a conditional that is open at the end of the file.
  void check_closed(Diagnostics& diagnostics) const;

 private:
  struct Conditional {
    Span opened;
    bool active;  // the current branch is compiled
    bool taken;   // the current or an earlier branch was compiled
    bool else_seen;
  };

  void begin(const Token& name, const std::vector<Token>& line, MacroExpander& expander,
             Diagnostics& diagnostics);
  void next_branch(const Token& name, const std::vector<Token>& line, MacroExpander& expander,
                   Diagnostics& diagnostics);

  std::vector<Conditional> open_;  // the innermost last
};

}  // namespace orbweaver::idl
