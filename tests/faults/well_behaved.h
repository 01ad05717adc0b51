#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "peer.h"

namespace faulttest {

/// Calls a good server over and over while an attack goes on elsewhere.
class WellBehaved {
 public:
  explicit WellBehaved(TargetRef target) : thread_([this, target] {
    for (std::int32_t n = 0; !stop_; ++n) {
      if (target->twice(n) != 2 * n) ++wrong_;
      ++served_;
    }
  }) {}
  ~WellBehaved() {
    stop_ = true;
    thread_.join();
    EXPECT_EQ(wrong_, 0);
  }
  /// Is it served again, from now on?
  bool goes_on() const {
    const int before = served_;
    return becomes_true([&] { return served_ > before + 1; });
  }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int> wrong_{0}, served_{0};
  std::thread thread_;
};

/// What a liar does to a word: all of its bits, the lowest, the highest.
inline constexpr std::uint32_t kFlips[]{~0u, 1u, 0x80000000u};

/// The four octets at `at`, or as many as there are.
inline void flip(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t bits) {
  for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i) bytes[at + i] ^= static_cast<std::uint8_t>(bits >> 8 * i);
}

}  // namespace faulttest
