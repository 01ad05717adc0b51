#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace orbweaver::orb {

/// The reply, with TRANSIENT, to a request or locate request of GIOP 1.2 that is not executed: no thread will
/// begin it before a call of this process has been answered, on whose answer it may depend. `frame`: its
/// first frame.
std::vector<std::uint8_t> rejection_of(Bytes frame);

}  // namespace orbweaver::orb
