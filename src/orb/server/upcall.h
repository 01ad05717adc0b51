#pragma once

#include <orbweaver/detail/skeleton.h>

#include "giop/reply.h"
#include "giop/request.h"
#include "orb/server/object_finder.h"
#include "orb/server/server_connection.h"

namespace orbweaver::orb {

class Core;

/// Dispatches one request: finds the servant, calls its skeleton, and sends the reply or an exception. Lives
/// on the stack of the serving thread.
class Upcall final : public ServerCall {
 public:
  /// `dispatch_cache`: that of the request's header; null if the header is not cached.
  Upcall(ServerConnection& connection, ServedRequest& served, giop::Version version,
         const giop::RequestHeader& request, cdr::Decoder& in, DispatchCache* dispatch_cache)
      : ServerCall(in), connection_(connection), served_(served), replies_(served.replies), version_(version),
        request_(request), dispatch_cache_(dispatch_cache) {
    operation_ = request.operation;
    if (dispatch_cache != nullptr) dispatch_hint_ = &dispatch_cache->operation;
  }
  ~Upcall() {
    if (state_ == ReplyState::claimed) [[unlikely]]
      drop_reply();
  }

  /// Executes the request. Returns false if the reply could not be sent: the connection is unusable.
  bool serve(Core& core);

 private:
  cdr::Encoder& begin_reply(std::size_t results_bound) override;
  void raise_bad_arguments() override;

  void call_servant(ObjectFinder& finder);
  /// Replies that the request must name its object by the key (NEEDS_ADDRESSING_MODE).
  void request_other_addressing();
  bool reply_before_upcall();
  /// Handles a failed lookup: parks the request, replies, or raises the exception.
  void handle_lookup_failure(LookupStatus status);
  /// Serves the operations of CORBA::Object (CORBA 3.3 part 2, 9.4.2). Raises BAD_OPERATION for other
  /// operations.
  void serve_object_operation(PortableServer::Servant& servant);
  cdr::Encoder& begin(std::size_t bound, giop::ReplyStatus status,
                      std::span<const giop::ServiceContext> contexts, giop::Body body);
  void drop_reply() noexcept;
  void reply_user_exception(const CORBA::UserException& e);
  void reply_cpp_exception(Core& core, const std::string& what);
  void reply_system_exception(const CORBA::SystemException& e);
  void reply_without_results();
  /// Sends a reply without results, if none has been begun and one is expected.
  bool send_empty_reply();
  bool send_reply();
  bool declared(const char* repository_id) const;

  enum class ReplyState : std::uint8_t {
    none,
    claimed,  ///< The buffer is claimed, and the send lock held.
    sent,     ///< There is only one reply.
    failed,   ///< The channel has failed.
  };

  ServerConnection& connection_;
  ServedRequest& served_;
  ReplySender& replies_;
  const giop::Version version_;
  const giop::RequestHeader& request_;
  DispatchCache* const dispatch_cache_;
  std::optional<cdr::Encoder> out_;
  ReplyState state_ = ReplyState::none;
  std::uint8_t discard_buffer_[64];  // for the reply of a one-way
};

}  // namespace orbweaver::orb
