#include "platform/environment.h"

#include <stdlib.h>

namespace orbweaver::platform {

const char* environment(const char* name) noexcept { return secure_getenv(name); }

}  // namespace orbweaver::platform
