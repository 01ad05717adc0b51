// The cases of a plan of `orbweaver bench scale`.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "settings.h"

namespace orbweaver::bench {

/// The settings of all measurements, in the order of the parts. Throws InvalidPlan with one line for an
/// option that is unknown or out of range.
std::vector<ScaleSettings> scale_settings(const ScalePlan& plan);

/// Why a subject does not have these settings; empty if it has.
std::string reason_against(const std::string& subject, const ScaleSettings& settings);

}  // namespace orbweaver::bench
