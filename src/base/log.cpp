#include "base/log.h"

#include <array>
#include <cstdio>
#include <mutex>
#include <utility>

#include "base/log_rate_limiter.h"
#include "base/peer_address.h"
#include "base/printable.h"
#include "platform/clock.h"
#include "platform/environment.h"
#include "platform/process_identity.h"
#include "platform/standard_error.h"

namespace orbweaver::log {
namespace {

constexpr std::array<const char*, 5> kWords = {"off", "error", "warn", "info", "debug"};

int find(const std::string& word) {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (word == kWords[i]) return static_cast<int>(i);
  }
  return -1;
}

std::atomic<int>& current() {
  static std::atomic<int> level = [] {
    const char* word = platform::environment("ORBWEAVER_LOG");
    const int parsed = word ? find(word) : -1;
    if (word != nullptr && parsed < 0) {
      std::fprintf(stderr,
                   "orbweaver[%lld] warn: invalid ORBWEAVER_LOG (off, error, warn, info, debug): using "
                   "warn\n",
                   static_cast<long long>(platform::process_id()));
    }
    return parsed >= 0 ? parsed : static_cast<int>(Level::warn);
  }();
  return level;
}

constexpr std::int64_t kReportAgeNs = 5'000'000'000;

struct Limit {
  std::mutex mutex;
  LogRateLimiter limiter;
  std::int64_t reported_ns = 0;
};

Limit& limit() {
  static Limit* const instance = new Limit;  // never destroyed: destructors of other statics may log
  return *instance;
}

constexpr int kReaderWaitMs = 100;

/// Held from the test for space until the write, so that no other line takes the space.
std::mutex writing;
std::uint64_t dropped = 0;  // lines since the last one that was written; guarded by `writing`

std::string with_prefix(Level level, const std::string& line) {
  return "orbweaver[" + std::to_string(platform::process_id()) + "] " +
         kWords[static_cast<std::size_t>(level)] + ": " + printable(line, kMaxLogLineBytes) + "\n";
}

/// Drops the line if the reader of stderr does not read: no thread of an ORB waits for it.
void write_line(Level level, const std::string& line) {
  const std::string text = with_prefix(level, line);
  const std::lock_guard lock(writing);
  if (!platform::standard_error_has_space(dropped == 0 ? kReaderWaitMs : 0)) {
    ++dropped;
    return;
  }
  if (dropped != 0) {
    const std::uint64_t lines = std::exchange(dropped, 0);
    platform::write_standard_error(
        with_prefix(Level::warn, "… " + std::to_string(lines) + " lines dropped: stderr was not read"));
    if (!platform::standard_error_has_space(0)) {
      ++dropped;
      return;
    }
  }
  platform::write_standard_error(text);
}

void write_suppressed(const LogRateLimiter::SuppressedLines& suppressed) {
  if (suppressed.lines == 0) return;
  const std::string whose =
      suppressed.kind.empty() ? "from many origins" : suppressed.kind + ", from " + suppressed.origin;
  write_line(Level::warn, "… " + std::to_string(suppressed.lines) + " similar lines suppressed: " + whose);
}

/// Reports lines that were suppressed `age_ns` ago or earlier. Checks for them at most once per `age_ns`.
/// Returns whether others have not been reported.
bool report_suppressed_older_than(std::int64_t age_ns) {
  std::vector<LogRateLimiter::SuppressedLines> all;
  bool others = false;
  {
    const std::lock_guard lock(limit().mutex);
    const std::int64_t now = platform::now_ns();
    if (now - limit().reported_ns >= age_ns) {
      limit().reported_ns = now;
      all = limit().limiter.take_suppressed(now, age_ns);
    }
    others = limit().limiter.has_suppressed();
  }
  for (const auto& each : all) write_suppressed(each);
  return others;
}

}  // namespace

bool set_level(const std::string& word) {
  const int level = find(word);
  if (level >= 0) current() = level;
  return level >= 0;
}

bool enabled(Level level) noexcept {
  return static_cast<int>(level) <= current().load(std::memory_order_relaxed);
}

void write(Level level, const std::string& line) {
  if (!enabled(level)) return;
  report_suppressed_older_than(kReportAgeNs);
  write_line(level, line);
}

std::string origin(const Peer& peer) {
  return is_local_user(peer) ? "user " + std::to_string(peer.uid) : origin(peer.address);
}

std::string origin(std::string_view address) { return std::string(address.substr(0, address.rfind(':'))); }

bool admit(Level level, std::string_view kind, std::string_view origin) {
  if (!enabled(level)) return false;
  LogRateLimiter::SuppressedLines suppressed;
  {
    const std::lock_guard lock(limit().mutex);
    if (!limit().limiter.admit(kind, origin, platform::now_ns())) return false;
    suppressed = limit().limiter.take_suppressed(kind, origin);
  }
  write_suppressed(suppressed);
  return true;
}

void reset_limits() {
  const std::lock_guard lock(limit().mutex);
  limit().limiter = LogRateLimiter();
}

void report_suppressed() {
  if (enabled(Level::warn)) report_suppressed_older_than(0);
}

bool report_suppressed_after_a_while() {
  return enabled(Level::warn) && report_suppressed_older_than(kReportAgeNs);
}

}  // namespace orbweaver::log
