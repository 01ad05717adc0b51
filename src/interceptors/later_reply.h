#pragma once

#include <memory>
#include <vector>

#include "interceptors/flow_stack.h"
#include "interceptors/server_request_info.h"
#include "orb/interception.h"

namespace orbweaver::interceptors {

/// Calls the ending points of a request.
void end_request(FlowStack<PortableInterceptor::ServerRequestInterceptor>& flow,
                 const CORBA::object_reference<ServerRequestInfoImpl>& info, Outcome& outcome);
/// What is raised in the place of a reply: PortableServer::ForwardRequest, or the exception of the outcome;
/// null: there is a reply.
std::exception_ptr exception_of(const Outcome& outcome);

/// The ending points of a request that its servant answers later. Called by the thread that answers it.
class LaterReply final : public orb::DeferredObserver {
 public:
  LaterReply(std::shared_ptr<OrbInterceptors> orb,
             FlowStack<PortableInterceptor::ServerRequestInterceptor> flow,
             CORBA::object_reference<ServerRequestInfoImpl> info)
      : orb_(std::move(orb)), flow_(std::move(flow)), info_(std::move(info)) {}

  /// Without effect after the end of the ORB.
  std::exception_ptr end(std::exception_ptr exception) override;
  std::span<const orb::OwnedServiceContext> contexts() const noexcept override {
    return info_->reply_contexts;
  }

 private:
  const std::shared_ptr<OrbInterceptors> orb_;
  FlowStack<PortableInterceptor::ServerRequestInterceptor> flow_;
  const CORBA::object_reference<ServerRequestInfoImpl> info_;
};

}  // namespace orbweaver::interceptors
