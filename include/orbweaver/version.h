#pragma once

/// @file
/// Versions of the headers and of the library.

/// Version of these headers.
#define ORBWEAVER_VERSION "0.1.0"

namespace orbweaver {

/// Version of the linked run-time library, which may be newer than the headers' ORBWEAVER_VERSION. Valid as
/// long as the program. Any thread.
const char* version() noexcept;

}  // namespace orbweaver
