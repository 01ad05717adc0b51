// A call by a signature that is known at run time: the arguments are anys, whose values are sent without
// their TypeCodes.
#include "dynamic/call.h"

#include <orbweaver/detail/invoke.h>

#include <limits>
#include <utility>
#include <vector>

#include "cdr/typecode_graph.h"
#include "dynamic/minor_codes.h"
#include "dynamic/value.h"

namespace orbweaver::dynamic {
namespace {

using CORBA::Any;
using CORBA::CompletionStatus;
using CORBA::NamedValue;
using CORBA::TCKind;

/// The exceptions of the call of this thread whose reply is read: RaisedException has no closure. Calls nest,
/// since a thread may serve while it waits for a reply.
thread_local const CORBA::ExceptionList* declared_exceptions = nullptr;

class DeclaredExceptions {
 public:
  explicit DeclaredExceptions(const CORBA::ExceptionList& list)
      : outer_(std::exchange(declared_exceptions, &list)) {}
  ~DeclaredExceptions() { declared_exceptions = outer_; }
  DeclaredExceptions(const DeclaredExceptions&) = delete;
  DeclaredExceptions& operator=(const DeclaredExceptions&) = delete;

 private:
  const CORBA::ExceptionList* const outer_;
};

/// Raises UnknownUserException with the exception at `in`; returns if the call does not declare it, or with a
/// fault in `in`.
void raise_declared(cdr::Decoder& in) {
  cdr::Decoder ahead = in;
  const std::string_view id = ahead.get_string_view();
  if (!ahead.ok()) return in.fail(ahead.fault());
  for (std::uint32_t i = 0; i < declared_exceptions->count(); ++i) {
    const CORBA::typecode_reference type = declared_exceptions->item(i);
    if (typecode::Access::id(typecode::resolved(*type)) != id) continue;
    Any exception = read_value(in, *type);
    if (!in.ok()) return;
    throw CORBA::UnknownUserException(std::move(exception));
  }
}

constexpr RaisedException kDeclaredException{nullptr, raise_declared};

[[noreturn]] void raise_untyped(const Call& call, const NamedValue& value, const char* what) {
  const std::string name = &value == &call.result ? "the result" : "argument '" + value.name() + "'";
  throw CORBA::BAD_TYPECODE(minor::kUntypedArgument, CompletionStatus::COMPLETED_NO,
                            name + " of " + call.operation + " has no " + what);
}

/// The names and values of the properties that the context clause selects.
std::vector<std::string> context_of(const Call& call) {
  CORBA::Context::Values found;
  if (call.context != nullptr) {
    for (std::uint32_t i = 0; i < call.contexts.count(); ++i)
      call.context->_find(call.contexts.item(i), true, found);
  }
  std::vector<std::string> values;
  for (const auto& [name, value] : found) values.insert(values.end(), {name, value});
  return values;
}

/// Arguments that are sent, and what is received, of one call.
struct Transfer {
  std::vector<const Any*> sent;
  bool has_context = false;
  std::vector<std::string> context;
  std::vector<NamedValue*> expected;  // the result first
  std::vector<Any> received;
  std::size_t bytes = 0;  // bound of the sent ones
};

Transfer transfer_of(const Call& call) {
  Transfer transfer;
  const auto expect = [&](NamedValue& value) {
    if (call.oneway) return;
    const TCKind kind = typecode::resolved(*value.type()).kind();
    if (kind == TCKind::tk_null) raise_untyped(call, value, "type");
    if (kind != TCKind::tk_void) transfer.expected.push_back(&value);
  };
  expect(call.result);
  for (std::uint32_t i = 0; i < call.arguments.count(); ++i) {
    NamedValue& argument = *call.arguments.item(i);
    if ((argument.flags() & CORBA::ARG_IN) != 0) {
      if (argument.value()._empty()) raise_untyped(call, argument, "value");
      transfer.sent.push_back(&argument.value());
      transfer.bytes += bound_of_value(argument.value());
    }
    if ((argument.flags() & CORBA::ARG_OUT) != 0) expect(argument);
  }
  if (call.contexts.count() != 0) {
    transfer.has_context = true;
    transfer.context = context_of(call);
    transfer.bytes += cdr::bound_of(transfer.context);
  }
  return transfer;
}

void write_arguments(const void* closure, cdr::Encoder& out) {
  const auto& transfer = *static_cast<const Transfer*>(closure);
  for (const Any* const value : transfer.sent) write_value(out, *value);
  if (transfer.has_context) cdr::encode(out, transfer.context);
}

void read_results(const void* closure, cdr::Decoder& in) {
  auto& transfer = *static_cast<Transfer*>(const_cast<void*>(closure));
  transfer.received.clear();
  for (const NamedValue* const value : transfer.expected) {
    transfer.received.push_back(read_value(in, *value->type()));
    if (!in.ok()) return;
  }
}

}  // namespace

void make_call(const CORBA::Object& target, const Call& call) {
  if (call.operation.size() > std::numeric_limits<std::uint32_t>::max() ||
      call.operation.find('\0') != std::string::npos)
    throw CORBA::BAD_PARAM(minor::kBadOperationName, CompletionStatus::COMPLETED_NO,
                           "invalid name of an operation");
  Transfer transfer = transfer_of(call);
  const Operation operation{call.operation.c_str(), static_cast<std::uint32_t>(call.operation.size()),
                            call.oneway, &kDeclaredException, 1};
  const ArgumentWriter writer = transfer.sent.empty() && !transfer.has_context
                                    ? ArgumentWriter{}
                                    : ArgumentWriter{write_arguments, &transfer};
  const ResultReader reader =
      transfer.expected.empty() ? ResultReader{} : ResultReader{read_results, &transfer};
  {
    const DeclaredExceptions scope(call.exceptions);
    invoke(target, operation, transfer.bytes, writer, reader);
  }
  for (std::size_t i = 0; i < transfer.expected.size(); ++i)
    transfer.expected[i]->value() = std::move(transfer.received[i]);
}

}  // namespace orbweaver::dynamic
