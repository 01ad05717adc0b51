#include "base/log.h"

#include <array>
#include <cstdio>
#include <cstdlib>

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
    const char* word = std::getenv("ORBWEAVER_LOG");
    const int wanted = word ? find(word) : -1;
    if (word != nullptr && wanted < 0) {
      std::fprintf(stderr, "orbweaver[%lld] warn: ORBWEAVER_LOG takes off, error, warn, info or debug, and has "
                           "another value: warn is used\n", static_cast<long long>(platform::process_id()));
    }
    return wanted >= 0 ? wanted : static_cast<int>(Level::warn);
  }();
  return level;
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
  std::fprintf(stderr, "orbweaver[%lld] %s: %s\n", static_cast<long long>(platform::process_id()),
               kWords[static_cast<std::size_t>(level)], line.c_str());
}

}  // namespace orbweaver::log
