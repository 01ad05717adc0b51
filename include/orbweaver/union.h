#pragma once

#include <orbweaver/exception.h>

#include <cstddef>
#include <variant>

/// What generated unions are made of. Users do not call this.
namespace orbweaver {

/// Raises BAD_PARAM: the member or discriminator does not fit what the union holds (IDL to C++11, 6.14.2).
[[noreturn]] inline void throw_wrong_union_member() {
  throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                         "a union holds another member than the one asked for; look at _d() first");
}

/// The member of case `Index`, which must be the one that is held.
template <std::size_t Index, class Variant>
auto& union_member(Variant& value) {
  auto* member = std::get_if<Index>(&value);
  if (member == nullptr) throw_wrong_union_member();
  return *member;
}

}  // namespace orbweaver
