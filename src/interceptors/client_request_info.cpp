#include "interceptors/client_request_info.h"

#include "interceptors/minor_codes.h"
#include "orb/core.h"

namespace orbweaver::interceptors {

using CORBA::CompletionStatus;

namespace {
constexpr Points kNotInPoll = points::kAll & ~points::kSendPoll;
constexpr InfoPoints kClientPoints{
    .arguments = points::kSendRequest | points::kReceiveReply,
    .described = kNotInPoll,
    .operation_context = kNotInPoll,
    .sync_scope = kNotInPoll,
    .request_contexts = kNotInPoll,
};
}  // namespace

CORBA::object_reference<CORBA::Object> make_object(giop::Ior ior, const CORBA::Object& like) {
  auto* const reference = new Reference(like._reference()->shared_core(), std::move(ior));
  auto object = CORBA::object_reference<CORBA::Object>::adopt(CORBA::Object::_make(reference));
  reference->_remove_ref();
  return object;
}

ClientRequestInfoImpl::ClientRequestInfoImpl(const SlotTable& slot_table,
                                             CORBA::object_reference<CORBA::Object> target)
    : RequestInfoImpl(slot_table, kClientPoints), target_(std::move(target)) {}

CORBA::object_reference<CORBA::Object> ClientRequestInfoImpl::target() {
  check(points::kAll, "target");
  return target_;
}

CORBA::object_reference<CORBA::Object> ClientRequestInfoImpl::effective_target() {
  check(points::kAll, "effective_target");
  Reference& reference = *target_->_reference();
  return reference.is_forwarded() ? make_object(reference.effective_ior(), *target_) : target_;
}

giop::TaggedData ClientRequestInfoImpl::profile() const {
  Reference& reference = *target_->_reference();
  const giop::Ior ior = reference.effective_ior();
  const orb::CallScope call;  // of the binding
  const Binding* const binding = reference.usable_binding();
  const std::size_t index = binding != nullptr              ? binding->endpoint.profile
                            : reference.endpoints().empty() ? 0
                            : reference.is_forwarded()      ? 0
                                                            : reference.endpoints().front().profile;
  // Another thread may have forwarded the reference meanwhile.
  if (index < ior.profiles.size()) return ior.profiles[index];
  return ior.profiles.empty() ? giop::TaggedData() : ior.profiles.front();
}

IOP::TaggedProfile ClientRequestInfoImpl::effective_profile() {
  check(points::kAll, "effective_profile");
  giop::TaggedData used = profile();
  return IOP::TaggedProfile(used.tag, std::move(used.data));
}

IOP::TaggedComponentSeq ClientRequestInfoImpl::components(IOP::ComponentId component) const {
  const giop::TaggedData used = profile();
  std::vector<giop::TaggedData> all;
  if (used.tag == giop::profile_tag::kIiop) {
    if (auto iiop = giop::decode_iiop_profile(used.data)) all = std::move(iiop->components);
  } else if (used.tag == giop::profile_tag::kMultipleComponents) {
    if (auto components = giop::decode_components(used.data)) all = std::move(*components);
  }
  IOP::TaggedComponentSeq found;
  for (giop::TaggedData& each : all) {
    if (each.tag == component) found.emplace_back(each.tag, std::move(each.data));
  }
  if (!found.empty()) return found;
  throw CORBA::BAD_PARAM(minor::kNoComponent, CompletionStatus::COMPLETED_NO,
                         "the effective profile has no component " + std::to_string(component));
}

IOP::TaggedComponent ClientRequestInfoImpl::get_effective_component(IOP::ComponentId component) {
  check(kNotInPoll, "get_effective_component");
  return components(component).front();
}

IOP::TaggedComponentSeq ClientRequestInfoImpl::get_effective_components(IOP::ComponentId component) {
  check(kNotInPoll, "get_effective_components");
  return components(component);
}

CORBA::Any ClientRequestInfoImpl::received_exception() {
  check(points::kReceiveException, "received_exception");
  return ExceptionView(outcome.exception).value;
}

std::string ClientRequestInfoImpl::received_exception_id() {
  check(points::kReceiveException, "received_exception_id");
  return ExceptionView(outcome.exception).repository_id;
}

CORBA::object_reference<CORBA::Policy> ClientRequestInfoImpl::get_request_policy(CORBA::PolicyType type) {
  check(kNotInPoll, "get_request_policy");
  try {
    return target_->_get_client_policy(type);
  } catch (const CORBA::INV_POLICY& e) {
    throw CORBA::INV_POLICY(minor::kInvalidPolicyType, CompletionStatus::COMPLETED_NO, e.detail());
  }
}

void ClientRequestInfoImpl::add_request_service_context(const IOP::ServiceContext& service_context,
                                                        bool replace) {
  check(points::kSendRequest, "add_request_service_context");
  if (!contexts_are_sent) add_context(request_contexts, service_context, replace);
}

IOP::ServiceContext ClientRequestInfoImpl::request_context(IOP::ServiceId context) {
  return context_value(find_context(request_contexts, context), context);
}

}  // namespace orbweaver::interceptors
