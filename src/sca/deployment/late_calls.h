#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace orbweaver::sca {

/// Time after which nobody waits for the answer to a call any more.
inline constexpr std::chrono::minutes kLateLimit{10};

/// A call of a device that leaves something behind: a process, a file, a capacity. Both functions are called
/// by a thread of their own, possibly after the deployment has ended: they hold what they need.
struct UndoableCall {
  std::string application;                 ///< Id of the application for which it is made.
  std::string name;                        ///< For messages: "execute() of device gpp_1".
  std::function<std::int32_t()> call;      ///< Ends after kLateLimit at the latest.
  std::function<void(std::int32_t)> undo;  ///< Undoes a call that has returned this.
  std::string device;                      ///< Its id.
};

/// Makes a call and returns its result, or raises what it raises, or CORBA::TIMEOUT after `limit`. A device
/// that is late performs the call nevertheless: what it has done is undone when it answers. Any thread.
/// Raises CORBA::NO_RESOURCES, without a call, while 256 calls are late, or 16 of the device, and
/// std::system_error if there is no thread.
std::int32_t call_within(std::chrono::milliseconds limit, UndoableCall call);

/// The late calls of an application.
enum class LateOrders {
  unknown,  ///< This process has made none, or one has failed: what its device has done is not known.
  pending,  ///< One has not been answered and undone.
  settled,  ///< All have been answered, and what they have done has been undone.
};
/// Tells it; `settled` and `unknown` are forgotten. Any thread.
LateOrders late_orders_of(const std::string& application);

/// Time that the end of a domain manager waits for late calls.
inline constexpr std::chrono::seconds kLateCallsAtEnd{5};

/// Waits until all late calls have been answered and undone, at most `limit`. Returns the names of those that
/// have not: this process does not undo what they do after its end. Any thread.
std::vector<std::string> wait_for_late_calls(std::chrono::milliseconds limit);
/// The same with kLateCallsAtEnd, and logs them. For the end of a domain manager.
void finish_late_calls();

}  // namespace orbweaver::sca
