#pragma once

#include <orbweaver/skeleton.h>

#include "giop/reply.h"
#include "giop/request.h"
#include "orb/object_finder.h"
#include "orb/server_connection.h"

namespace orbweaver::orb {

class Core;

/// A request that is being served: finds the servant, lets its skeleton work, and answers, whatever
/// happens. On the stack of the connection's thread.
class ServingCall final : public ServerCall {
 public:
  /// `way`: of requests with this header, kept from call to call; null: there is none.
  ServingCall(ServerConnection& connection, giop::Version version, const giop::RequestHeader& request, cdr::Decoder& in,
              Way* way);
  ~ServingCall();

  /// False if the reply could not be sent: the connection is of no further use.
  bool serve(Core& core);

 private:
  cdr::Encoder& begin_reply(std::size_t results_bound) override;
  void refuse_arguments() override;

  void call_servant(Core& core);
  void call_object(PortableServer::Servant& servant);
  /// The operations that every object has (CORBA 3.3 part 2, 9.4.2): false for any other.
  bool serve_builtin(PortableServer::Servant& servant);
  cdr::Encoder& begin(std::size_t bound, giop::ReplyStatus status, std::span<const giop::ServiceContext> contexts,
                      giop::Body body);
  void drop_reply() noexcept;
  void answer_user_exception(const CORBA::UserException& e);
  void answer_foreign_exception(Core& core, const std::string& what);
  void answer_system_exception(const CORBA::SystemException& e);
  void answer_nothing_yet();
  bool send_reply();
  bool declared(const char* repository_id) const;

  ServerConnection& connection_;
  const giop::Version version_;
  const giop::RequestHeader& request_;
  Way* const way_;
  std::optional<cdr::Encoder> out_;
  bool replying_ = false;  // room is claimed, and the send lock held
  bool answered_ = false;  // a reply has left: there is only one
  bool failed_ = false;    // the channel has failed
  std::uint8_t sink_[64];  // where the reply of a one-way goes
};

}  // namespace orbweaver::orb
