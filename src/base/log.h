#pragma once

#include <atomic>
#include <string>
#include <string_view>

/// The log: one line per event on stderr, "orbweaver[812] debug: …". Any thread. The level is set by -ORBLog
/// or the environment variable ORBWEAVER_LOG (off, error, warn, info, debug). Lines may contain bytes of
/// peers: each is escaped as a whole (base/printable.h) and truncated to kMaxLogLineBytes. A reader of stderr
/// that stops reading delays one line by 100 ms; those that do not fit are dropped and counted until it reads
/// again.
namespace orbweaver {
struct Peer;
}

namespace orbweaver::log {

/// Log levels, in ascending verbosity.
enum class Level : int { off, error, warn, info, debug };

/// Maximum length of a line without its prefix, after which it is truncated. With it, PIPE_BUF: one write.
inline constexpr std::size_t kMaxLogLineBytes = 4000;

/// Sets the level by its name. False if `word` is not a level.
bool set_level(const std::string& word);
/// Whether lines of the level are written.
bool enabled(Level level) noexcept;
/// Writes a line, escaped, if the level is enabled.
[[gnu::cold]] void write(Level level, const std::string& line);

inline void warn(const std::string& line) { write(Level::warn, line); }
/// Writes the line that `make()` returns. `make` is called only if the level is enabled.
template <class Make>
void debug(Make&& make) {
  if (enabled(Level::debug)) write(Level::debug, make());
}
template <class Make>
void info(Make&& make) {
  if (enabled(Level::info)) write(Level::info, make());
}

/// The origin of lines that a peer causes, for `admit`: the peer's user if it is connected over a local
/// transport, else its host.
std::string origin(const Peer& peer);
/// The origin for a peer's address: "127.0.0.1:4711" gives "127.0.0.1".
std::string origin(std::string_view address);

/// Whether a line that `origin` caused may be written. Lines of each kind from each origin are limited in
/// rate (base/log_rate_limiter.h); a later line reports the number of suppressed ones. `kind` is a constant
/// text, "malformed message".
bool admit(Level level, std::string_view kind, std::string_view origin);

/// Writes a line that a peer can cause without limit, if `admit` allows it.
template <class Make>
void write_limited(Level level, std::string_view kind, std::string_view origin, Make&& make) {
  if (enabled(level) && admit(level, kind, origin)) write(level, make());
}

/// Reports the suppressed lines that have not been reported yet. Called at the end of an ORB.
void report_suppressed();
/// Reports those that were suppressed 5 s ago or earlier. Returns whether others have not been reported: this
/// is then to be called again. Any thread.
bool report_suppressed_after_a_while();

/// Resets the rate limits. For tests.
void reset_limits();

}  // namespace orbweaver::log
