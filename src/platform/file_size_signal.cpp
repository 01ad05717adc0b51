#include "platform/file_size_signal.h"

#include <signal.h>

namespace orbweaver::platform {

void ignore_file_size_signal() noexcept { ::signal(SIGXFSZ, SIG_IGN); }

}  // namespace orbweaver::platform
