// Runs the processes of `orbweaver bench userplane`.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/case.h"
#include "load_curve.h"
#include "message_mix.h"
#include "settings.h"

namespace orbweaver::bench {

/// Runs a sender and a receiver of the program `program` (contract in subject.h), on the processors of `pin`,
/// and returns a point for each spacing; the first spacing is also measured before, as a warm-up. Blocks
/// until the end; on return, also by exception, both processes have ended. Throws std::runtime_error that
/// says which of them failed and how, or that packets were wrong, reordered, or lost over TCP.
std::vector<LoadPoint> run_userplane(const UserplaneSettings&, const MessageSizes&,
                                     const std::string& program, Pin pin);

}  // namespace orbweaver::bench
