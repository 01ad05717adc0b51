#pragma once

#include <orbweaver/detail/invoke.h>

#include <memory>
#include <vector>

#include "interceptors/client_request_info.h"
#include "interceptors/flow_stack.h"
#include "orb/client/client_call.h"

namespace orbweaver::interceptors {

/// A call with interceptors: a sequence of requests, each with its interception points. On the stack of
/// `invoke`; used by one thread.
class ClientRequest final : private orb::RequestObserver {
 public:
  ClientRequest(OrbInterceptors& orb, const CORBA::Object& target, const Operation& operation,
                cdr::Bound arguments, ArgumentWriter writer, ResultReader reader,
                transport::Deadline deadline);
  ~ClientRequest();

  /// Makes the call. Raises what the client is to get.
  void complete();

 private:
  using Interceptor = PortableInterceptor::ClientRequestInterceptor;

  /// Sends the request once, with its interception points.
  Outcome attempt();
  /// Sends the request, and handles the reply.
  Outcome send();
  bool is_direct(std::vector<std::uint8_t>& object_key);
  /// Executes the request in this thread. False: it is to be sent.
  bool call_directly(Bytes object_key, Outcome& outcome);
  template <class Point>
  auto at(Points point, const Point& call);
  void count_attempt();

  std::span<const orb::OwnedServiceContext> request_contexts() const noexcept override;
  void reply_received(const giop::ReplyHeader& header) override;
  void forwarded(const giop::Ior& ior) override;

  OrbInterceptors& orb_;
  const CORBA::object_reference<CORBA::Object> target_;
  Reference& reference_;
  const Operation& operation_;
  const ArgumentWriter writer_;
  const ResultReader reader_;
  orb::ClientCall call_;
  const Slots thread_slots_;
  int attempts_ = 0;
  CORBA::object_reference<CORBA::Object> followed_;  // the last forward that call_ has followed
  bool returned_from_forward_ = false;
  CORBA::object_reference<ClientRequestInfoImpl> info_;  // of the present attempt
};

}  // namespace orbweaver::interceptors
