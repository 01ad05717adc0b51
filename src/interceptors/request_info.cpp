#include "interceptors/request_info.h"

#include "interceptors/minor_codes.h"

namespace orbweaver::interceptors {

using CORBA::CompletionStatus;

Points ending_point(const Outcome& outcome, bool has_reply) noexcept {
  if (outcome.exception != nullptr) return points::kReceiveException;
  return outcome.status == PortableInterceptor::SUCCESSFUL && has_reply ? points::kReceiveReply
                                                                        : points::kReceiveOther;
}

const orb::OwnedServiceContext* find_context(std::span<const orb::OwnedServiceContext> contexts,
                                             IOP::ServiceId id) noexcept {
  for (const orb::OwnedServiceContext& context : contexts) {
    if (context.tag == id) return &context;
  }
  return nullptr;
}

void add_context(std::vector<orb::OwnedServiceContext>& contexts, const IOP::ServiceContext& added,
                 bool replace) {
  const auto* const found = find_context(contexts, added.context_id());
  if (found == nullptr) {
    contexts.push_back({added.context_id(), added.context_data()});
  } else if (replace) {
    contexts[static_cast<std::size_t>(found - contexts.data())].data = added.context_data();
  } else {
    throw CORBA::BAD_INV_ORDER(minor::kContextExists, CompletionStatus::COMPLETED_NO,
                               "there is a service context " + std::to_string(added.context_id()) +
                                   " already, and it is not to be replaced");
  }
}

IOP::ServiceContext context_value(const orb::OwnedServiceContext* context, IOP::ServiceId id) {
  if (context != nullptr) return IOP::ServiceContext(context->tag, context->data);
  throw CORBA::BAD_PARAM(minor::kNoContext, CompletionStatus::COMPLETED_NO,
                         "there is no service context " + std::to_string(id));
}

void raise_invalid_point(const char* function) {
  throw CORBA::BAD_INV_ORDER(minor::kInvalidPoint, CompletionStatus::COMPLETED_NO,
                             std::string(function) + " may not be called at this point of the request");
}

void raise_not_known(const char* what) {
  throw CORBA::NO_RESOURCES(minor::kNotKnown, CompletionStatus::COMPLETED_NO,
                            std::string(what) + ": not known");
}

}  // namespace orbweaver::interceptors
