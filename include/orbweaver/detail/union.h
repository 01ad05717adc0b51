#pragma once

#include <orbweaver/exception.h>

#include <cstddef>
#include <variant>

/// Run-time support for generated unions; not for users.
namespace orbweaver {

/// Raises BAD_PARAM (minor code 0), COMPLETED_NO: the member or discriminator does not match the active
/// member (IDL to C++11, 6.14.2).
[[noreturn]] inline void throw_wrong_union_member() {
  throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                         "a union holds another member than the one asked for; look at _d() first");
}

/// Returns the member of case `Index`. Raises BAD_PARAM if it is not active.
template <std::size_t Index, class Variant>
auto& union_member(Variant& value) {
  auto* member = std::get_if<Index>(&value);
  if (member == nullptr) throw_wrong_union_member();
  return *member;
}

}  // namespace orbweaver
