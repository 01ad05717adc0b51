// A histogram of times on a logarithmic scale. It replaces the single samples in files and between processes.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <utility>
#include <vector>

namespace orbweaver::bench {

/// Counts of times in bins of equal width on a logarithmic scale, twenty for a factor of ten, from 0.01 µs to
/// 10 s; shorter and longer times are counted in the first and in the last bin.
class LogHistogram {
 public:
  void add(double us);
  void add(const LogHistogram& other);
  /// Lower limits of the bins in µs with their counts, without empty bins at both ends.
  std::vector<std::pair<double, std::uint64_t>> bins() const;

  bool operator==(const LogHistogram&) const = default;

  /// Words "BIN:COUNT" of the bins that are not empty, and ".", and back. Reading sets the stream's failbit
  /// if the words are malformed.
  friend std::ostream& operator<<(std::ostream&, const LogHistogram&);
  friend std::istream& operator>>(std::istream&, LogHistogram&);

 private:
  static constexpr std::size_t kBinsOfTen = 20, kBins = 9 * kBinsOfTen;
  std::array<std::uint64_t, kBins> counts_{};
};

}  // namespace orbweaver::bench
