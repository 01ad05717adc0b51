#include "interceptors/async_request.h"

#include <utility>

#include "orb/client/reply_exceptions.h"
#include "orb/core.h"

namespace orbweaver::interceptors {

namespace pi = PortableInterceptor;

namespace {

CORBA::object_reference<CORBA::Object> object_of(Reference& reference) {
  return CORBA::object_reference<CORBA::Object>::adopt(CORBA::Object::_make(&reference));
}

Outcome outcome_of(const std::exception_ptr& exception, const char* operation) try {
  std::rethrow_exception(exception);
} catch (...) {
  return Outcome::of_current_exception(operation);
}

}  // namespace

AsyncRequest::AsyncRequest(OrbInterceptors& orb, Reference& target, const Operation& operation)
    : orb_(orb), target_(object_of(target)), operation_(operation),
      thread_slots_(orb.slots->empty() ? Slots() : orb.slots->of_thread()) {}

void AsyncRequest::reply_received(const giop::ReplyHeader& header) {
  reply_contexts_.clear();
  for (const giop::ServiceContext& context : header.contexts)
    reply_contexts_.push_back({context.id, {context.data.begin(), context.data.end()}});
}

void AsyncRequest::forwarded(const giop::Ior& ior) { followed_ = make_object(ior, *target_); }

/// As ClientRequest::at.
template <class Point>
auto AsyncRequest::at(Points point, const Point& call) {
  return [this, point, &call](Interceptor& interceptor) {
    info_->point = point;
    const ThreadSlots own(*orb_.slots, thread_slots_);
    call(interceptor, info_);
  };
}

void AsyncRequest::begin_info(bool has_response) {
  const std::uint32_t id = has_response ? info_->id : orb_.next_request_id();
  info_ = CORBA::make_reference<ClientRequestInfoImpl>(*orb_.slots, target_);
  info_->id = id;
  info_->name.assign(operation_.name, operation_.name_bytes);
  info_->has_response = has_response;
  info_->scope = has_response ? Messaging::SYNC_WITH_TARGET : Messaging::SYNC_WITH_TRANSPORT;
  info_->slots = thread_slots_;
}

bool AsyncRequest::start(FlowStack<Interceptor>& flow, Outcome& outcome) {
  const auto send = [](Interceptor& i, const auto& info) { i.send_request(info); };
  const bool all = flow.begin(orb_.client, target_->_reference()->is_collocated(), outcome,
                              at(points::kSendRequest, send));
  info_->point = points::kNone;
  return all;
}

void AsyncRequest::end(FlowStack<Interceptor>& flow, Outcome& outcome) {
  const auto end_point = [&](Interceptor& i, const auto& info) {
    info->outcome = outcome;
    switch (info->point = ending_point(outcome, info->has_response)) {
      case points::kReceiveReply: return i.receive_reply(info);
      case points::kReceiveException: return i.receive_exception(info);
      default: return i.receive_other(info);
    }
  };
  flow.end(outcome, at(points::kNone, end_point));
  info_->point = points::kNone;  // the interceptors may have kept it
}

bool AsyncRequest::repeats(const Outcome& outcome) {
  if (outcome.exception != nullptr) std::rethrow_exception(outcome.exception);
  if (outcome.status == pi::SUCCESSFUL) return false;
  if (outcome.status == pi::LOCATION_FORWARD && outcome.forward.get() != followed_.get())
    target_->_reference()->forward(outcome.forward->_reference()->ior());
  if (++attempts_ > orb::kMaxAttempts) orb::raise_too_many_forwards();
  return true;
}

void AsyncRequest::begin() {
  for (;;) {
    reply_contexts_.clear();
    followed_ = nullptr;
    of_sending_ = {};
    begin_info(false);
    Outcome outcome;
    if (start(sending_, outcome)) break;
    end(sending_, outcome);
    (void)repeats(outcome);  // it is not SUCCESSFUL
  }
  contexts_ = info_->request_contexts;
}

void AsyncRequest::sent() noexcept { end(sending_, of_sending_); }

void AsyncRequest::failed() {
  Outcome outcome = Outcome::of_current_exception(operation_.name);
  end(sending_, outcome);
  (void)repeats(outcome);
}

bool AsyncRequest::replied(bool is_repeated, std::exception_ptr& failure) {
  begin_info(true);
  info_->request_contexts = contexts_;
  info_->contexts_are_sent = true;
  info_->reply_contexts = std::move(reply_contexts_);
  Outcome outcome = std::exchange(of_sending_, {});
  if (outcome.status != pi::SUCCESSFUL) {
  } else if (failure != nullptr) {
    outcome = outcome_of(std::exchange(failure, nullptr), operation_.name);
  } else if (is_repeated) {
    outcome.status = followed_ ? pi::LOCATION_FORWARD : pi::TRANSPORT_RETRY;
    outcome.forward = followed_;
  }
  FlowStack<Interceptor> flow;
  Outcome started;
  if (!start(flow, started)) outcome = started;
  end(flow, outcome);
  failure = outcome.exception;
  return repeats(outcome);
}

}  // namespace orbweaver::interceptors
