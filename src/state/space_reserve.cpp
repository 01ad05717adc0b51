#include "state/space_reserve.h"

#include <cerrno>

#include "platform/file_space.h"

namespace orbweaver::state {

bool SpaceReserve::ensure() noexcept {
  if (is_checked_) return true;
  const int error = platform::create_allocated(path_, kBytes);
  is_checked_ = error != ENOSPC && error != EDQUOT;
  return is_checked_;
}

bool SpaceReserve::give_up() noexcept {
  if (platform::remove_file(path_) != 0) return false;
  is_checked_ = false;
  // Without space, which another program may have taken already, the change fails once more.
  static_cast<void>(platform::allocate_behind(log_, kLogBytes));
  return true;
}

}  // namespace orbweaver::state
