#pragma once

#include <atomic>
#include <string>

/// What the ORB says to people: one line an event on stderr, "orbweaver[812] debug: …". Any thread.
/// The level comes from -ORBLog or the environment variable ORBWEAVER_LOG (off, error, warn, info, debug).
namespace orbweaver::log {

enum class Level : int { off, error, warn, info, debug };

/// False where the word is none of the levels.
bool set_level(const std::string& word);
bool enabled(Level level) noexcept;
void write(Level level, const std::string& line);

inline void warn(const std::string& line) { write(Level::warn, line); }
/// `make()` builds the line, only where it is wanted.
template <class Make>
void debug(Make&& make) {
  if (enabled(Level::debug)) write(Level::debug, make());
}
template <class Make>
void info(Make&& make) {
  if (enabled(Level::info)) write(Level::info, make());
}

}  // namespace orbweaver::log
