#pragma once

#include <orbweaver/result.h>

#include <functional>
#include <string>

#include "sca/control/follow.h"

namespace orbweaver::tools {

/// Runs a command that prints until SIGINT, SIGTERM or SIGHUP, which end it without an error. It also ends
/// when nobody reads its output any more. `command`: for messages, "event follow". Call before the first
/// thread is started. Returns an empty text.
Result<std::string> follow(const std::string& command,
                           const std::function<Result<void>(const sca::FollowOutput&)>& followed);

}  // namespace orbweaver::tools
