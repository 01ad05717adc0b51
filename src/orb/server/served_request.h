#pragma once

#include <orbweaver/detail/blocks.h>

namespace orbweaver::orb {

class ReplySender;

/// What an upcall uses beyond the message of its request: of the connection, if its requests are served one
/// at a time, else of each request.
struct ServedRequest {
  ReplySender& replies;
  BlockReceiver* block_receiver;  ///< Null: the channel has no blocks.
  /// Whether the thread may block in ObjectFinder::enter; else the request is held.
  const bool may_wait;
  bool is_plain;         ///< No check of its admission is needed.
  bool is_held = false;  ///< Set by the upcall: the POA manager is holding.
};

}  // namespace orbweaver::orb
