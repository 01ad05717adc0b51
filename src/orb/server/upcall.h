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
  Upcall(ServerConnection& connection, giop::Version version, const giop::RequestHeader& request,
         cdr::Decoder& in, DispatchCache* dispatch_cache);
  ~Upcall();

  /// Executes the request. Returns false if the reply could not be sent: the connection is unusable.
  bool serve(Core& core);

 private:
  cdr::Encoder& begin_reply(std::size_t results_bound) override;
  void raise_bad_arguments() override;

  void call_servant(Core& core);
  void call_object(PortableServer::Servant& servant);
  /// Serves the operations of CORBA::Object (CORBA 3.3 part 2, 9.4.2). Returns false for other operations.
  bool serve_object_operation(PortableServer::Servant& servant);
  cdr::Encoder& begin(std::size_t bound, giop::ReplyStatus status,
                      std::span<const giop::ServiceContext> contexts, giop::Body body);
  void drop_reply() noexcept;
  void reply_user_exception(const CORBA::UserException& e);
  void reply_cpp_exception(Core& core, const std::string& what);
  void reply_system_exception(const CORBA::SystemException& e);
  void reply_without_results();
  bool send_reply();
  bool declared(const char* repository_id) const;

  ServerConnection& connection_;
  const giop::Version version_;
  const giop::RequestHeader& request_;
  DispatchCache* const dispatch_cache_;
  std::optional<cdr::Encoder> out_;
  bool replying_ = false;            // a reply is claimed, and the send lock held
  bool replied_ = false;             // a reply has been sent: there is only one
  bool failed_ = false;              // the channel has failed
  std::uint8_t discard_buffer_[64];  // for the reply of a one-way
};

}  // namespace orbweaver::orb
