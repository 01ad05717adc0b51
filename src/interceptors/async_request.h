#pragma once

#include <vector>

#include "interceptors/client_request_info.h"
#include "interceptors/flow_stack.h"
#include "orb/interception.h"

namespace orbweaver::interceptors {

/// An asynchronous call with interceptors. To them it is two requests with one id (CORBA 3.3 part 1, 16.3):
/// the first one is sent and has no reply; the second one, which is not sent, has the reply. A call that is
/// sent again passes all points again. Owned by the call.
class AsyncRequest final : public orb::AsyncObserver {
 public:
  AsyncRequest(OrbInterceptors& orb, Reference& target, const Operation& operation);

  void begin() override;
  void sent() noexcept override;
  void failed() override;
  bool replied(bool is_repeated, std::exception_ptr& failure) override;

  std::span<const orb::OwnedServiceContext> request_contexts() const noexcept override { return contexts_; }
  void reply_received(const giop::ReplyHeader& header) override;
  void forwarded(const giop::Ior& ior) override;

 private:
  using Interceptor = PortableInterceptor::ClientRequestInterceptor;

  void begin_info(bool has_response);
  bool start(FlowStack<Interceptor>& flow, Outcome& outcome);
  void end(FlowStack<Interceptor>& flow, Outcome& outcome);
  /// Whether the call is to be sent again after this outcome. Raises its exception.
  bool repeats(const Outcome& outcome);
  template <class Point>
  auto at(Points point, const Point& call);

  OrbInterceptors& orb_;
  const CORBA::object_reference<CORBA::Object> target_;
  const Operation& operation_;
  const Slots thread_slots_;  // of the thread that makes the call
  int attempts_ = 0;
  FlowStack<Interceptor> sending_;  // from `begin` to `sent` or `failed`
  CORBA::object_reference<ClientRequestInfoImpl> info_;
  std::vector<orb::OwnedServiceContext> contexts_, reply_contexts_;
  CORBA::object_reference<CORBA::Object> followed_;  // the forward that the call follows
  Outcome of_sending_;                               // by an interceptor, after the request was sent
};

}  // namespace orbweaver::interceptors
