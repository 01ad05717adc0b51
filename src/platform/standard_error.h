#pragma once

#include <string_view>

namespace orbweaver::platform {

/// Writes `text` to the standard error stream at once. A pipe without a reader is ignored: the program does
/// not receive SIGPIPE. Any thread.
void write_standard_error(std::string_view text) noexcept;

}  // namespace orbweaver::platform
