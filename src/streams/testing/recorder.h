#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <vector>

#include "platform/testing/becomes_true.h"

namespace orbweaver::streams::testing {

/// A function of a port that records its packets. While `gate` is closed, it waits in the first packet.
struct Recorder {
  std::promise<void> gate;
  std::atomic<int> entered{0};
  std::vector<std::uint32_t> packets;

  auto function() {
    return [this](std::uint32_t& packet) {
      ++entered;
      packets.push_back(packet);
    };
  }
  auto gated_function() {
    return [this, open = gate.get_future().share()](std::uint32_t& packet) {
      ++entered;
      open.wait();
      packets.push_back(packet);
    };
  }
  bool has_entered(int count) {
    return platform::testing::becomes_true([&] { return entered >= count; });
  }
};

}  // namespace orbweaver::streams::testing
