#pragma once

#include <cerrno>

#include "transport/transport.h"

namespace orbweaver::transport {

/// What is to be done when a socket could not be connected. `error` is an errno value.
inline Remedy connect_remedy(int error) noexcept {
  switch (error) {
    case ETIMEDOUT: return Remedy::wait;
    case EMFILE:
    case ENFILE:
    case EACCES:
    case EPERM: return Remedy::give_up;
    case EINVAL:
    case EADDRNOTAVAIL:
    case EPROTOTYPE:
    case ENOTDIR: return Remedy::mend;
    default: return Remedy::retry;
  }
}

}  // namespace orbweaver::transport
