#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::log {

/// Decides which lines that peers cause are written, so that no peer fills a disk: ten lines of one kind from one
/// origin at once, then one a second; and a hundred at once from all origins together, then ten a second. The others
/// are counted. Its size is fixed: where there are more origins than places, the rest share one. Not thread-safe.
class LineLimiter {
 public:
  static constexpr int kBurst = 10, kPerSecond = 1;
  static constexpr int kBurstOfAll = 100, kPerSecondOfAll = 10;
  static constexpr std::size_t kPlaces = 256;

  /// Is the line to be written? No: it has been counted.
  bool admit(std::string_view kind, std::string_view origin, std::int64_t now_ns);

  /// What was left out since it was told last.
  struct LeftOut {
    std::string kind;
    std::string origin;
    std::uint64_t lines = 0;
  };
  /// Of one kind and origin; `lines` is 0 where nothing was left out.
  LeftOut take_left_out(std::string_view kind, std::string_view origin);
  /// Of all that a line was left out of `age_ns` ago or earlier.
  std::vector<LeftOut> take_left_out(std::int64_t now_ns, std::int64_t age_ns);

 private:
  /// A bucket of tokens, filled with time.
  struct Allowance {
    std::int64_t full_at_ns = 0;  // when it will be full again; empty: a whole burst before that
    bool take(std::int64_t now_ns, std::int64_t burst, std::int64_t per_second);
  };
  struct Place {
    std::string kind, origin;  // both empty: free
    Allowance allowance;
    std::uint64_t left_out = 0;
    std::int64_t since_ns = 0;  // of the first of those
  };
  Place* find(std::string_view kind, std::string_view origin);
  Place& place_for(std::string_view kind, std::string_view origin, std::int64_t now_ns);
  static LeftOut take(Place& place);

  std::array<Place, kPlaces> places_;
  Place others_;
  Allowance all_;
};

}  // namespace orbweaver::log
