#include "base/log.h"

#include <orbweaver/peer.h>

#include <array>
#include <cstdio>
#include <mutex>

#include "base/line_limiter.h"
#include "base/printable.h"
#include "platform/clock.h"
#include "platform/environment.h"
#include "platform/process_identity.h"

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
    const int wanted = word ? find(word) : -1;
    if (word != nullptr && wanted < 0) {
      std::fprintf(stderr, "orbweaver[%lld] warn: ORBWEAVER_LOG takes off, error, warn, info or debug, and has "
                           "another value: warn is used\n", static_cast<long long>(platform::process_id()));
    }
    return wanted >= 0 ? wanted : static_cast<int>(Level::warn);
  }();
  return level;
}

constexpr std::int64_t kReportAge_ns = 5'000'000'000;

struct Limit {
  std::mutex mutex;
  LineLimiter limiter;
  std::int64_t reported_ns = 0;
};

Limit& limit() {
  static Limit* const one = new Limit;  // for good: other statics may still write at the end
  return *one;
}

void put(Level level, const std::string& line) {
  std::string text = "orbweaver[" + std::to_string(platform::process_id()) + "] " +
                     kWords[static_cast<std::size_t>(level)] + ": " + printable(line, kMostLineBytes) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void put_left_out(const LineLimiter::LeftOut& left_out) {
  if (left_out.lines == 0) return;
  const std::string whose = left_out.kind.empty() ? "of many origins" : left_out.kind + ", from " + left_out.origin;
  put(Level::warn, "… " + std::to_string(left_out.lines) + " similar lines left out: " + whose);
}

/// Tells of what was left out so long ago or earlier; asks for that at most once in the time.
void report_older_than(std::int64_t age_ns) {
  std::vector<LineLimiter::LeftOut> all;
  {
    const std::lock_guard lock(limit().mutex);
    const std::int64_t now = platform::now_ns();
    if (now - limit().reported_ns < age_ns) return;
    limit().reported_ns = now;
    all = limit().limiter.take_left_out(now, age_ns);
  }
  for (const auto& each : all) put_left_out(each);
}

}  // namespace

bool set_level(const std::string& word) {
  const int level = find(word);
  if (level >= 0) current() = level;
  return level >= 0;
}

bool enabled(Level level) noexcept { return static_cast<int>(level) <= current().load(std::memory_order_relaxed); }

void write(Level level, const std::string& line) {
  if (!enabled(level)) return;
  report_older_than(kReportAge_ns);
  put(level, line);
}

std::string origin(const Peer& peer) {
  return peer.uid >= 0 ? "user " + std::to_string(peer.uid) : origin(peer.address);
}

std::string origin(std::string_view address) { return std::string(address.substr(0, address.rfind(':'))); }

bool admit(Level level, std::string_view kind, std::string_view origin) {
  if (!enabled(level)) return false;
  LineLimiter::LeftOut left_out;
  {
    const std::lock_guard lock(limit().mutex);
    if (!limit().limiter.admit(kind, origin, platform::now_ns())) return false;
    left_out = limit().limiter.take_left_out(kind, origin);
  }
  put_left_out(left_out);
  return true;
}

void reset_limits() {
  const std::lock_guard lock(limit().mutex);
  limit().limiter = LineLimiter();
}

void report_left_out() {
  if (enabled(Level::warn)) report_older_than(0);
}

}  // namespace orbweaver::log
