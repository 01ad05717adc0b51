#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "idlc/source/source_span.h"

namespace orbweaver::idl {

enum class Severity { warning, error };

/// A message about another place that explains a diagnostic, such as an earlier declaration.
struct Note {
  Span where;
  std::string message;
};

/// One error or warning. Plain data; render.h formats it.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string_view name;  ///< name of the rule, as in --json and -Wno-NAME; refers to a string literal
  Span where;
  std::string message;
  std::string suggestion;  ///< how to correct the input; may be empty
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

/// The warning options of the command line.
struct WarningPolicy {
  std::set<std::string, std::less<>> off;       ///< -Wno-NAME
  std::set<std::string, std::less<>> as_error;  ///< -Werror=NAME
  bool all_off = false;                         ///< -w
  bool all_as_error = false;                    ///< -Werror
};

/// Collects the diagnostics of all stages; prints nothing. Not thread-safe.
class Diagnostics {
 public:
  explicit Diagnostics(WarningPolicy policy = {}) : policy_(std::move(policy)) {}

  /// Adds a diagnostic and returns it, so that the caller can add a suggestion and notes.
  /// The reference is valid until the next call.
  Diagnostic& error(std::string_view name, Span where, std::string message);
  Diagnostic& warning(std::string_view name, Span where, std::string message);

  /// Adds a note to each diagnostic from index `first` on.
  void note_since(std::size_t first, Span where, const std::string& message);

  std::size_t error_count() const { return errors_; }
  bool ok() const { return errors_ == 0; }
  /// Whether kMaxErrors is reached; stages stop early then.
  bool too_many_errors() const { return errors_ >= kMaxErrors; }
  const std::deque<Diagnostic>& all() const { return all_; }

  static constexpr std::size_t kMaxErrors = 100;

 private:
  Diagnostic& add(Diagnostic diagnostic);

  WarningPolicy policy_;
  std::deque<Diagnostic> all_;
  Diagnostic suppressed_;  // returned for a diagnostic that is turned off, repeated or above the limit
  std::size_t errors_ = 0;
};

/// The names of all warnings, for -WNAME on the command line.
const std::vector<std::string_view>& warning_names();

}  // namespace orbweaver::idl
