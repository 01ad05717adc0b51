#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "peer.h"

namespace faulttest {

/// Calls a target repeatedly in its own thread, while a test attacks the server over another connection.
class BackgroundCaller {
 public:
  explicit BackgroundCaller(TargetRef target)
      : thread_([this, target] {
          for (std::int32_t n = 0; !stop_; ++n) {
            if (target->twice(n) != 2 * n) ++wrong_;
            ++served_;
          }
        }) {}
  ~BackgroundCaller() {
    stop_ = true;
    thread_.join();
    EXPECT_EQ(wrong_, 0);
  }
  /// Whether further calls are served from now on.
  bool is_served_again() const {
    const int before = served_;
    return becomes_true([&] { return served_ > before + 1; });
  }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int> wrong_{0}, served_{0};
  std::thread thread_;
};

/// Bits of a word that a hostile peer flips: all, the lowest, the highest.
inline constexpr std::uint32_t kBitMasks[]{~0u, 1u, 0x80000000u};

/// Flips `bits` of the little-endian word at `at`, as far as it is inside of `bytes`.
inline void flip(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t bits) {
  for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
    bytes[at + i] ^= static_cast<std::uint8_t>(bits >> 8 * i);
}

}  // namespace faulttest
