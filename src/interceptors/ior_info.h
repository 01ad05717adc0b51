#pragma once

#include <orbweaver/ior_interceptor.h>

#include "interceptors/adapter.h"

namespace orbweaver::interceptors {

/// What interceptors of IORs are told of a new POA. Owned by Adapter::establish; used by its thread.
class IorInfo final : public PortableInterceptor::IORInfo {
 public:
  enum class Phase : std::uint8_t { establishing, established, over };
  explicit IorInfo(Adapter& adapter) : adapter_(&adapter) {}
  void begin(Phase phase) noexcept { phase_ = phase; }

  CORBA::object_reference<CORBA::Policy> get_effective_policy(CORBA::PolicyType type) override;
  void add_ior_component(const IOP::TaggedComponent& component) override;
  void add_ior_component_to_profile(const IOP::TaggedComponent& component,
                                    IOP::ProfileId profile_id) override;
  PortableInterceptor::AdapterManagerId manager_id() override;
  PortableInterceptor::AdapterState state() override;
  CORBA::object_reference<PortableInterceptor::ObjectReferenceTemplate> adapter_template() override;
  CORBA::object_reference<PortableInterceptor::ObjectReferenceFactory> current_factory() override;
  void current_factory(CORBA::object_reference<PortableInterceptor::ObjectReferenceFactory> factory) override;

 private:
  /// The POA. Raises BAD_INV_ORDER unless `valid`.
  Adapter& check(bool valid, const char* function) const;
  Adapter& check_valid(const char* function) const { return check(phase_ != Phase::over, function); }
  Adapter& check_established(const char* function) const {
    return check(phase_ == Phase::established, function);
  }
  Adapter& check_establishing(const char* function) const {
    return check(phase_ == Phase::establishing, function);
  }

  Adapter* const adapter_;
  Phase phase_ = Phase::establishing;
};

}  // namespace orbweaver::interceptors
