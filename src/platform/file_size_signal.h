#pragma once

namespace orbweaver::platform {

/// Has writes beyond the limit of file sizes (RLIMIT_FSIZE, `ulimit -f`) fail with EFBIG instead of ending
/// the process by SIGXFSZ. For programs whose library writes files and handles its errors. Any thread.
void ignore_file_size_signal() noexcept;

}  // namespace orbweaver::platform
