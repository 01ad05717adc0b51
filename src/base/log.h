#pragma once

#include <atomic>
#include <string>
#include <string_view>

/// What the ORB says to people: one line an event on stderr, "orbweaver[812] debug: …". Any thread.
/// The level comes from -ORBLog or the environment variable ORBWEAVER_LOG (off, error, warn, info, debug).
/// Each line is escaped as a whole (base/printable.h) and has at most kMostLineBytes: it may hold bytes from outside.
namespace orbweaver {
struct Peer;
}

namespace orbweaver::log {

enum class Level : int { off, error, warn, info, debug };

inline constexpr std::size_t kMostLineBytes = 4096;

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

/// Who causes lines, for the limit below: the peer's user where the kernel vouches for it, else its host.
std::string origin(const Peer& peer);
/// The same of an address "127.0.0.1:4711".
std::string origin(std::string_view address);

/// May a line that `origin` caused be written? Lines of each kind from each origin are limited in rate
/// (base/line_limiter.h); a later line tells how many were left out. `kind`: fixed words, "malformed message".
bool admit(Level level, std::string_view kind, std::string_view origin);

/// A line that a peer can cause as often as it likes.
template <class Make>
void write_limited(Level level, std::string_view kind, std::string_view origin, Make&& make) {
  if (enabled(level) && admit(level, kind, origin)) write(level, make());
}

/// Tells how many lines were left out that nothing has told of yet. For the end of an ORB.
void report_left_out();

/// For tests: forgets who caused how many lines.
void reset_limits();

}  // namespace orbweaver::log
