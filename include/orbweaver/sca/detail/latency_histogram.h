#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orbweaver::sca {

/// Histogram of durations on a log-linear scale: eight buckets per power of two of nanoseconds, so that a
/// bucket is at most 1/8 of its value wide, from 1 ns to 584 years, in 4 KiB. The scale is that of
/// LatencyBuckets in Stream.idl. add() does not allocate. Not thread-safe.
class LatencyHistogram {
 public:
  static constexpr std::size_t kBuckets = 496;

  /// The bucket of a value; every value has one.
  static constexpr std::size_t bucket_of(std::uint64_t ns) noexcept {
    if (ns < 8) return static_cast<std::size_t>(ns);
    const int e = static_cast<int>(std::bit_width(ns)) - 3;
    return static_cast<std::size_t>(e) * 8 + static_cast<std::size_t>((ns >> (e - 1)) - 8);
  }
  /// The largest value that the bucket counts.
  static constexpr std::uint64_t upper_ns(std::size_t bucket) noexcept {
    if (bucket < 8) return bucket;
    const auto e = bucket / 8;
    const std::uint64_t m = bucket % 8;
    return ((8 + m) << (e - 1)) + ((std::uint64_t{1} << (e - 1)) - 1);
  }

  void add(std::uint64_t ns) noexcept {
    ++counts_[bucket_of(ns)];
    ++total_;
    max_ns_ = std::max(max_ns_, ns);
  }

  std::uint64_t total() const noexcept { return total_; }
  std::uint64_t max_ns() const noexcept { return max_ns_; }

  /// The counts without the zeros at the end.
  std::vector<std::uint64_t> counts() const {
    std::size_t used = kBuckets;
    while (used > 0 && counts_[used - 1] == 0) --used;
    return {counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(used)};
  }

 private:
  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t max_ns_ = 0;
};

/// Returns the percentile `percent` of the values counted in `counts`, in nanoseconds: the upper end of its
/// bucket, but at most `max_ns`. 0 if nothing was counted. Counts beyond the scale (malformed data) are
/// ignored.
inline std::uint64_t percentile_ns(const std::vector<std::uint64_t>& counts, double percent,
                                   std::uint64_t max_ns) {
  const std::size_t used = std::min(counts.size(), LatencyHistogram::kBuckets);
  double total = 0;
  for (std::size_t i = 0; i < used; ++i) total += static_cast<double>(counts[i]);
  if (total == 0) return 0;
  double seen = 0;
  for (std::size_t i = 0; i < used; ++i) {
    seen += static_cast<double>(counts[i]);
    if (seen >= total * percent / 100.0) return std::min(LatencyHistogram::upper_ns(i), max_ns);
  }
  return max_ns;
}

}  // namespace orbweaver::sca
