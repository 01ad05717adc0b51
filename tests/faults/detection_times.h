#pragma once

#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

namespace faulttest {

/// Times between the kill of a peer and its detection. Printed but not tested, because a machine may stall.
class DetectionTimes {
 public:
  void add(std::int64_t ns) { ns_.push_back(ns); }
  /// "p50 0.21 ms, p99 1.30 ms, max 2.05 ms of 97".
  std::string summary() const {
    std::vector<std::int64_t> sorted = ns_;
    std::sort(sorted.begin(), sorted.end());
    std::ostringstream text;
    text << std::fixed << std::setprecision(2);
    const auto at = [&](double share) {
      return static_cast<double>(
                 sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))]) /
             1e6;
    };
    if (!sorted.empty())
      text << "p50 " << at(0.5) << " ms, p99 " << at(0.99) << " ms, max " << at(1) << " ms ";
    text << "of " << sorted.size();
    return text.str();
  }

 private:
  std::vector<std::int64_t> ns_;
};

}  // namespace faulttest
