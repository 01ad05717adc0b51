#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "call/object_caller.h"

namespace orbweaver::call {

/// Options of `orbweaver ping`.
struct PingOptions {
  TargetOptions target;
  std::uint32_t count = 4;
  std::uint32_t interval_ms = 200;
};

/// Asks the object whether it exists, `count` times, and passes a line for each to `print`, then a summary.
/// `print` returns an error message, or an empty string. True if the object exists and has replied each time.
/// Errors: of ObjectCaller::make; unavailable if `print` has failed.
Result<bool> ping_object(const PingOptions& options,
                         const std::function<std::string(const std::string&)>& print);

}  // namespace orbweaver::call
