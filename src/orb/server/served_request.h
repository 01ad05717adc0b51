#pragma once

#include <orbweaver/detail/blocks.h>

#include <memory>
#include <span>

#include "giop/service_context.h"

namespace orbweaver::orb {

class ReplySender;
class RequestQueue;

/// State that an upcall uses beyond the message of its request: of the connection, if its requests are served
/// one at a time, else of each request.
struct ServedRequest {
  ReplySender& replies;
  BlockReceiver* block_receiver;  ///< Null: the channel has no blocks.
  /// Whether the thread may block in ObjectFinder::enter; else the request is held.
  const bool may_wait;
  bool is_plain;  ///< No check of its admission is needed, and there are no interceptors.
  /// Null: the request is served in any case. Else the upcall sets it to the queue of the object, into which
  /// the request is to be put. `is_queued`: it has been put into this queue (null: it has been detached, as
  /// the object had none), and finds no object that has another.
  std::shared_ptr<RequestQueue>* queue = nullptr;
  bool is_queued = false;
  /// Service contexts that interceptors, or the priority of the request, add to the reply.
  std::span<const giop::ServiceContext> reply_contexts{};
  bool is_held = false;  ///< Set by the upcall: the POA manager is holding, or `queue` is set.
};

}  // namespace orbweaver::orb
