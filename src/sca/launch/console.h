#pragma once

#include <cstdint>
#include <string>

namespace orbweaver::sca {

/// Writes log lines and one progress line to standard error. The progress line is refreshed in place on a
/// terminal; elsewhere it is written from time to time. Not thread-safe.
class Console {
 public:
  /// `quiet` suppresses progress lines; `terminal` says whether standard error is a terminal.
  Console(bool quiet, bool terminal) : quiet_(quiet), terminal_(terminal) {}
  ~Console() { clear(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Prints a permanent line, or several, of which those after the first are indented. Like the progress
  /// line, it is made printable (printable.h): it may have ids and texts of other programs.
  void line(const std::string& text);
  /// Updates the progress line; prints it at most every 0.1 s on a terminal, every 5 s elsewhere.
  void progress(const std::string& text);
  /// Erases the progress line from a terminal.
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::int64_t next_ns_ = 0;
};

/// Returns `text` with tabs replaced by spaces, and other control characters (cursor movement, colours) by
/// '?'.
std::string without_control_characters(const std::string& text);

}  // namespace orbweaver::sca
