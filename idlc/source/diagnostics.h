#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "idlc/source/span.h"

namespace orbweaver::idl {

enum class Severity { warning, error };

/// An earlier place that explains a diagnostic.
struct Note {
  Span where;
  std::string message;
};

/// One thing that a person should read. Data: how it looks is decided in render.h.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string_view name;  ///< the rule, for --json and -Wno-NAME; a string literal
  Span where;
  std::string message;
  std::string suggestion;  ///< what to do; may be empty
  std::vector<Note> notes;

  Diagnostic& suggest(std::string text) {
    suggestion = std::move(text);
    return *this;
  }
  Diagnostic& note(Span at, std::string text) {
    if (at.known()) notes.push_back({at, std::move(text)});
    return *this;
  }
};

/// What the user asked of warnings.
struct WarningPolicy {
  std::set<std::string, std::less<>> off;       ///< -Wno-NAME
  std::set<std::string, std::less<>> as_error;  ///< -Werror=NAME
  bool all_off = false;                         ///< -w
  bool all_as_error = false;                    ///< -Werror
};

/// Collects what every stage has to say; nothing is printed before the end. Not thread-safe.
class Diagnostics {
 public:
  explicit Diagnostics(WarningPolicy policy = {}) : policy_(std::move(policy)) {}

  /// Adds a diagnostic, to which the caller may at once add a suggestion and notes.
  /// The reference is good until the next call.
  Diagnostic& error(std::string_view name, Span where, std::string message);
  Diagnostic& warning(std::string_view name, Span where, std::string message);

  /// Adds a note to each diagnostic from number `first` on.
  void note_since(std::size_t first, Span where, const std::string& message);

  std::size_t error_count() const { return errors_; }
  bool ok() const { return errors_ == 0; }
  /// So many that more would help nobody; stages stop early.
  bool overwhelmed() const { return errors_ >= kMaxErrors; }
  const std::deque<Diagnostic>& all() const { return all_; }

  static constexpr std::size_t kMaxErrors = 100;

 private:
  Diagnostic& add(Diagnostic diagnostic);

  WarningPolicy policy_;
  std::deque<Diagnostic> all_;
  Diagnostic unheard_;  // where a diagnostic goes that is turned off or one too many
  std::size_t errors_ = 0;
};

/// Every warning that exists, for the command line to check names against.
const std::vector<std::string_view>& warning_names();

}  // namespace orbweaver::idl
