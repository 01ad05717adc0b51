#pragma once

#include <orbweaver/dynamic_any.h>

#include <string>

#include "cdr/typecode_graph.h"
#include "dynamic/minor_codes.h"

/// Exceptions of DynAnys.
namespace orbweaver::dynamic {

[[noreturn]] inline void raise_mismatch(const std::string& why) {
  throw DynamicAny::DynAny::TypeMismatch(why);
}
[[noreturn]] inline void raise_invalid(const std::string& why) {
  throw DynamicAny::DynAny::InvalidValue(why);
}
[[noreturn]] inline void raise_limit(const std::string& why) {
  throw CORBA::IMP_LIMIT(minor::kDynAnyTooLarge, CORBA::CompletionStatus::COMPLETED_NO, why);
}
/// For a value that has not the type of `expected`.
[[noreturn]] inline void raise_other_type(const CORBA::TypeCode& expected, const CORBA::TypeCode& found) {
  raise_mismatch("expected " + typecode::describe(expected) + ", found " + typecode::describe(found));
}

}  // namespace orbweaver::dynamic
