#pragma once

#include <orbweaver/deadline.h>

namespace orbweaver::platform {

using orbweaver::Deadline;
using orbweaver::now_ns;

}  // namespace orbweaver::platform
