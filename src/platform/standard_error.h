#pragma once

#include <string_view>

namespace orbweaver::platform {

/// Writes `text` to the standard error stream at once. A pipe without a reader is ignored: the program does
/// not receive SIGPIPE. Any thread.
void write_standard_error(std::string_view text) noexcept;
/// Waits until PIPE_BUF bytes can be written without waiting, at most `wait_ms`. False if they cannot: the
/// reader of the pipe or terminal does not read.
bool standard_error_has_space(int wait_ms) noexcept;

}  // namespace orbweaver::platform
