#pragma once

#include <functional>

namespace orbweaver::sca {

/// Name of these threads while they do nothing that has a name of its own.
inline constexpr const char* kWorkerName = "ow-deployment";

/// Calls `work` in a thread that waits for work, or in a new one. A thread that has had no work for two
/// seconds ends, so that the steps of a deployment use the same threads. Does not wait; any thread. `work`
/// throws nothing. Raises std::system_error, without a call, if no thread can be started.
void run_in_worker(std::function<void()> work);

}  // namespace orbweaver::sca
