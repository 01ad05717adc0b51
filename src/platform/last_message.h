#pragma once

#include <string_view>

namespace orbweaver::platform {

/// Writes a message to a descriptor, such as standard error, if that takes it at once: at most PIPE_BUF
/// octets of it. For a process that ends whether anybody reads the message or not: uses no stream of the C
/// library, whose lock another thread may hold while it waits for the reader, and raises no SIGPIPE.
/// Any thread.
void write_last_message(int descriptor, std::string_view message) noexcept;

}  // namespace orbweaver::platform
