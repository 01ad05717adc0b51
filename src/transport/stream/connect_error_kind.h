#pragma once

#include <cerrno>

#include "transport/transport.h"

namespace orbweaver::transport {

/// Error kind of a failed connect. `error` is an errno value.
inline ErrorKind connect_error_kind(int error) noexcept {
  switch (error) {
    case ETIMEDOUT: return ErrorKind::timed_out;
    case EMFILE:
    case ENFILE:
    case EACCES:
    case EPERM: return ErrorKind::unavailable;
    case EINVAL:
    case EADDRNOTAVAIL:
    case EPROTOTYPE:
    case ENOTDIR: return ErrorKind::invalid;
    default: return ErrorKind::transient;
  }
}

}  // namespace orbweaver::transport
