// Upcall: requests that interceptors accompany.
#include <orbweaver/response.h>

#include "orb/interception.h"
#include "orb/server/padded_contexts.h"
#include "orb/server/upcall.h"
#include "transport/transport.h"

namespace orbweaver::orb {

/// The request, as the interceptors' library sees it.
class Upcall::Intercepted final : public InterceptedRequest {
 public:
  Intercepted(Upcall& upcall, Core& in_core)
      : InterceptedRequest(in_core, upcall.request_, upcall.version_, upcall.in_), upcall_(upcall) {
    is_collocated =
        upcall.connection_.peer_.transport == std::string_view(transport::inproc_transport().name());
    may_wait = upcall.served_.may_wait;
    queue = upcall.served_.queue;
  }
  void servant_found() override {
    if (upcall_.served_.is_queued) upcall_.connection_.check_cancelled(header.request_id);
  }
  void bind_priority_band(const RealTimeAdapter& adapter, std::int16_t object_priority) override {
    adapter.bind_band(header.contexts, object_priority, upcall_.owns_thread());
  }
  void operation_found() override {
    if (upcall_.replies_before_upcall()) upcall_.reply_before_upcall();
  }
  CORBA::object_reference<DeferredReply> defer(const Operation* operation,
                                               std::unique_ptr<DeferredObserver> observer) override {
    if (operation != nullptr) upcall_.set_operation(*operation);
    return upcall_.defer(std::move(observer));
  }

 private:
  Upcall& upcall_;
};

void Upcall::serve_unusual(Core& core) {
  if (!served_.is_queued) connection_.check_admission(request_.target);
  Interception* const interception = core.request_interception();
  if (request_.target.needs_key)
    request_other_addressing();
  else if (interception != nullptr)
    serve_intercepted(core, *interception);
  else
    call_servant(core);
}

void Upcall::serve_intercepted(Core& core, Interception& interception) {
  Intercepted request(*this, core);
  const InterceptedReply reply = interception.serve(request);
  if (reply.is_deferred) return;
  if (reply.lookup != LookupStatus::found) return handle_lookup_failure(reply.lookup);
  const std::vector<giop::ServiceContext> contexts = views_of(reply.contexts);
  served_.reply_contexts = contexts;
  const struct RemoveContexts {
    ServedRequest& served;
    ~RemoveContexts() { served.reply_contexts = {}; }
  } remove{served_};
  if (reply.exception == nullptr) return reply_results(reply);
  if (reply.operation != nullptr) set_operation(*reply.operation);
  try {
    std::rethrow_exception(reply.exception);
  } catch (const CORBA::UserException& e) {
    reply_user_exception(e);
  } catch (const CORBA::SystemException& e) {
    reply_system_exception(e);
  }
}

void Upcall::reply_results(const InterceptedReply& reply) {
  if (!request_.response_expected() || state_ == ReplyState::sent) return;
  const std::vector<std::uint8_t>& results = reply.results;
  begin(results.size() + 8, giop::ReplyStatus::no_exception,
        padded_contexts(version_, served_.reply_contexts),
        results.empty() ? giop::Body::empty : giop::Body::follows)
      .put_bytes(results.data(), results.size());
}

}  // namespace orbweaver::orb
