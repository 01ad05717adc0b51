#pragma once

#include <orbweaver/interceptors.h>

#include <memory>
#include <string>
#include <vector>

#include "interceptors/orb_interceptors.h"
#include "orb/orb_impl.h"

namespace orbweaver::interceptors {

/// What the ORB initializers of one ORB are told. Used by the thread of ORB_init.
class OrbInitInfo final : public PortableInterceptor::ORBInitInfo_3_1 {
 public:
  enum class Phase : std::uint8_t { pre_init, post_init, over };
  using ClientRef = CORBA::object_reference<PortableInterceptor::ClientRequestInterceptor>;
  using ServerRef = CORBA::object_reference<PortableInterceptor::ServerRequestInterceptor>;

  /// `orb` and `interceptors` are used until the phase `over`.
  OrbInitInfo(orb::OrbImpl& orb, OrbInterceptors& interceptors, std::vector<std::string> arguments,
              CORBA::object_reference<IOP::CodecFactory> codecs)
      : orb_(orb), interceptors_(interceptors), arguments_(std::move(arguments)), codecs_(std::move(codecs)) {
  }
  void begin(Phase phase) noexcept { phase_ = phase; }

  std::vector<std::string> arguments() override;
  std::string orb_id() override;
  CORBA::object_reference<IOP::CodecFactory> codec_factory() override;
  void register_initial_reference(const ObjectId& id,
                                  const CORBA::object_reference<CORBA::Object>& obj) override;
  CORBA::object_reference<CORBA::Object> resolve_initial_references(const ObjectId& id) override;
  void add_client_request_interceptor(ClientRef interceptor) override;
  void add_server_request_interceptor(ServerRef interceptor) override;
  void add_ior_interceptor(CORBA::object_reference<PortableInterceptor::IORInterceptor> interceptor) override;
  PortableInterceptor::SlotId allocate_slot_id() override;
  void register_policy_factory(CORBA::PolicyType type,
                               CORBA::object_reference<PortableInterceptor::PolicyFactory> factory) override;
  void add_client_request_interceptor_with_policy(ClientRef interceptor,
                                                  const CORBA::PolicyList& policies) override;
  void add_server_request_interceptor_with_policy(ServerRef interceptor,
                                                  const CORBA::PolicyList& policies) override;

 private:
  /// The interceptors of the ORB. Raises OBJECT_NOT_EXIST after the initialisation.
  OrbInterceptors& check() const;

  orb::OrbImpl& orb_;
  OrbInterceptors& interceptors_;
  const std::vector<std::string> arguments_;
  const CORBA::object_reference<IOP::CodecFactory> codecs_;
  Phase phase_ = Phase::pre_init;
};

}  // namespace orbweaver::interceptors
