#include "interceptors/ior_info.h"

#include "interceptors/minor_codes.h"
#include "interceptors/orb_interceptors.h"
#include "interceptors/request_info.h"

namespace orbweaver::interceptors {

namespace pi = PortableInterceptor;
using CORBA::CompletionStatus;

namespace {
/// Types of the policies of POAs (CORBA 3.3 part 1, 15.4), and REQUEST_QUEUE_POLICY_TYPE.
bool is_poa_policy(CORBA::PolicyType type) noexcept { return type >= 16 && type <= 22; }
}  // namespace

Adapter& IorInfo::check(bool valid, const char* function) const {
  if (!valid) raise_invalid_point(function);
  return *adapter_;
}

CORBA::object_reference<CORBA::Policy> IorInfo::get_effective_policy(CORBA::PolicyType type) {
  const Adapter& adapter = check_valid("get_effective_policy");
  auto policy = adapter.policy(type);
  if (!policy && !is_poa_policy(type) && adapter.orb().factories.count(type) == 0)
    raise_no_policy_factory(type);
  return policy;
}

void IorInfo::add_ior_component(const IOP::TaggedComponent& component) {
  check_establishing("add_ior_component")
      .components_.push_back({{component.tag(), component.component_data()}, {}});
}

void IorInfo::add_ior_component_to_profile(const IOP::TaggedComponent& component, IOP::ProfileId profile_id) {
  Adapter& adapter = check_establishing("add_ior_component_to_profile");
  if (profile_id != IOP::TAG_INTERNET_IOP) {
    throw CORBA::BAD_PARAM(
        minor::kNoProfile, CompletionStatus::COMPLETED_NO,
        "references have no profiles of kind " + std::to_string(profile_id) + ", but TAG_INTERNET_IOP");
  }
  adapter.components_.push_back({{component.tag(), component.component_data()}, profile_id});
}

pi::AdapterManagerId IorInfo::manager_id() { return check_valid("manager_id").created().manager_id; }

pi::AdapterState IorInfo::state() { return check_valid("state").created().state(); }

CORBA::object_reference<pi::ObjectReferenceTemplate> IorInfo::adapter_template() {
  return check_established("adapter_template").template_;
}

CORBA::object_reference<pi::ObjectReferenceFactory> IorInfo::current_factory() {
  return check_established("current_factory").factory_;
}

void IorInfo::current_factory(CORBA::object_reference<pi::ObjectReferenceFactory> factory) {
  Adapter& adapter = check_established("current_factory");
  if (!factory)
    throw CORBA::BAD_PARAM(minor::kNilArgument, CompletionStatus::COMPLETED_NO, "current_factory: nil");
  adapter.factory_ = std::move(factory);
}

}  // namespace orbweaver::interceptors
