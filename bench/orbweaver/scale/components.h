#pragma once

#include "bench/scale/subject.h"

namespace orbweaver::bench {

/// ScaleSubject::start: the starter of components that use the ORB alone.
ScaleSample start_components(const ScaleSettings& settings);
/// ScaleSubject::component.
void run_component(const ScaleComponent& side);

}  // namespace orbweaver::bench
