#pragma once

#include "interceptors/request_info.h"
#include "orb/reference/reference.h"

namespace orbweaver::interceptors {

/// What interceptors are told of one request of a client.
class ClientRequestInfoImpl final : public RequestInfoImpl<PortableInterceptor::ClientRequestInfo> {
 public:
  ClientRequestInfoImpl(const SlotTable& slot_table, CORBA::object_reference<CORBA::Object> target);

  std::vector<orb::OwnedServiceContext> request_contexts;
  /// The contexts have been sent, and none can be added: at the send_request of an asynchronous reply.
  bool contexts_are_sent = false;

  CORBA::object_reference<CORBA::Object> target() override;
  CORBA::object_reference<CORBA::Object> effective_target() override;
  IOP::TaggedProfile effective_profile() override;
  CORBA::Any received_exception() override;
  std::string received_exception_id() override;
  IOP::TaggedComponent get_effective_component(IOP::ComponentId component) override;
  IOP::TaggedComponentSeq get_effective_components(IOP::ComponentId component) override;
  CORBA::object_reference<CORBA::Policy> get_request_policy(CORBA::PolicyType type) override;
  void add_request_service_context(const IOP::ServiceContext& service_context, bool replace) override;

 private:
  IOP::ServiceContext request_context(IOP::ServiceId context) override;
  /// The profile that calls use, or will use if there is no connection.
  giop::TaggedData profile() const;
  IOP::TaggedComponentSeq components(IOP::ComponentId component) const;

  const CORBA::object_reference<CORBA::Object> target_;
};

/// A new reference to the object of `ior`, of the ORB of `like`.
CORBA::object_reference<CORBA::Object> make_object(giop::Ior ior, const CORBA::Object& like);

}  // namespace orbweaver::interceptors
