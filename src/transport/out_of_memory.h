#pragma once

#include "base/catch_and_log.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// For the exception handlers of a channel's functions, which must not throw: memory has run out, possibly
/// for the text of another error. Closes the channel and writes one line to the log.
inline Error close_out_of_memory(Channel& channel) noexcept {
  log_caught_exception("connection closed: out of memory", channel.peer().address.c_str());
  channel.close();
  return Error{ErrorKind::disconnected, "no memory"};  // short enough to need no allocation
}

}  // namespace orbweaver::transport
