#include "interceptors/later_reply.h"

#include <orbweaver/forward_request.h>

namespace orbweaver::interceptors {

namespace pi = PortableInterceptor;

void end_request(FlowStack<pi::ServerRequestInterceptor>& flow,
                 const CORBA::object_reference<ServerRequestInfoImpl>& info, Outcome& outcome) {
  flow.end(outcome, [&](pi::ServerRequestInterceptor& i) {
    info->outcome = outcome;
    const struct End {
      ServerRequestInfoImpl& info;
      ~End() { info.point = points::kNone; }
    } end_of_point{*info};
    switch (info->point = ending_point(outcome, info->has_response)) {
      case points::kSendReply: return i.send_reply(info);
      case points::kSendException: return i.send_exception(info);
      default: return i.send_other(info);
    }
  });
}

std::exception_ptr exception_of(const Outcome& outcome) {
  if (outcome.status != pi::LOCATION_FORWARD) return outcome.exception;
  return std::make_exception_ptr(PortableServer::ForwardRequest(outcome.forward));
}

std::exception_ptr LaterReply::end(std::exception_ptr exception) {
  if (orb_->is_destroyed()) return exception;
  Outcome outcome;
  if (exception != nullptr) {
    try {
      std::rethrow_exception(exception);
    } catch (...) {
      outcome = Outcome::of_current_exception(info_->name.c_str());
    }
  }
  const ThreadSlots own(*orb_->slots, {});
  end_request(flow_, info_, outcome);
  return exception_of(outcome);
}

}  // namespace orbweaver::interceptors
