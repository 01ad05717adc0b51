#include "platform/broken_pipe_signal.h"

#include <signal.h>

namespace orbweaver::platform {

void ignore_broken_pipe_signal() noexcept { ::signal(SIGPIPE, SIG_IGN); }

}  // namespace orbweaver::platform
