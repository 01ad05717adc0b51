#pragma once

#define ORBWEAVER_VERSION "0.1.0"

namespace orbweaver {

/// The version of the run-time library that is linked, which may be newer than the headers' ORBWEAVER_VERSION.
const char* version() noexcept;

}  // namespace orbweaver
