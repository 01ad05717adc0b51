#pragma once

namespace orbweaver::platform {

/// Names the calling thread for ps, top and debuggers; at most 15 characters are kept.
void name_this_thread(const char* name) noexcept;

/// The core that the calling thread runs on now; -1 where not known.
int this_core() noexcept;

}  // namespace orbweaver::platform
