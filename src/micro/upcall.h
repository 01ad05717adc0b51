#pragma once

#include <orbweaver/detail/skeleton.h>

#include <optional>
#include <string>

#include "giop/reply.h"
#include "giop/request.h"
#include "micro/buffer.h"

namespace orbweaver::micro {

class Core;
class ServerConnection;

/// One request in service: finds the servant, calls it and makes the reply. One thread.
class Upcall final : public ServerCall {
 public:
  Upcall(ServerConnection& connection, cdr::Decoder& in, giop::Version version, giop::RequestHeader& request);

  /// Serves the request and sends the reply. False if the reply could not be sent.
  bool serve();

  void operation_found(const DispatchHint& found) override;

  /// Whether this thread executes an upcall of an ORB.
  static bool is_inside() noexcept;
  /// As is_inside, also for collocated calls: this thread must not wait for the end of all requests.
  static bool would_wait_for_itself() noexcept;

 private:
  cdr::Encoder& begin_reply(std::size_t results_bound) override;
  void raise_bad_arguments() override;
  cdr::Encoder& begin(std::size_t bound, giop::ReplyStatus status, giop::Body body,
                      std::span<const giop::ServiceContext> contexts = {});
  void call_servant();
  void call_object_operation(PortableServer::Servant& servant);
  void reply_user_exception(const CORBA::UserException& e);
  void reply_system_exception(const CORBA::SystemException& e);
  bool send();

  ServerConnection& connection_;
  const giop::Version version_;
  giop::RequestHeader& request_;
  std::optional<cdr::Encoder> out_;
  bool is_answered_;
};

/// The object of the request that this thread executes, for `_this`; servant null: none.
struct CurrentObject {
  PortableServer::Servant* servant = nullptr;
  Core* core = nullptr;
  std::string_view key;
};
CurrentObject current_object() noexcept;

/// Counts a request, and waits while the POA manager holds requests. Raises TRANSIENT or OBJ_ADAPTER if it
/// rejects them. Returns the servant of the object; nil if there is none, and the request is not counted
/// then.
CORBA::object_reference<PortableServer::Servant> enter_servant(Core& core, std::string_view key);
/// Ends the request, in the thread that has begun it.
void leave_servant(Core& core, CORBA::object_reference<PortableServer::Servant>&& servant) noexcept;

}  // namespace orbweaver::micro
