#include "dynamic/server_request.h"

#include <orbweaver/context.h>
#include <orbweaver/detail/skeleton.h>

#include <utility>
#include <vector>

#include "cdr/typecode_graph.h"
#include "dynamic/minor_codes.h"
#include "dynamic/raise_any.h"
#include "dynamic/value.h"

namespace orbweaver::dynamic {

using CORBA::Any;
using CORBA::CompletionStatus;
using CORBA::NamedValue;

namespace {

[[noreturn]] void raise_order(std::uint32_t code, const std::string& what) {
  throw CORBA::BAD_INV_ORDER(code, CompletionStatus::COMPLETED_MAYBE, what);
}

[[noreturn]] void raise_untyped(const std::string& operation, const NamedValue& parameter, const char* what) {
  throw CORBA::BAD_TYPECODE(minor::kUntypedArgument, CompletionStatus::COMPLETED_MAYBE,
                            "parameter '" + parameter.name() + "' of " + operation + " has no " + what);
}

}  // namespace

ServerRequest::ServerRequest(ServerCall& call) : operation_(call.operation()), call_(&call) {}

ServerCall& ServerRequest::call() {
  if (call_ == nullptr) raise_order(minor::kRequestEnded, "the request of " + operation_ + " has ended");
  return *call_;
}

void ServerRequest::arguments(const CORBA::object_reference<CORBA::NVList>& parameters) {
  ServerCall& call = this->call();
  if (parameters_ != nullptr || has_exception_)
    raise_order(minor::kArgumentsOrder,
                "the arguments of " + operation_ + " were asked for again, or after " + "set_exception");
  if (parameters == nullptr)
    throw CORBA::BAD_PARAM(minor::kNilArgument, CompletionStatus::COMPLETED_NO, "a nil list of parameters");
  for (std::uint32_t i = 0; i < parameters->count(); ++i) {
    NamedValue& parameter = *parameters->item(i);
    if ((parameter.flags() & CORBA::ARG_IN) == 0) continue;
    const CORBA::typecode_reference type = parameter.type();
    if (typecode::resolved(*type).kind() == CORBA::TCKind::tk_null)
      raise_untyped(operation_, parameter, "type");
    Any value = read_value(call.arguments(), *type);
    if (!call.arguments_decoded()) return;
    parameter.value() = std::move(value);
  }
  parameters_ = parameters;
}

CORBA::object_reference<CORBA::Context> ServerRequest::ctx() {
  ServerCall& call = this->call();
  if (parameters_ == nullptr || context_taken_ || has_result_ || has_exception_)
    raise_order(minor::kContextOrder, "the context of " + operation_ + " was asked for again, before " +
                                          "arguments, or after set_result or set_exception");
  context_taken_ = true;
  cdr::Decoder& in = call.arguments();
  if (in.remaining() < sizeof(std::uint32_t)) return nullptr;
  std::vector<std::string> values;
  decode_context(in, values);
  if (!call.arguments_decoded()) return nullptr;
  return context_of(values);
}

void ServerRequest::set_result(const Any& value) {
  call();
  if (parameters_ == nullptr || has_result_ || has_exception_)
    raise_order(minor::kResultOrder, "the result of " + operation_ + " was set again, before arguments, or " +
                                         "after set_exception");
  result_ = value;
  has_result_ = true;
}

void ServerRequest::set_exception(const Any& value) {
  call();
  if (!contains_exception(value))
    throw CORBA::BAD_PARAM(minor::kNoException, CompletionStatus::COMPLETED_NO,
                           "set_exception: the any contains no exception");
  exception_ = value;
  has_exception_ = true;
}

void ServerRequest::reply() {
  ServerCall& call = this->call();
  if (has_exception_) raise_in_call(exception_, call);
  if (parameters_ == nullptr)
    raise_order(minor::kArgumentsNotCalled,
                "invoke has called neither arguments nor set_exception for " + operation_);
  std::vector<const Any*> results;
  if (has_result_ && !result_._empty()) results.push_back(&result_);
  for (std::uint32_t i = 0; i < parameters_->count(); ++i) {
    const NamedValue& parameter = *parameters_->item(i);
    if ((parameter.flags() & CORBA::ARG_OUT) == 0) continue;
    if (parameter.value()._empty()) raise_untyped(operation_, parameter, "value");
    results.push_back(&parameter.value());
  }
  if (results.empty()) return;
  std::size_t bytes = 0;
  for (const Any* const each : results) bytes += bound_of_value(*each);
  cdr::Encoder& out = call.reply(bytes);
  for (const Any* const each : results) write_value(out, *each);
}

}  // namespace orbweaver::dynamic
