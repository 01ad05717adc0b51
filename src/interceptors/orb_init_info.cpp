#include "interceptors/orb_init_info.h"

#include "interceptors/minor_codes.h"
#include "interceptors/request_info.h"

namespace orbweaver::interceptors {

namespace pi = PortableInterceptor;
using CORBA::CompletionStatus;
using ObjectRef = CORBA::object_reference<CORBA::Object>;

namespace {

[[noreturn]] void raise_nil(const char* what) {
  throw CORBA::BAD_PARAM(minor::kNilArgument, CompletionStatus::COMPLETED_NO, std::string("nil ") + what);
}

template <class Interceptor, class List, class Get>
void check_new(const CORBA::object_reference<Interceptor>& interceptor, const List& registered,
               const Get& get) {
  if (!interceptor) raise_nil("interceptor");
  const std::string name = interceptor->name();
  if (name.empty()) return;
  for (const auto& each : registered) {
    if (get(each)->name() == name) throw pi::ORBInitInfo::DuplicateName(name);
  }
}

template <class Interceptor>
void add(std::vector<Registered<Interceptor>>& registered, CORBA::object_reference<Interceptor> interceptor,
         pi::ProcessingMode mode = pi::LOCAL_AND_REMOTE) {
  check_new(interceptor, registered, [](const auto& each) { return each.interceptor; });
  registered.push_back({std::move(interceptor), mode});
}

pi::ProcessingMode mode_of(const CORBA::PolicyList& policies) {
  pi::ProcessingMode mode = pi::LOCAL_AND_REMOTE;
  for (const auto& policy : policies) {
    const auto processing = IDL::traits<pi::ProcessingModePolicy>::narrow(policy);
    if (!processing)
      throw CORBA::PolicyError(CORBA::BAD_POLICY, "an interceptor has a ProcessingModePolicy only");
    mode = processing->processing_mode();
  }
  return mode;
}

}  // namespace

OrbInterceptors& OrbInitInfo::check() const {
  if (phase_ != Phase::over) return interceptors_;
  throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchObject, CompletionStatus::COMPLETED_NO,
                                "ORBInitInfo can be used while ORB_init calls the initializer only");
}

std::vector<std::string> OrbInitInfo::arguments() { return check(), arguments_; }
std::string OrbInitInfo::orb_id() { return check().id; }
CORBA::object_reference<IOP::CodecFactory> OrbInitInfo::codec_factory() { return check(), codecs_; }

void OrbInitInfo::register_initial_reference(const ObjectId& id, const ObjectRef& obj) try {
  check();
  if (!obj) {
    throw CORBA::BAD_PARAM(minor::kNilInitialReference, CompletionStatus::COMPLETED_NO,
                           "a nil initial reference");
  }
  orb_.register_initial_reference(id, obj);
} catch (const CORBA::ORB::InvalidName& e) {
  throw InvalidName(e.detail());
}

ObjectRef OrbInitInfo::resolve_initial_references(const ObjectId& id) try {
  check();
  if (phase_ == Phase::pre_init) raise_invalid_point("resolve_initial_references");
  return orb_.resolve_initial_references(id);
} catch (const CORBA::ORB::InvalidName& e) {
  throw InvalidName(e.detail());
}

void OrbInitInfo::add_client_request_interceptor(ClientRef interceptor) {
  add(check().client, std::move(interceptor));
}
void OrbInitInfo::add_server_request_interceptor(ServerRef interceptor) {
  add(check().server, std::move(interceptor));
}
void OrbInitInfo::add_client_request_interceptor_with_policy(ClientRef interceptor,
                                                             const CORBA::PolicyList& policies) {
  add(check().client, std::move(interceptor), mode_of(policies));
}
void OrbInitInfo::add_server_request_interceptor_with_policy(ServerRef interceptor,
                                                             const CORBA::PolicyList& policies) {
  add(check().server, std::move(interceptor), mode_of(policies));
}

void OrbInitInfo::add_ior_interceptor(CORBA::object_reference<pi::IORInterceptor> interceptor) {
  auto& registered = check().ior;
  check_new(interceptor, registered, [](const auto& each) { return each; });
  registered.push_back(std::move(interceptor));
}

pi::SlotId OrbInitInfo::allocate_slot_id() { return check().slots->allocate(); }

void OrbInitInfo::register_policy_factory(CORBA::PolicyType type,
                                          CORBA::object_reference<pi::PolicyFactory> factory) {
  auto& factories = check().factories;
  if (!factory) raise_nil("policy factory");
  // Those of the standard, and of this ORB, are created by it.
  constexpr CORBA::PolicyType kLastStandardType = 63, kVendor = 0x4f570000;
  const bool is_own = type <= kLastStandardType || (type & 0xfffff000) == kVendor;
  if (is_own || !factories.emplace(type, factory).second) {
    throw CORBA::BAD_INV_ORDER(minor::kFactoryExists, CompletionStatus::COMPLETED_NO,
                               "policies of type " + std::to_string(type) + " are created " +
                                   (is_own ? "by the ORB" : "by another factory"));
  }
  orb::add_program_policy(type);
}

}  // namespace orbweaver::interceptors
