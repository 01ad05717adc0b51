// Exceptions of which the C++ class is not known, as replies of a dynamic skeleton.
#include "dynamic/raise_any.h"

#include <orbweaver/detail/skeleton.h>

#include <string_view>
#include <utility>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"
#include "dynamic/value.h"

namespace orbweaver::dynamic {
namespace {

using CORBA::Any;
using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

const TypeCode& exception_type(const Any& any) { return typecode::resolved(*any.type()); }

/// A decoder at the value of an any, valid as long as the any.
cdr::Decoder decoder_of(const Any& any) {
  const std::vector<std::uint8_t>& bytes = *any::Access::find(any, *any.type());
  cdr::Decoder in(bytes.data(), bytes.size(), false);
  in.broker(any::Access::broker(any));
  return in;
}

/// A user exception with the members in an any.
class DynamicUserException final : public CORBA::UserException {
 public:
  explicit DynamicUserException(Any any) : any_(std::move(any)) {}
  const char* _name() const noexcept override { return Fields::name(exception_type(any_)); }
  const char* _rep_id() const noexcept override { return Fields::id(exception_type(any_)); }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override { return bound_of_value(any_); }
  void _encode(cdr::Encoder& out) const override {
    cdr::Decoder in = decoder_of(any_);
    in.get_string_view();  // the repository id
    const TypeCode& type = exception_type(any_);
    any::ValueCopy copy(in, out);
    for (std::uint32_t i = 0; i < Fields::count(type); ++i) copy.value(*Fields::members(type)[i].type);
    any::Access::check(in);
  }

 private:
  const Any any_;
};

/// Throws the system exception of that repository id; returns if there is none.
void raise_system(std::string_view id, std::uint32_t minor_code, CORBA::CompletionStatus completed) {
#define ORBWEAVER_RAISE(NAME) \
  if (id == "IDL:omg.org/CORBA/" #NAME ":1.0") throw CORBA::NAME(minor_code, completed);
  ORBWEAVER_SYSTEM_EXCEPTIONS(ORBWEAVER_RAISE)
#undef ORBWEAVER_RAISE
}

/// Whether the members are those of a system exception (CORBA 3.3 part 1, 8.5.3).
bool has_system_members(const TypeCode& type) {
  if (Fields::count(type) != 2) return false;
  const TypeCode::Member* const members = Fields::members(type);
  return typecode::resolved(*members[0].type).kind() == TCKind::tk_ulong &&
         typecode::resolved(*members[1].type).kind() == TCKind::tk_enum;
}

/// The exception that the operation declares, of the request that this thread replies to: the reply is made
/// when the exception has left the skeleton.
thread_local RaisedException raised_exception;
thread_local Operation raising_operation;

}  // namespace

bool contains_exception(const Any& any) { return exception_type(any).kind() == TCKind::tk_except; }

void raise_in_call(const Any& exception, ServerCall& call) {
  const TypeCode& type = exception_type(exception);
  if (has_system_members(type)) {
    cdr::Decoder in = decoder_of(exception);
    in.get_string_view();  // the repository id
    const auto minor_code = in.get<std::uint32_t>();
    const auto completed = in.get<std::uint32_t>();
    any::Access::check(in);
    if (completed <= static_cast<std::uint32_t>(CORBA::CompletionStatus::COMPLETED_MAYBE))
      raise_system(Fields::id(type), minor_code, static_cast<CORBA::CompletionStatus>(completed));
  }
  raised_exception = {Fields::id(type), nullptr};  // as long as the TypeCode, which the exception has
  raising_operation = {"", 0, false, &raised_exception, 1};
  call.set_operation(raising_operation);
  throw DynamicUserException(exception);
}

}  // namespace orbweaver::dynamic
