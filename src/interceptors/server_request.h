#pragma once

#include <orbweaver/detail/skeleton.h>

#include <optional>

#include "interceptors/flow_stack.h"
#include "interceptors/server_request_info.h"

namespace orbweaver::interceptors {

/// Executes one request, with its interception points. On the stack of the thread that serves it. If the
/// servant answers later, a LaterReply has the ending points.
class ServerRequest final : public ServerCall, public orb::DeferrableCall {
 public:
  ServerRequest(OrbInterceptors& orb, orb::InterceptedRequest& request);
  ~ServerRequest();

  /// Finds the servant and calls it. Called once.
  orb::InterceptedReply serve();
  /// Called within the lookup of the servant, before a servant manager is called. Raises what an interceptor
  /// raises.
  void before_servant_manager(const Adapter* poa);
  /// The request whose servant the calling thread looks up; null: none.
  static ServerRequest* of_thread() noexcept;
  CORBA::object_reference<DeferredReply> defer() override;

 private:
  using Interceptor = PortableInterceptor::ServerRequestInterceptor;

  orb::LookupStatus find_servant();
  /// Ends a request that has not reached a servant, with the exception that the client gets.
  void fail_lookup(orb::LookupStatus found);
  bool receive_contexts();
  void execute();
  void call_servant();
  void end();
  orb::InterceptedReply make_reply();
  template <class Point>
  auto at(Points point, const Point& call);

  void operation_found(const DispatchHint& found) override;
  cdr::Encoder& begin_reply(std::size_t results_bound) override;
  void raise_bad_arguments() override;

  OrbInterceptors& orb_;
  orb::InterceptedRequest& request_;
  orb::ServantPin pin_;
  bool is_pinned_ = false;
  bool contexts_received_ = false;
  bool is_deferred_ = false;  // the LaterReply has flow_ and info_
  FlowStack<Interceptor> flow_;
  Outcome outcome_;
  std::vector<std::uint8_t> results_;
  std::optional<cdr::Encoder> out_;
  const CORBA::object_reference<ServerRequestInfoImpl> info_;
};

}  // namespace orbweaver::interceptors
