#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::log {

/// Limits the rate of log lines that peers cause, so that no peer can fill a disk: for each kind and origin,
/// a burst of ten lines, then one per second; for all origins together, a burst of a hundred, then ten per
/// second. Suppressed lines are counted. The size is fixed: beyond kEntries, the remaining origins share one
/// entry. Not thread-safe.
class LogRateLimiter {
 public:
  /// Lines per kind and origin, then lines of all origins together.
  static constexpr int kBurst = 10, kPerSecond = 1;
  static constexpr int kBurstOfAll = 100, kPerSecondOfAll = 10;
  static constexpr std::size_t kEntries = 256;

  /// Whether the line may be written. If false, it has been counted as suppressed.
  bool admit(std::string_view kind, std::string_view origin, std::int64_t now_ns);

  /// The lines of one kind and origin suppressed since the last report.
  struct SuppressedLines {
    std::string kind;
    std::string origin;
    std::uint64_t lines = 0;
  };
  /// Takes the count of one kind and origin; `lines` is 0 if none was suppressed.
  SuppressedLines take_suppressed(std::string_view kind, std::string_view origin);
  /// Takes the counts of all kinds and origins whose first suppressed line is at least `age_ns` old.
  std::vector<SuppressedLines> take_suppressed(std::int64_t now_ns, std::int64_t age_ns);
  /// Whether such counts are left.
  bool has_suppressed() const noexcept;

 private:
  /// A token bucket that refills with time.
  struct TokenBucket {
    std::int64_t full_at_ns = 0;  // when the bucket will be full again
    bool take(std::int64_t now_ns, std::int64_t burst, std::int64_t per_second);
  };
  struct Entry {
    std::string kind, origin;  // both empty: free
    TokenBucket allowance;
    std::uint64_t suppressed = 0;
    std::int64_t since_ns = 0;  // when the first of those was suppressed
  };
  Entry* find(std::string_view kind, std::string_view origin);
  Entry& entry_for(std::string_view kind, std::string_view origin, std::int64_t now_ns);
  static SuppressedLines take(Entry& place);

  std::array<Entry, kEntries> entries_;
  Entry overflow_entry_;
  TokenBucket total_bucket_;
};

}  // namespace orbweaver::log
