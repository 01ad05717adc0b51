#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace orbweaver::sca {

/// Calls `function(i)` for each i below `count`, in up to 16 threads, and returns when all calls have
/// returned. `function` throws nothing.
template <class Function>
void concurrently(std::size_t count, Function function) {
  constexpr std::size_t kMaxThreads = 16;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) function(i);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(count, kMaxThreads); ++i) threads.emplace_back(work);
  work();
}

}  // namespace orbweaver::sca
