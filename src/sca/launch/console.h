#pragma once

#include <cstdint>
#include <string>

namespace orbweaver::sca {

/// Standard error, on which one line tells of progress: refreshed in place on a terminal, written now and
/// then elsewhere. One thread.
class Console {
 public:
  /// `quiet`: no progress.
  Console(bool quiet, bool terminal) : quiet_(quiet), terminal_(terminal) {}
  ~Console() { clear(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// A line that stays.
  void line(const std::string& text);
  /// The line that tells of progress, as it is now; printed as often as is good for the reader.
  void progress(const std::string& text);
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::int64_t next_ns_ = 0;
};

/// Text from a component, with what would move the cursor or change the colour taken out.
std::string harmless(const std::string& text);

}  // namespace orbweaver::sca
