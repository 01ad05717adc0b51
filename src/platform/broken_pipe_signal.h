#pragma once

namespace orbweaver::platform {

/// Has writes to a closed pipe or socket fail with EPIPE instead of ending the process by SIGPIPE. For
/// programs whose library writes to sockets and handles its errors. Any thread.
void ignore_broken_pipe_signal() noexcept;

}  // namespace orbweaver::platform
