#pragma once

#include <orbweaver/interceptors.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interceptors/raised_exception.h"
#include "interceptors/slots.h"

namespace orbweaver::interceptors {

/// Interception points, as bits.
using Points = std::uint8_t;
namespace points {
inline constexpr Points kNone = 0, kAll = 31;
inline constexpr Points kSendRequest = 1, kSendPoll = 2, kReceiveReply = 4, kReceiveException = 8,
                        kReceiveOther = 16;
inline constexpr Points kReceiveContexts = 1, kReceiveRequest = 2, kSendReply = 4, kSendException = 8,
                        kSendOther = 16;
inline constexpr Points kEnding = 4 | 8 | 16;
}  // namespace points

/// The ending point of an outcome. `has_reply`: whether the request has one.
Points ending_point(const Outcome& outcome, bool has_reply) noexcept;

/// The context of kind `id`; null: there is none.
const orb::OwnedServiceContext* find_context(std::span<const orb::OwnedServiceContext> contexts,
                                             IOP::ServiceId id) noexcept;
/// Adds a context, or replaces one of its kind. Raises BAD_INV_ORDER unless `replace`.
void add_context(std::vector<orb::OwnedServiceContext>& contexts, const IOP::ServiceContext& added,
                 bool replace);
/// The context as a value of users. Raises BAD_PARAM for null.
IOP::ServiceContext context_value(const orb::OwnedServiceContext* context, IOP::ServiceId id);

/// Raises BAD_INV_ORDER: `function` is not valid at this point.
[[noreturn]] void raise_invalid_point(const char* function);
/// Raises NO_RESOURCES.
[[noreturn]] void raise_not_known(const char* what);

/// Points at which the functions of client and server differ.
struct InfoPoints {
  Points arguments, described, operation_context, sync_scope, request_contexts;
};

/// What the infos of clients and servers have in common. Owned by the request, which sets the point before it
/// calls an interceptor and kNone at its end; from then on all functions raise BAD_INV_ORDER.
template <class Info>
class RequestInfoImpl : public Info {
 public:
  using Status = PortableInterceptor::ReplyStatus;

  RequestInfoImpl(const SlotTable& table, const InfoPoints& valid) : table_(&table), valid_(valid) {}

  // Of the request.
  Points point = points::kNone;
  std::uint32_t id = 0;
  std::string name;
  bool has_response = true;
  Messaging::SyncScope scope = Messaging::SYNC_WITH_TARGET;
  Slots slots;
  Outcome outcome;
  std::vector<orb::OwnedServiceContext> reply_contexts;

  std::uint32_t request_id() override { return check(points::kAll, "request_id"), id; }
  std::string operation() override { return check(points::kAll, "operation"), name; }
  Dynamic::ParameterList arguments() override {
    check(valid_.arguments, "arguments"), raise_not_known("arguments");
  }
  Dynamic::ExceptionList exceptions() override {
    check(valid_.described, "exceptions"), raise_not_known("exceptions");
  }
  Dynamic::ContextList contexts() override {
    check(valid_.described, "contexts"), raise_not_known("contexts");
  }
  Dynamic::RequestContext operation_context() override {
    check(valid_.operation_context, "operation_context"), raise_not_known("operation_context");
  }
  CORBA::Any result() override { check(points::kReceiveReply, "result"), raise_not_known("result"); }
  bool response_expected() override { return check(points::kAll, "response_expected"), has_response; }
  Messaging::SyncScope sync_scope() override { return check(valid_.sync_scope, "sync_scope"), scope; }
  Status reply_status() override { return check(points::kEnding, "reply_status"), outcome.status; }
  CORBA::object_reference<CORBA::Object> forward_reference() override {
    check(outcome.status == PortableInterceptor::LOCATION_FORWARD ? points::kReceiveOther : points::kNone,
          "forward_reference");
    return outcome.forward;
  }
  CORBA::Any get_slot(PortableInterceptor::SlotId slot) override {
    check(points::kAll, "get_slot");
    return table_->get(slots, slot);
  }
  IOP::ServiceContext get_request_service_context(IOP::ServiceId context) override {
    check(valid_.request_contexts, "get_request_service_context");
    return request_context(context);
  }
  IOP::ServiceContext get_reply_service_context(IOP::ServiceId context) override {
    check(points::kEnding, "get_reply_service_context");
    return context_value(find_context(reply_contexts, context), context);
  }

 protected:
  /// A context of the request. Raises BAD_PARAM.
  virtual IOP::ServiceContext request_context(IOP::ServiceId context) = 0;
  /// Raises BAD_INV_ORDER at other points than `valid`.
  void check(Points valid, const char* function) const {
    if ((point & valid) == 0) [[unlikely]]
      raise_invalid_point(function);
  }
  const SlotTable& table() const noexcept { return *table_; }

 private:
  const SlotTable* const table_;
  const InfoPoints valid_;
};

}  // namespace orbweaver::interceptors
