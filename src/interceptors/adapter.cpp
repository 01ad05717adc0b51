#include "interceptors/adapter.h"

#include "base/catch_and_log.h"
#include "giop/ior.h"
#include "interceptors/ior_info.h"
#include "interceptors/minor_codes.h"
#include "interceptors/orb_interceptors.h"

namespace orbweaver::interceptors {

namespace pi = PortableInterceptor;
using CORBA::CompletionStatus;
using ObjectRef = CORBA::object_reference<CORBA::Object>;

pi::AdapterName adapter_name_of(CORBA::object_reference<PortableServer::POA> poa) {
  pi::AdapterName name;
  for (; poa; poa = poa->the_parent()) name.insert(name.begin(), poa->the_name());
  return name;
}

void raise_no_policy_factory(CORBA::PolicyType type) {
  throw CORBA::INV_POLICY(
      minor::kNoPolicyFactory, CompletionStatus::COMPLETED_NO,
      "policy type " + std::to_string(type) + " has no factory: see ORBInitInfo::register_policy_factory");
}

namespace {

/// The template of a POA, which may outlive it.
class Template final : public pi::ObjectReferenceTemplate {
 public:
  explicit Template(std::weak_ptr<const Adapter> adapter, const Adapter& described)
      : adapter_(std::move(adapter)), orb_id_(described.orb_id()), name_(described.name()) {}
  std::string server_id() override { return {}; }
  std::string orb_id() override { return orb_id_; }
  pi::AdapterName adapter_name() override { return name_; }
  ObjectRef make_object(const std::string& repository_id, const pi::ObjectId& id) override {
    if (const auto adapter = adapter_.lock()) return adapter->make_plain_object(repository_id, id);
    throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchObject, CompletionStatus::COMPLETED_NO,
                                  "the POA '" + name_.back() + "' has been destroyed");
  }

 private:
  const std::weak_ptr<const Adapter> adapter_;
  const std::string orb_id_;
  const pi::AdapterName name_;
};

}  // namespace

Adapter::Adapter(OrbInterceptors& orb, orb::InterceptedAdapter created)
    : orb_(orb), created_(std::move(created)) {}

const std::string& Adapter::orb_id() const noexcept { return orb_.id; }

CORBA::object_reference<CORBA::Policy> Adapter::policy(CORBA::PolicyType type) const {
  for (const auto& each : created_.policies) {
    if (each->policy_type() == type) return each;
  }
  return nullptr;
}

void Adapter::establish() {
  template_ = CORBA::make_reference<Template>(weak_from_this(), *this);
  factory_ = template_;
  const auto info = CORBA::make_reference<IorInfo>(*this);
  for (const auto& each : orb_.ior) {
    catch_and_log("establish_components of an interceptor", [&] { each->establish_components(info); });
  }
  info->begin(IorInfo::Phase::established);
  for (const auto& each : orb_.ior) {
    const auto interceptor = IDL::traits<pi::IORInterceptor_3_0>::narrow(each);
    if (!interceptor) continue;
    const bool accepted = catch_and_log("components_established of an interceptor",
                                        [&] { interceptor->components_established(info); });
    if (accepted) continue;
    info->begin(IorInfo::Phase::over);
    throw CORBA::OBJ_ADAPTER(
        minor::kIorInterceptorFailed, CompletionStatus::COMPLETED_NO,
        "an interceptor does not accept the POA '" + created_.name.back() + "'; see the log");
  }
  info->begin(IorInfo::Phase::over);
}

ObjectRef Adapter::make_plain_object(const std::string& repository_id,
                                     const std::vector<std::uint8_t>& id) const {
  decltype(created_.make) make;
  {
    const std::lock_guard lock(mutex_);
    make = created_.make;
  }
  if (make) return make(repository_id, id);
  throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchObject, CompletionStatus::COMPLETED_NO,
                                "the POA '" + created_.name.back() + "' has been destroyed");
}

ObjectRef Adapter::make_object(const std::string& repository_id, const std::vector<std::uint8_t>& id) const {
  return factory_->make_object(repository_id, id);
}

void Adapter::add_components(giop::Ior& ior) const {
  if (components_.empty()) return;
  for (giop::TaggedData& profile : ior.profiles) {
    if (profile.tag != giop::profile_tag::kIiop) continue;
    auto iiop = giop::decode_iiop_profile(profile.data);
    if (!iiop) continue;  // our own
    for (const AddedComponent& each : components_) {
      if (!each.profile || *each.profile == profile.tag) iiop->components.push_back(each.component);
    }
    profile.data = giop::encode_iiop_profile(*iiop);
  }
}

void Adapter::destroyed() noexcept {
  const auto keep = shared_from_this();
  decltype(created_.make) dropped;  // without the lock: it may release the POA
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(created_.make);
  }
  for (const auto& each : orb_.ior) {
    const auto interceptor = IDL::traits<pi::IORInterceptor_3_0>::narrow(each);
    if (!interceptor) continue;
    catch_and_log("adapter_state_changed of an interceptor",
                  [&] { interceptor->adapter_state_changed({template_}, pi::NON_EXISTENT); });
  }
  catch_and_log("forgetting a POA", [&] { orb_.remove(*this); });
}

}  // namespace orbweaver::interceptors
