#include "dynamic/request.h"

#include <utility>

#include "dynamic/call.h"
#include "dynamic/deferred_calls.h"
#include "dynamic/minor_codes.h"
#include "dynamic/sent_requests.h"

namespace orbweaver::dynamic {

using CORBA::CompletionStatus;

namespace {

[[noreturn]] void raise_order(std::uint32_t code, const std::string& what) {
  throw CORBA::BAD_INV_ORDER(code, CompletionStatus::COMPLETED_NO, what);
}

}  // namespace

Request::Request(CORBA::object_reference<CORBA::Object> target, std::string operation)
    : target_(std::move(target)), operation_(std::move(operation)),
      arguments_(CORBA::make_reference<CORBA::NVList>()),
      result_(CORBA::make_reference<CORBA::NamedValue>("", CORBA::Any(), CORBA::ARG_OUT, CORBA::_tc_void)),
      exceptions_(CORBA::make_reference<CORBA::ExceptionList>()),
      contexts_(CORBA::make_reference<CORBA::ContextList>()) {}

CORBA::Any& Request::add(const std::string& name, CORBA::Flags flags) {
  return arguments_->add_item(name, flags)->value();
}

void Request::use(CORBA::object_reference<CORBA::NVList> arguments,
                  CORBA::object_reference<CORBA::NamedValue> result,
                  CORBA::object_reference<CORBA::ExceptionList> exceptions,
                  CORBA::object_reference<CORBA::ContextList> contexts) {
  if (arguments != nullptr) arguments_ = std::move(arguments);
  if (result != nullptr) result_ = std::move(result);
  if (exceptions != nullptr) exceptions_ = std::move(exceptions);
  if (contexts != nullptr) contexts_ = std::move(contexts);
}

void Request::begin(State next) {
  if (state_ != State::unsent) raise_order(minor::kSentBefore, "the request of " + operation_ + " was sent");
  state_ = next;
}

void Request::call(bool oneway) {
  make_call(*target_, {operation_, oneway, *arguments_, *result_, *exceptions_, *contexts_, context_});
}

void Request::invoke() {
  begin(State::sent);
  call(false);
}

void Request::send_oneway() {
  begin(State::sent);
  call(true);
}

void Request::send_deferred() {
  begin(State::deferred);
  try {
    start_deferred_call(*this);
  } catch (...) {
    state_ = State::unsent;
    throw;
  }
}

void Request::call_deferred(const std::function<void()>& prepare) noexcept {
  std::exception_ptr raised;
  try {
    prepare();
    call(false);
  } catch (...) {
    raised = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    exception_ = std::move(raised);
    ended_ = true;
    has_ended_.notify_all();
  }
  notify_waiting_for_next();
}

void Request::check_deferred() const {
  switch (state_) {
    case State::unsent: raise_order(minor::kNotSent, "the request of " + operation_ + " has not been sent");
    case State::sent: raise_order(minor::kNotDeferred, "the request of " + operation_ + " is not deferred");
    case State::taken:
      raise_order(minor::kResponseTaken, "the response to " + operation_ + " has been taken");
    case State::deferred: return;
  }
}

bool Request::poll_response() {
  check_deferred();
  return has_ended();
}

bool Request::has_ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void Request::get_response() {
  check_deferred();
  forget_request(*this);
  std::unique_lock lock(mutex_);
  has_ended_.wait(lock, [this] { return ended_; });
  state_ = State::taken;
  if (exception_ != nullptr) std::rethrow_exception(std::exchange(exception_, nullptr));
}

}  // namespace orbweaver::dynamic

namespace orbweaver {

CORBA::object_reference<CORBA::Request> create_request(const CORBA::object_reference<CORBA::Object>& target,
                                                       const std::string& operation) {
  using CORBA::CompletionStatus;
  if (target == nullptr)
    throw CORBA::BAD_PARAM(dynamic::minor::kNilArgument, CompletionStatus::COMPLETED_NO,
                           "a request needs a target that is not nil");
  if (target->_reference() == nullptr)
    throw CORBA::BAD_INV_ORDER(dynamic::minor::kLocalObject, CompletionStatus::COMPLETED_NO,
                               "a local object has no remote operations");
  return CORBA::make_reference<dynamic::Request>(target, operation);
}

CORBA::object_reference<CORBA::Request> create_request(
    const CORBA::object_reference<CORBA::Object>& target,
    const CORBA::object_reference<CORBA::Context>& context, const std::string& operation,
    const CORBA::object_reference<CORBA::NVList>& arguments,
    const CORBA::object_reference<CORBA::NamedValue>& result,
    const CORBA::object_reference<CORBA::ExceptionList>& exceptions,
    const CORBA::object_reference<CORBA::ContextList>& contexts) {
  auto request = create_request(target, operation);
  static_cast<dynamic::Request&>(*request).use(arguments, result, exceptions, contexts);
  request->ctx(context);
  return request;
}

}  // namespace orbweaver
