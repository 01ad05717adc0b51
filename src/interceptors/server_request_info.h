#pragma once

#include "interceptors/request_info.h"

namespace orbweaver::interceptors {

class Adapter;
class OrbInterceptors;

/// What interceptors are told of one request of a server.
class ServerRequestInfoImpl final : public RequestInfoImpl<PortableInterceptor::ServerRequestInfo> {
 public:
  /// `orb` outlives the request, as does `header`.
  ServerRequestInfoImpl(const OrbInterceptors& orb, const giop::RequestHeader& header);

  PortableServer::Servant* servant = nullptr;  ///< Null: not found, or released.
  bool has_object = false;                     ///< PortableServer::Current tells the object.
  const Adapter* adapter = nullptr;            ///< Of the object; null: not known yet.

  /// Copies what the ending points need of the request and its object, which end before them.
  void outlive_request();

  CORBA::Any sending_exception() override;
  std::vector<std::uint8_t> object_id() override;
  std::vector<std::uint8_t> adapter_id() override;
  std::string server_id() override;
  std::string orb_id() override;
  std::vector<std::string> adapter_name() override;
  std::string target_most_derived_interface() override;
  CORBA::object_reference<CORBA::Policy> get_server_policy(CORBA::PolicyType type) override;
  void set_slot(PortableInterceptor::SlotId slot, const CORBA::Any& data) override;
  bool target_is_a(const std::string& interface) override;
  void add_reply_service_context(const IOP::ServiceContext& service_context, bool replace) override;

 private:
  IOP::ServiceContext request_context(IOP::ServiceId context) override;
  /// Raises unless an object has been found, at a point where it is told.
  void check_object(const char* function) const;

  const OrbInterceptors& orb_;
  const giop::RequestHeader* header_;  // null: `kept_` is set
  struct Kept {
    std::vector<orb::OwnedServiceContext> contexts;
    std::vector<std::uint8_t> object_id, adapter_id;
    std::vector<std::string> adapter_name;
    std::shared_ptr<const Adapter> adapter;
  };
  std::optional<Kept> kept_;
};

}  // namespace orbweaver::interceptors
