#pragma once

#include "bench/scale/subject.h"

namespace orbweaver::bench {

/// ScaleSubject::start.
ScaleSample start_components(const ScaleSettings& settings);
/// ScaleSubject::component.
void run_component(const ScaleComponent& side);

}  // namespace orbweaver::bench
