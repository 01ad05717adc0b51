#include <orbweaver/version.h>

namespace orbweaver {

const char* version() noexcept { return ORBWEAVER_VERSION; }

}  // namespace orbweaver
