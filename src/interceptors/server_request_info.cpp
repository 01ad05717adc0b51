#include "interceptors/server_request_info.h"

#include <orbweaver/detail/dynamic_skeleton.h>

#include "interceptors/adapter.h"
#include "interceptors/minor_codes.h"
#include "interceptors/orb_interceptors.h"

namespace orbweaver::interceptors {

namespace {

constexpr Points kAfterContexts = points::kAll & ~points::kReceiveContexts;
constexpr InfoPoints kServerPoints{
    .arguments = points::kReceiveRequest | points::kSendReply,
    .described = kAfterContexts,
    .operation_context = points::kReceiveRequest | points::kSendReply,
    .sync_scope = points::kAll,
    .request_contexts = points::kAll,
};

Messaging::SyncScope scope_of(std::uint8_t response_flags) noexcept {
  switch (response_flags & giop::response::kWithTarget) {
    case giop::response::kWithTarget: return Messaging::SYNC_WITH_TARGET;
    case giop::response::kWithServer: return Messaging::SYNC_WITH_SERVER;
    default: return Messaging::SYNC_WITH_TRANSPORT;
  }
}

}  // namespace

ServerRequestInfoImpl::ServerRequestInfoImpl(const OrbInterceptors& orb, const giop::RequestHeader& header)
    : RequestInfoImpl(*orb.slots, kServerPoints), orb_(orb), header_(&header) {
  id = header.request_id;
  name = header.operation;
  has_response = header.response_expected();
  scope = scope_of(header.response_flags);
}

void ServerRequestInfoImpl::outlive_request() {
  Kept kept;
  for (const giop::ServiceContext& each : header_->contexts)
    kept.contexts.push_back({each.id, {each.data.begin(), each.data.end()}});
  if (has_object) {
    const auto poa = orb_.current->get_POA();
    kept.object_id = orb_.current->get_object_id();
    kept.adapter_id = poa->id();
    kept.adapter_name = adapter_name_of(poa);
    kept.adapter = orb_.find_adapter(kept.adapter_name);
  } else if (adapter != nullptr) {
    kept.adapter = adapter->shared_from_this();
  }
  adapter = kept.adapter.get();
  kept_ = std::move(kept);
  header_ = nullptr;
}

IOP::ServiceContext ServerRequestInfoImpl::request_context(IOP::ServiceId context) {
  if (kept_) return context_value(find_context(kept_->contexts, context), context);
  const auto data = header_->contexts.find(context);
  if (!data) return context_value(nullptr, context);
  return IOP::ServiceContext(context, {data->begin(), data->end()});
}

CORBA::Any ServerRequestInfoImpl::sending_exception() {
  check(points::kSendException, "sending_exception");
  return ExceptionView(outcome.exception).value;
}

void ServerRequestInfoImpl::check_object(const char* function) const {
  check(kAfterContexts, function);
  if (!has_object) raise_not_known(function);
}

std::vector<std::uint8_t> ServerRequestInfoImpl::object_id() {
  check_object("object_id");
  if (kept_) return kept_->object_id;
  return orb_.current->get_object_id();
}

std::vector<std::uint8_t> ServerRequestInfoImpl::adapter_id() {
  check_object("adapter_id");
  if (kept_) return kept_->adapter_id;
  return orb_.current->get_POA()->id();
}

std::string ServerRequestInfoImpl::server_id() {
  check_object("server_id");
  return {};
}

std::string ServerRequestInfoImpl::orb_id() {
  check_object("orb_id");
  return orb_.id;
}

std::vector<std::string> ServerRequestInfoImpl::adapter_name() {
  check_object("adapter_name");
  if (kept_) return kept_->adapter_name;
  return adapter_name_of(orb_.current->get_POA());
}

std::string ServerRequestInfoImpl::target_most_derived_interface() {
  check(points::kReceiveRequest, "target_most_derived_interface");
  if (servant->_as(&kDynamicSkeleton) != nullptr) return orb_.current->get_reference()->_repository_id();
  return servant->_interface().repository_id;
}

bool ServerRequestInfoImpl::target_is_a(const std::string& interface) {
  check(points::kReceiveRequest, "target_is_a");
  return servant->_is_a(interface);
}

CORBA::object_reference<CORBA::Policy> ServerRequestInfoImpl::get_server_policy(CORBA::PolicyType type) {
  check(points::kAll, "get_server_policy");
  if (orb_.factories.count(type) == 0) raise_no_policy_factory(type);
  if (adapter != nullptr) return adapter->policy(type);
  if (!has_object || kept_) return nullptr;
  const auto found = orb_.find_adapter(adapter_name_of(orb_.current->get_POA()));
  return found == nullptr ? nullptr : found->policy(type);
}

void ServerRequestInfoImpl::set_slot(PortableInterceptor::SlotId slot, const CORBA::Any& data) {
  check(points::kAll, "set_slot");
  table().set(slots, slot, data);
}

void ServerRequestInfoImpl::add_reply_service_context(const IOP::ServiceContext& service_context,
                                                      bool replace) {
  check(points::kAll, "add_reply_service_context");
  add_context(reply_contexts, service_context, replace);
}

}  // namespace orbweaver::interceptors
