#pragma once

#include <cstddef>
#include <functional>

namespace orbweaver::sca {

/// Threads of one deployment. Most wait for replies of devices and components.
inline constexpr std::size_t kDeploymentThreads = 16;

/// Calls `work` with 0 to count - 1, started in this order, in at most that many threads. If calls
/// throw, no further one is started, and the exception of the lowest number is thrown when all have returned.
void run_concurrently(std::size_t count, const std::function<void(std::size_t)>& work,
                      std::size_t threads = kDeploymentThreads);

}  // namespace orbweaver::sca
