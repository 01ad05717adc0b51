#pragma once

#include <orbweaver/detail/skeleton.h>

#include "giop/reply.h"
#include "giop/request.h"
#include "orb/core.h"
#include "orb/interception.h"
#include "orb/server/object_finder.h"
#include "orb/server/server_connection.h"

namespace orbweaver {
class DeferredReply;
}

namespace orbweaver::orb {

/// UNKNOWN, for a C++ exception that is not CORBA's. Its text `what` is logged only, unless
/// -ORBExceptionDetail full or nobody gets it: it may contain paths, hosts or passwords. In the upcall.
CORBA::UNKNOWN unknown_of_cpp_exception(Core& core, std::string_view operation, bool response_expected,
                                        const std::string& what);
/// Serves the operations of CORBA::Object (CORBA 3.3 part 2, 9.4.2). Raises BAD_OPERATION for other
/// operations.
void serve_object_operation(PortableServer::Servant& servant, ServerCall& call);

/// Dispatches one request: finds the servant, calls its skeleton, and sends the reply or an exception. Lives
/// on the stack of the serving thread.
class Upcall final : public ServerCall {
 public:
  /// `dispatch_cache`: that of the request's header; null if the header is not cached.
  Upcall(ServerConnection& connection, ServedRequest& served, giop::Version version,
         const giop::RequestHeader& request, cdr::Decoder& in, DispatchCache* dispatch_cache)
      : ServerCall(in), connection_(connection), served_(served), version_(version), request_(request) {
    operation_ = request.operation;
    dispatch_hint_ = dispatch_cache;
  }

  /// Executes the request. Returns false if the reply could not be sent: the connection is unusable.
  bool serve(Core& core);
  /// Takes over the reply: see defer_reply.
  CORBA::object_reference<DeferredReply> defer(std::unique_ptr<DeferredObserver> observer = nullptr);

 private:
  void operation_found(const DispatchHint& found) override;
  cdr::Encoder& begin_reply(std::size_t results_bound) override;
  void raise_bad_arguments() override;

  ReplySender& replies() const noexcept { return served_.replies; }
  void call_servant(Core& core);
  /// Whether the calling thread serves this connection only.
  bool owns_thread() const noexcept {
    return connection_.may_block_ == ServerConnection::MayBlock::yes && !served_.is_queued;
  }
  /// Serves _bind_priority_band.
  void bind_priority_band(const RealTimeAdapter& adapter, std::int16_t object_priority);
  /// Serves _bind_priority_band of an object with a thread pool in the thread of the connection. False: the
  /// request is to be queued as others are, because the POA manager is holding, or there is no pool.
  bool bind_priority_band_of_pool();
  /// Executes the operation with the priority of the request, and replies.
  void dispatch_by_priority(const RealTimeAdapter& adapter, std::int16_t object_priority,
                            ObjectFinder& finder, ServantPin& pin);
  void call_found_servant(ObjectFinder& finder);
  void dispatch(PortableServer::Servant& servant);
  /// Replies that the request must name its object by the key (NEEDS_ADDRESSING_MODE).
  void request_other_addressing();
  /// Checks the admission of a request that is not plain, and executes it, with interceptors if there are
  /// any.
  void serve_unusual(Core& core);
  void serve_intercepted(Core& core, Interception& interception);
  /// Begins the reply of a request that interceptors accompany.
  void reply_results(const InterceptedReply& reply);
  class Intercepted;
  /// Whether the caller continues before the upcall: SYNC_WITH_SERVER.
  bool replies_before_upcall() const noexcept {
    return request_.response_flags == giop::response::kWithServer;
  }
  /// Sends the reply of a call with SYNC_WITH_SERVER. Raises COMM_FAILURE if it cannot be sent.
  void reply_before_upcall();
  /// Handles a failed lookup: parks the request, replies, or raises the exception.
  void handle_lookup_failure(LookupStatus status);
  cdr::Encoder& begin(std::size_t bound, giop::ReplyStatus status,
                      std::span<const giop::ServiceContext> contexts, giop::Body body);
  void drop_reply() noexcept;
  void reply_user_exception(const CORBA::UserException& e);
  void reply_forward(const PortableServer::ForwardRequest& forward);
  void reply_cpp_exception(Core& core, const std::string& what) {
    reply_system_exception(unknown_of_cpp_exception(core, operation_, request_.response_expected(), what));
  }
  void reply_system_exception(const CORBA::SystemException& e);
  void reply_without_results();
  /// Sends a reply without results, if none has been begun and one is expected.
  bool send_empty_reply();
  bool send_reply();
  bool declared(const char* repository_id) const;

  enum class ReplyState : std::uint8_t {
    none,
    claimed,   ///< The buffer is claimed, and the send lock held.
    sent,      ///< There is only one reply.
    deferred,  ///< DeferredReply sends it.
    failed,    ///< The channel has failed.
  };

  ServerConnection& connection_;
  ServedRequest& served_;
  const giop::Version version_;
  const giop::RequestHeader& request_;
  std::optional<cdr::Encoder> out_;
  ReplyState state_ = ReplyState::none;
  std::uint8_t discard_buffer_[64];  // for the reply of a one-way
};

// ---- inline: the path of every request, so that the connection's function contains it ----

/// Message and reply header of a GIOP 1.2 reply without exception or service contexts.
struct PlainReplyHeader {
  std::uint8_t message[8] = {'G', 'I', 'O', 'P', 1, 2, giop::kThisMachineIsLittleEndian, 1};
  std::uint32_t size = sizeof(PlainReplyHeader) - giop::kHeaderBytes;  // without results
  std::uint32_t request_id = 0;
  std::uint32_t status = 0, contexts = 0;
};
static_assert(sizeof(PlainReplyHeader) == 24);

inline void Upcall::dispatch(PortableServer::Servant& servant) {
  if (!servant._dispatch(*this)) [[unlikely]]
    serve_object_operation(servant, *this);
}

/// Ends a call that needs nothing but the count.
inline void unpin(Core& core, ServantSlot& slot) noexcept {
  const std::uint64_t state = slot.end_call();
  if (ServantSlot::is_to_be_emptied(state)) [[unlikely]]
    core.finder()->empty(slot, state);
}

/// Pins the servant of `hint` for one call, if the object is still in that slot and its POA needs nothing but
/// the count. Null: use ObjectFinder::enter.
inline ServantSlot* pin_hinted(Core& core, const ObjectSlotHint& hint) noexcept {
  if (hint.slot == nullptr) [[unlikely]]
    return nullptr;
  if (hint.slot->count_call(hint.generation) && hint.slot->admits_at_once()) [[likely]]
    return hint.slot;
  unpin(core, *hint.slot);
  return nullptr;
}

inline void Upcall::call_servant(Core& core) {
  ServantSlot* const slot = dispatch_hint_ == nullptr
                                ? nullptr
                                : pin_hinted(core, static_cast<DispatchCache*>(dispatch_hint_)->slot_hint);
  if (slot == nullptr) [[unlikely]]
    return call_found_servant(*core.finder());
  const struct Unpin {
    Core& core;
    ServantSlot& slot;
    ~Unpin() { unpin(core, slot); }
  } unpin_at_end{core, *slot};
  dispatch(*slot->servant);
}

inline bool Upcall::send_empty_reply() {
  if (!request_.response_expected() || served_.is_held) [[unlikely]]
    return true;
  if (version_ != giop::kGiop12) [[unlikely]] {
    reply_without_results();
    return send_reply();
  }
  const PlainReplyHeader reply{.request_id = request_.request_id};
  return replies().send_small({reinterpret_cast<const std::uint8_t*>(&reply), sizeof reply});
}

[[gnu::always_inline]] inline bool Upcall::serve(Core& core) {
  in_.broker(connection_.source_);
  in_.blocks(served_.block_receiver);
  const struct DropUnsent {
    Upcall& call;
    ~DropUnsent() {
      if (call.state_ == ReplyState::claimed) [[unlikely]]
        call.drop_reply();
    }
  } drop_unsent{*this};
  try {
    if (!served_.is_plain) [[unlikely]]
      serve_unusual(core);
    else if (request_.target.needs_key) [[unlikely]]
      request_other_addressing();
    else
      call_servant(core);
    if (state_ == ReplyState::none) return send_empty_reply();
  } catch (const CORBA::UserException& e) {
    reply_user_exception(e);
  } catch (const CORBA::SystemException& e) {
    reply_system_exception(e);
  } catch (const std::exception& e) {
    reply_cpp_exception(core, ": " + std::string(e.what()));
  } catch (...) {
    reply_cpp_exception(core, " not derived from std::exception");
  }
  return send_reply();
}

}  // namespace orbweaver::orb
