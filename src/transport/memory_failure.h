#pragma once

#include "base/contained.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// For the handlers of a channel's functions, which must not throw: memory has run out, which may have been
/// for the text of another error. Closes the channel with one line of log.
inline Error close_without_memory(Channel& channel) noexcept {
  log_contained("a connection is ended for want of memory", channel.peer().address.c_str());
  channel.close();
  return Error{Remedy::reconnect, "no memory"};  // so short that it takes none
}

}  // namespace orbweaver::transport
