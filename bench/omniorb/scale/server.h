#pragma once

#include "bench/scale/subject.h"

namespace orbweaver::bench {

/// ScaleSubject::serve.
void serve_scale(const ScaleServer& side);

}  // namespace orbweaver::bench
